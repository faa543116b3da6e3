//! Security contexts of files (`--secontext`), which files have as attributes whether SELinux is in use
//! or not. Skipped where no file can be labelled.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::launch::{self, End};
use harness::tools;
use harness::tracer::{self, Tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

const CONTEXT: &str = "system_u:object_r:etc_t:s0";

/// Labels the file `$1`.
const LABEL: &str =
    "import os, sys; os.setxattr(sys.argv[1], 'security.selinux', sys.argv[2].encode() + b'\\0')";

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        [
            trial("type", tracer, |tracer| told(tracer, "type", "--secontext", "etc_t")),
            trial("full", tracer, |tracer| told(tracer, "full", "--secontext=full", CONTEXT)),
            trial("gone", tracer, that_of_a_file_is_told_as_it_was),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn trial(name: &'static str, tracer: Tracer, check: fn(Tracer) -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(format!("{name} {}", tracer.name()), move || {
        let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
        let missing = missing.or_else(|| {
            let file = labelled(&format!("can-{name}-{}", tracer.name()));
            file.is_none().then_some("files cannot be labelled here, or there is no python3")
        });
        match missing {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => check(tracer).map(|()| Completion::Completed),
        }
    })
}

/// A file with a label, in a folder of its own.
fn labelled(name: &str) -> Option<PathBuf> {
    let file = tools::empty_scratch(&format!("security-contexts/{name}")).join("file");
    fs::write(&file, "text").ok()?;
    let python = Command::new("python3").args(["-c", LABEL]).arg(&file).arg(CONTEXT).output();
    python.is_ok_and(|output| output.status.success()).then_some(file)
}

/// What a trace of this command tells of the file, in whose folder it runs.
fn traced(tracer: Tracer, file: &Path, options: &[&str], guest: &[&str]) -> Result<String, Failed> {
    let folder = file.parent().ok_or("a file without a folder")?;
    let trace = folder.join("trace");
    let mut command = tracer.following(&trace, options);
    command.args(guest);
    let outcome = launch::run(command, folder, "")?;
    match outcome.end {
        End::Exited(0) => Ok(fs::read_to_string(trace)?),
        end => Err(format!("{end:?}: {}", outcome.stderr).into()),
    }
}

fn told(tracer: Tracer, name: &str, option: &str, shown: &str) -> Result<(), Failed> {
    let file = labelled(&format!("{name}-{}", tracer.name())).ok_or("it was labelled before")?;
    let trace = traced(tracer, &file, &[option, "-e", "trace=openat,close"], &["cat", "file"])?;
    let opened =
        trace.contains(&format!("openat(AT_FDCWD, \"file\" [{shown}], O_RDONLY) = 3 [{shown}]"));
    let closed = trace.contains(&format!("close(3 [{shown}])"));
    if opened && closed { Ok(()) } else { Err(trace.into()) }
}

fn that_of_a_file_is_told_as_it_was(tracer: Tracer) -> Result<(), Failed> {
    let file = labelled(&format!("gone-{}", tracer.name())).ok_or("it was labelled before")?;
    let options = ["--secontext", "-z", "-e", "trace=unlink,unlinkat"];
    let trace = traced(tracer, &file, &options, &["rm", "file"])?;
    if trace.contains("\"file\" [etc_t]") { Ok(()) } else { Err(trace.into()) }
}
