//! `shunpike run`: what the file of a program gives to who executes it, and a word where it gives nothing.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use harness::launch::{self, End};
use harness::tools;
use harness::tracer::{self, Tracer, shunpike};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A user without rights.
const NOBODY: u32 = 65534;

fn main() {
    let trials = Tracer::MECHANISMS.map(|tracer| {
        Trial::ignorable_test(format!("set-user-ID {}", tracer.name()), move || {
            let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
            match missing {
                Some(reason) => Ok(Completion::ignored_with(reason)),
                None => set_user_id(tracer),
            }
        })
    });
    // One by one: who forks while another copies a program has that open for writing, too.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.into()).exit();
}

fn set_user_id(tracer: Tracer) -> Result<Completion, Failed> {
    if fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(Completion::ignored_with("only root makes a program that runs as root"));
    }
    // Where everybody may go, unlike the folders of tests.
    let folder = std::env::temp_dir().join(format!("rights-{}", std::process::id()));
    let folder = folder.with_extension(tracer.name());
    fs::create_dir_all(&folder)?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
    let program = folder.join("id");
    fs::copy(tools::find("id").ok_or("there is no id")?, &program)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
    let result = compare(tracer, &folder, &program);
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

fn compare(tracer: Tracer, folder: &Path, program: &Path) -> Result<Completion, Failed> {
    let natively = Command::new(program).arg("-u").uid(NOBODY).gid(NOBODY).output()?;
    if natively.stdout != b"0\n" {
        return Ok(Completion::ignored_with("set-user-ID bits mean nothing there"));
    }
    let place = folder.join("run");
    fs::create_dir(&place)?;
    let mut run = Command::new(shunpike());
    run.args(["run", &format!("--user={NOBODY}:{NOBODY}")]);
    run.arg(format!("--mechanism={}", tracer.name()));
    run.args(["sh", "-c", "\"$0\" -u; \"$0\" -u"]).arg(program);
    let got = launch::run(run, &place, "")?;
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
