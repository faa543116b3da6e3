//! Stacks (`-k`): a guest says who has made each of its calls; its trace must say the same, by each
//! mechanism, however the guest was built. With lines of source each frame of the guest is in a line
//! whose comment names it.
#![forbid(unsafe_code)]

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::launch::{self, End};
use harness::tools;
use harness::tracer::{self, Tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// How the guest is built: the compiler, and what it is told.
const BUILDS: [(&str, &str, &[&str]); 5] = [
    ("dynamic", "gcc", &["-O2"]),
    ("frame-pointers", "gcc", &["-O1", "-fno-omit-frame-pointer", "-fcf-protection=none"]),
    ("static", "gcc", &["-O1", "-static"]),
    ("static-pie", "gcc", &["-O2", "-static-pie"]),
    // Without unwind tables of its own.
    ("musl", "musl-gcc", &["-O1", "-static", "-fno-asynchronous-unwind-tables"]),
];

fn main() {
    let tracers = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        BUILDS.iter().map(move |build| {
            Trial::ignorable_test(format!("{} {}", build.0, tracer.name()), move || {
                let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
                let missing = missing.map(str::to_owned).or_else(|| {
                    tools::find(build.1).is_none().then(|| format!("{} is not installed", build.1))
                });
                match missing {
                    Some(reason) => Ok(Completion::ignored_with(reason)),
                    None => Ok(check(build, tracer).map(|()| Completion::Completed)?),
                }
            })
        })
    });
    libtest_mimic::run(&Arguments::from_args(), tracers.collect()).exit();
}

fn check(build: &(&str, &str, &[&str]), tracer: Tracer) -> Result<(), Failed> {
    let folder = tools::empty_scratch(&format!("stacks/{}-{}", build.0, tracer.name()));
    let guest = compile(build, &folder)?;
    let trace = folder.join("trace");
    // Each thread has a file of its own: no line is broken off by another's.
    let options = ["-kk", "--output-separately", "-e", "trace=write,getppid", "-e", "signal=none"];
    let mut command = tracer.following(&trace, &options);
    command.arg(&guest);
    let outcome = launch::run(command, &folder, "")?;
    if !matches!(outcome.end, End::Exited(0)) {
        return Err(format!("{:?}: {}", outcome.end, outcome.stderr).into());
    }
    let mut trace = String::new();
    for file in std::fs::read_dir(&folder)? {
        let path = file?.path();
        if path.file_stem().is_some_and(|name| name == "trace") {
            trace += &std::fs::read_to_string(path)?;
        }
    }
    let mut expected: Vec<&str> = outcome.stdout.lines().collect();
    let mut got: Vec<String> = stacks(&trace, &guest)?;
    expected.sort_unstable();
    got.sort_unstable();
    if expected == got {
        Ok(())
    } else {
        Err(format!("expected {expected:#?}, got {got:#?}\n{trace}").into())
    }
}

fn compile(
    (_, compiler, arguments): &(&str, &str, &[&str]),
    folder: &Path,
) -> Result<PathBuf, Failed> {
    let program = folder.join("calls");
    let mut command = Command::new(compiler);
    command.args(["-g", "-Wall", "-Wextra", "-Wno-unused-result", "-pthread"]).args(*arguments);
    command.args(["-fno-optimize-sibling-calls", "-o"]).arg(&program).arg(source());
    let output = command.output()?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(format!("{command:?}:\n{}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

fn source() -> PathBuf {
    tools::tests().join("guests/stacks/calls.c")
}

/// `LABEL: CALLER CALLER…` of each call that is marked, by the lines of the guest's own frames.
fn stacks(trace: &str, guest: &Path) -> Result<Vec<String>, Failed> {
    let source = std::fs::read_to_string(source())?;
    let source: Vec<&str> = source.lines().collect();
    let own = format!(" > {}(", guest.display());
    let mut stacks: Vec<String> = Vec::new();
    for line in trace.lines() {
        if !line.starts_with(" > ") {
            let marked = line.split_once("write(-1, \"").and_then(|(_, rest)| rest.split_once('"'));
            let label = marked.map(|(label, _)| label);
            let label = label.or(line.contains("getppid()").then_some("getppid"));
            stacks.push(label.map(|label| format!("{label}:")).unwrap_or_default());
        } else if let Some((frame, at)) = line.split_once("/calls.c:")
            && frame.starts_with(&own)
            && let Some(stack) = stacks.last_mut()
        {
            let line = source.get(at.parse::<usize>()?.wrapping_sub(1)).copied();
            let caller = line.and_then(|line| Some(line.split_once("/* ")?.1.split_once(" */")?.0));
            *stack += &format!(" {}", caller.unwrap_or(at));
        }
    }
    stacks.retain(|stack| stack.contains(": "));
    Ok(stacks)
}
