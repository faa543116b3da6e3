//! Job control: an interactive shell under `shunpike run`, at a terminal of its own, does as natively what is typed.
#![forbid(unsafe_code)]

mod harness;

use std::process::Command;

use harness::launch::{self, Outcome};
use harness::tools;
use harness::tracer::{self, shunpike};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

const SHELL: [&str; 4] = ["bash", "--norc", "--noprofile", "-i"];
const MECHANISMS: [&str; 5] = ["auto", "ptrace", "sysemu", "seccomp", "agent"];

fn main() {
    let trials = MECHANISMS.map(|mechanism| {
        Trial::ignorable_test(format!("jobs {mechanism}"), move || {
            let tool = ["python3", "bash"].into_iter().find(|tool| tools::find(tool).is_none());
            let missing = tool.map(|tool| format!("there is no {tool}"));
            let agent = || (mechanism == "agent").then(tracer::no_agent).flatten();
            match missing.or_else(|| agent().map(String::from)) {
                Some(reason) => Ok(Completion::ignored_with(reason)),
                None => as_natively(mechanism).map(|()| Completion::Completed),
            }
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit();
}

fn as_natively(mechanism: &str) -> Result<(), Failed> {
    let natively = typed("natively", mechanism, &[])?;
    let run = shunpike().into_os_string().into_string().expect("a plain name");
    let run = [&*run, "run", &format!("--mechanism={mechanism}"), "--unreal"];
    let got = typed("run", mechanism, &run)?;
    let (expected, got) = (format!("{natively:?}"), format!("{got:?}"));
    // The last line is how the shell has ended.
    if expected != got || !natively.stdout.ends_with("end 7\n") {
        return Err(format!("natively:\n{expected}\nunder run:\n{got}").into());
    }
    Ok(())
}

/// What a shell that these words run says to what is typed.
fn typed(name: &str, mechanism: &str, words: &[&str]) -> Result<Outcome, Failed> {
    let folder = tools::empty_scratch(&format!("jobs/{name}-{mechanism}"));
    let mut command = Command::new("/usr/bin/python3");
    command.arg(tools::tests().join("guests/places/jobs.py")).args(words).args(SHELL);
    Ok(launch::run(command, &folder, "")?)
}
