//! `shunpike run`: what the file of a program gives to who executes it, and a word where it gives nothing.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use harness::launch::{self, End, Outcome};
use harness::place::furnish;
use harness::tools;
use harness::tracer::{self, Tracer, shunpike};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A user without rights.
const NOBODY: u32 = 65534;
/// Who runs a program twice, and what is said of it once.
const TWICE: [&str; 3] = ["sh", "-c", "\"$0\" -u; \"$0\" -u"];

type Check = fn(Tracer, &Path, &Path) -> Result<Completion, Failed>;

const CHECKS: [(&str, Check); 3] =
    [("set-user-ID", set_user_id), ("only executable", only_executable), ("loaded", loaded)];

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        CHECKS.map(|(name, check)| {
            Trial::ignorable_test(format!("{name} {}", tracer.name()), move || {
                let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
                match missing {
                    Some(reason) => Ok(Completion::ignored_with(reason)),
                    None => with_program(name, tracer, check),
                }
            })
        })
    });
    // One by one: who forks while another copies a program has that open for writing, too.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// Checks this with a folder and a program in it that runs as root.
fn with_program(name: &str, tracer: Tracer, check: Check) -> Result<Completion, Failed> {
    if fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(Completion::ignored_with("only root makes a program that runs as root"));
    }
    // Where everybody may go, unlike the folders of tests.
    let name = name.replace(' ', "-");
    let folder = format!("rights-{name}-{}-{}", tracer.name(), std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(folder.join("run"))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
    let program = folder.join("id");
    fs::copy(tools::find("id").ok_or("there is no id")?, &program)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
    let natively = Command::new(&program).arg("-u").uid(NOBODY).gid(NOBODY).output()?;
    let result = match natively.stdout == b"0\n" {
        true => check(tracer, &folder, &program),
        false => Ok(Completion::ignored_with("set-user-ID bits mean nothing there")),
    };
    fs::remove_dir_all(&folder)?;
    result
}

/// Whether we have what a tracer needs under whom programs gain rights: `CAP_SYS_PTRACE`, `CAP_SYS_ADMIN`.
fn may_grant() -> Result<bool, Failed> {
    const NEEDED: u64 = 1 << 19 | 1 << 21;
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let capabilities = u64::from_str_radix(line.ok_or("no CapEff")?.trim(), 16)?;
    Ok(capabilities & NEEDED == NEEDED)
}

fn set_user_id(tracer: Tracer, folder: &Path, program: &Path) -> Result<Completion, Failed> {
    let mut run = Command::new(shunpike());
    run.args(["run", &format!("--user={NOBODY}:{NOBODY}")]);
    run.arg(format!("--mechanism={}", tracer.name())).args(TWICE).arg(program);
    let got = launch::run(run, &folder.join("run"), "")?;
    let said: Vec<&str> = got.stderr.lines().collect();
    let keeps = got.stdout == "0\n0\n" && said.is_empty();
    let loses = |way_out: &str| {
        got.stdout == format!("{NOBODY}\n{NOBODY}\n")
            && said.len() == 1
            && said[0].contains("/id runs without the rights of its set-user-ID bit")
            && said[0].contains(way_out)
    };
    // A filter takes them, whoever puts it on for another user.
    let has_filter = matches!(tracer, Tracer::Seccomp | Tracer::Agent);
    let as_expected = match (may_grant()?, has_filter) {
        (true, false) => keeps,
        (true, true) => loses("--mechanism=ptrace"),
        (false, _) => loses("--user=NAME"),
    };
    if got.end == End::Exited(0) && as_expected {
        Ok(Completion::Completed)
    } else {
        Err(format!("{got:?}").into())
    }
}

/// What the supervisor may not read it can say nothing certain of.
fn only_executable(tracer: Tracer, folder: &Path, program: &Path) -> Result<Completion, Failed> {
    fs::set_permissions(program, fs::Permissions::from_mode(0o4711))?;
    let own = folder.join("shunpike");
    fs::copy(shunpike(), &own)?;
    let mut run = Command::new(own);
    run.uid(NOBODY).gid(NOBODY).env("HOME", "/").arg("run");
    run.arg(format!("--mechanism={}", tracer.name())).args(TWICE).arg(program);
    let got = launch::run(run, &folder.join("run"), "")?;
    says_once(&got, NOBODY, "id, which only its owner may read, runs without what rights its file")
}

/// A program that the loader of another root brings to run.
fn loaded(tracer: Tracer, folder: &Path, program: &Path) -> Result<Completion, Failed> {
    let root = folder.join("root");
    let shell = tools::find("sh").ok_or("there is no sh")?;
    furnish(&root, &[program, &shell])?;
    // A new owner takes the bit.
    std::os::unix::fs::chown(root.join("bin/id"), Some(NOBODY), None)?;
    fs::set_permissions(root.join("bin/id"), fs::Permissions::from_mode(0o4755))?;
    let mut run = Command::new(shunpike());
    run.arg("run").arg(format!("--mechanism={}", tracer.name()));
    run.arg("--root").arg(&root).args(TWICE).arg("/bin/id");
    let got = launch::run(run, &folder.join("run"), "")?;
    says_once(&got, 0, "/root/bin/id runs without the rights of its set-user-ID bit: its loader is")
}

fn says_once(got: &Outcome, user: u32, what: &str) -> Result<Completion, Failed> {
    let said: Vec<&str> = got.stderr.lines().collect();
    let is_said = said.len() == 1 && said[0].contains(what);
    if got.end == End::Exited(0) && got.stdout == format!("{user}\n{user}\n") && is_said {
        return Ok(Completion::Completed);
    }
    Err(format!("{got:?}").into())
}
