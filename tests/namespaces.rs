//! Processes in other namespaces: their ids as we know them (`--decode-pids=pidns`), and the namespaces
//! that calls make (`-e namespace=new`). Skipped where nobody may make any.
#![forbid(unsafe_code)]

mod harness;

use std::process::Command;

use harness::launch::{self, End};
use harness::tools;
use harness::tracer::{self, Tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        [
            trial("ids", tracer, ids_are_told_as_we_know_them),
            trial("new", tracer, new_ones_are_told),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn trial(name: &str, tracer: Tracer, check: fn(Tracer) -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(format!("{name} {}", tracer.name()), move || {
        let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
        match missing.or_else(no_namespaces) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => check(tracer).map(|()| Completion::Completed),
        }
    })
}

fn no_namespaces() -> Option<&'static str> {
    let made = Command::new("unshare").args(["-pnf", "true"]).output();
    let may = made.is_ok_and(|output| output.status.success());
    (!may).then_some("this user may not make namespaces, or there is no unshare")
}

fn traced(name: &str, tracer: Tracer, options: &[&str], guest: &[&str]) -> Result<String, Failed> {
    let folder = tools::empty_scratch(&format!("namespaces/{name}-{}", tracer.name()));
    let trace = folder.join("trace");
    let mut command = tracer.following(&trace, options);
    command.args(guest);
    let outcome = launch::run(command, &folder, "")?;
    match outcome.end {
        End::Exited(0) => Ok(std::fs::read_to_string(trace)?),
        end => Err(format!("{end:?}: {}", outcome.stderr).into()),
    }
}

fn ids_are_told_as_we_know_them(tracer: Tracer) -> Result<(), Failed> {
    let options = ["--pidns-translation", "-e", "trace=kill"];
    let trace = traced("ids", tracer, &options, &["unshare", "-pf", "sh", "-c", "kill -0 $$; :"])?;
    // Each line begins with our own id of the process.
    let told = trace.lines().any(|line| {
        let own = line.split(' ').next().unwrap_or_default();
        line.contains(&format!("kill(1 /* {own} in strace's PID NS */, 0)"))
    });
    if told { Ok(()) } else { Err(trace.into()) }
}

fn new_ones_are_told(tracer: Tracer) -> Result<(), Failed> {
    let options = ["-e", "namespace=new", "-e", "trace=unshare"];
    let trace = traced("new", tracer, &options, &["unshare", "-n", "true"])?;
    let told = trace.contains("unshare(CLONE_NEWNET)") && trace.contains(" = 0 (net:[");
    if told { Ok(()) } else { Err(trace.into()) }
}
