//! Tips on what Shunpike can do beside what was asked for (`--tips`).

use crate::cli::TipChoice;
use crate::errors::say;

/// A line each.
const TIPS: &[&str] = &[
    "--json writes one object a line, made for jq; docs/json.md describes it",
    "shunpike explain openat says what a call's arguments mean, and how they are shown",
    "shunpike doctor says what this kernel lets you do, and what each crossing costs here",
    "--toll prints what tracing has cost: crossings between the program and the tracer, by kind",
    "-k shows who has made each call, -kk with lines of source; it is some 40 times as fast as strace -k",
    "-e trace=/regex traces the calls whose names match, -e trace=%file those that take a path",
    "-Z shows only the calls that have failed; -e status=failed is the same",
    "-y shows the path behind each descriptor, -yy also addresses of sockets, devices and processes",
    "-P PATH traces only the calls that use PATH; descriptors of it count too",
    "-e trace-fds=3,5 traces only the calls that use one of these descriptors",
    "-e write=1 dumps all that is written to the standard output, in hexadecimal and in ASCII",
    "-c counts calls; with -w their wall clock time counts, which is what a program waits for",
    "-ff -o FILE writes each process's trace to a file of its own",
    "-p takes lists: -p \"$(pgrep -d, nginx)\"; with --mechanism=agent -f the program hardly slows down",
    "--mechanism=ptrace, seccomp or agent decides how calls are intercepted; all show the same",
    "called as strace, Shunpike is strace: ln -s shunpike strace",
    "-N shows the name of each argument; -X verbose its number beside each constant's name",
    "-o '|less' pages the trace while the program runs",
];

/// Prints a tip; `random` is any number.
pub(crate) fn print(choice: TipChoice, random: usize) {
    let index = match choice {
        TipChoice::None => return,
        TipChoice::Random => random,
        TipChoice::Number(number) => number,
    };
    let index = index % TIPS.len();
    say(format_args!("Tip {index}: {}", TIPS[index]));
}
