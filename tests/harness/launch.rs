//! Runs a command under a time limit, in an environment which is the same everywhere.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use super::tools;

/// A command that takes so long hangs. Where all is well nobody waits for it, however busy the machine.
pub const LIMIT: Duration = Duration::from_secs(300);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Killed(i32),
    TimedOut,
}

/// What a command did.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

/// Besides PATH, HOME and a cache directory of the tests. Perl needs as much memory as the order of
/// its hashes makes it need.
const ENVIRONMENT: [(&str, &str); 3] = [("LC_ALL", "C"), ("TZ", "UTC"), ("PERL_HASH_SEED", "0")];

/// Runs `command` in `folder` with `stdin`. After [`LIMIT`] the process group which was started for
/// it is killed. Its output goes through files in `folder`'s parent, so that a daemon that it
/// leaves behind cannot hold the run up.
pub fn run(mut command: Command, folder: &Path, stdin: &str) -> std::io::Result<Outcome> {
    let [input, output, errors] = ["stdin", "stdout", "stderr"].map(|name| {
        let mut file = folder.as_os_str().to_owned();
        file.push(".");
        file.push(name);
        file
    });
    std::fs::write(&input, stdin)?;
    command
        .current_dir(folder)
        .env_clear()
        .envs(["PATH", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .envs(ENVIRONMENT)
        .env("XDG_CACHE_HOME", tools::scratch("cache"))
        .stdin(File::open(&input)?)
        .stdout(File::create(&output)?)
        .stderr(File::create(&errors)?)
        .process_group(0);
    let end = wait(&mut command)?;
    Ok(Outcome { end, stdout: read_lossy(output.as_ref())?, stderr: read_lossy(errors.as_ref())? })
}

/// Whether [`with_fixed_addresses`] can do its work; where it cannot, the reason is said once.
pub fn can_fix_addresses() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let obstacle = match Command::new("setarch").args(["-R", "true"]).output() {
            Ok(output) if output.status.success() => return true,
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
            Err(error) => format!("setarch: {error}"),
        };
        eprintln!("programs run at random addresses, calls of brk are not compared: {obstacle}");
        false
    })
}

/// The same command with each program's memory at the same addresses in every run, where that can
/// be: setarch(8) switches randomisation off, then the command takes its place.
pub fn with_fixed_addresses(command: Command) -> Command {
    if !can_fix_addresses() {
        return command;
    }
    let mut fixed = Command::new("setarch");
    fixed.arg("-R").arg(command.get_program()).args(command.get_args());
    fixed
}

fn wait(command: &mut Command) -> std::io::Result<End> {
    let mut child = command.spawn()?;
    let group = child.id();
    let (sender, receiver) = mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let status = child.wait();
        // The receiver is gone when the time is over; then nobody asks for the status.
        let _ = sender.send(());
        status
    });
    let in_time = receiver.recv_timeout(LIMIT).is_ok();
    if !in_time {
        kill_group(group)?;
    }
    let status = waiter.join().expect("waiting does not panic")?;
    Ok(if in_time { end_of(status) } else { End::TimedOut })
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Killed(signal),
        (None, None) => unreachable!("a process that was waited for exited or was killed"),
    }
}

fn kill_group(group: u32) -> std::io::Result<()> {
    Command::new("sh")
        .args(["-c", &format!("kill -KILL -{group}")])
        .stderr(Stdio::null())
        .status()
        .map(|_| ())
}

/// The text of a file, with U+FFFD for what is not UTF-8.
pub fn read_lossy(file: &Path) -> std::io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(file)?).into_owned())
}
