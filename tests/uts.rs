//! `shunpike run --hostname` and the like: `uname(2)` and `/proc/sys/kernel` tell the same names, by each
//! mechanism.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::process::Command;

use harness::compile::{self, Variant};
use harness::launch::{self, End};
use harness::tools;
use harness::tracer::{self, Tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Options with these names.
const NAMED: [&str; 2] = ["--hostname=build", "--uts-release=9.9"];

/// Where files are at other paths an agent changes paths itself; it has come when a program has opened many.
const SCRIPT: &str = "
K=/proc/sys/kernel
uname -nr; cat $K/hostname $K/osrelease
M='/dev/null /dev/null /dev/null /dev/null /dev/null /dev/null /dev/null /dev/null'
cat $M $M $M $M $M $K/hostname $M /unreal$K/pid_max $K/osrelease | grep -v '^[0-9]*$'
echo another > $K/hostname; uname -n; cat $K/hostname
echo no > $K/hostname; printf 'a b\\nc' > $K/domainname; uname -n; cat $K/domainname
exec 5< $K/hostname; echo later > $K/hostname; cat <&5
chmod 0 /proc/self/fd/5; cat $K/hostname; echo x >> $K/hostname; uname -n
/usr/bin/python3 -c 'from ctypes import *; from os import *; from sys import *
write(CDLL(None).creat(argv[1].encode(), 0), argv[2].encode())' $K/hostname made
uname -n
(echo x > $K/osrelease) 2> /dev/null || cat $K/osrelease
cat $K/version | cmp - /unreal$K/version && echo of the machine
";

const TOLD: &str = "build 9.9\nbuild\n9.9\nbuild\n9.9\nanother\nanother\nno\na b\nlater\nlater\nx\nmade\n9.9\n\
                    of the machine\n";

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        let mechanism = format!("--mechanism={}", tracer.name());
        let missing =
            move || (tracer == Tracer::Agent).then(tracer::no_agent).flatten().map(str::to_owned);
        let of_32_bits = mechanism.clone();
        [
            trial(format!("files {}", tracer.name()), missing, move || files(&mechanism)),
            trial(
                format!("files i386 {}", tracer.name()),
                move || Variant::I386.missing().or_else(missing),
                move || files_of_32_bits(&of_32_bits),
            ),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn trial(
    name: String,
    missing: impl FnOnce() -> Option<String> + Send + 'static,
    check: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || match missing() {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => check().map(|()| Completion::Completed),
    })
}

/// What a program says, also one that sees files at other paths. The machine keeps its names.
fn files(mechanism: &str) -> Result<(), Failed> {
    let natively = || fs::read("/proc/sys/kernel/hostname");
    let before = natively()?;
    let mut run = Command::new(tracer::shunpike());
    run.args(["run", mechanism, "--unreal"]).args(NAMED).args(["sh", "-c", SCRIPT]);
    says(run, mechanism, TOLD)?;
    let mut run = Command::new(tracer::shunpike());
    run.args(["run", mechanism]).args(NAMED).args(["cat", "/proc/sys/kernel/hostname"]);
    says(run, mechanism, "build\n")?;
    if natively()? != before {
        return Err("the machine has another name".into());
    }
    Ok(())
}

fn files_of_32_bits(mechanism: &str) -> Result<(), Failed> {
    let program = compile::c(&tools::tests().join("guests/uts/files_i386.c"), Variant::I386)?;
    let mut run = Command::new(tracer::shunpike());
    run.args(["run", mechanism]).args(NAMED).arg(program);
    says(run, &format!("i386{mechanism}"), "build\n9.9\nmade\n")
}

fn says(command: Command, folder: &str, expected: &str) -> Result<(), Failed> {
    let outcome = launch::run(command, &tools::empty_scratch(&format!("uts/{folder}")), "")?;
    if outcome.end != End::Exited(0) || outcome.stdout != expected {
        return Err(format!("expected:\n{expected}\ngot:\n{outcome:?}").into());
    }
    Ok(())
}
