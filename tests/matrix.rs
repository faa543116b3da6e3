//! The matrix: each guest natively and under each mechanism, and the case files of the command.
//!
//! * a guest's output and exit status are the same as without a tracer;
//! * the trace of a self-printing guest (`guests/lines`) has the lines that the guest printed,
//!   also when only some calls are asked for;
//! * each call of the table has such a guest;
//! * the trace of any guest is whole, and has as many calls as the guest counted;
//! * the mechanisms give the same trace;
//! * a guest that is tampered with (`guests/tampered`) finds what it was told to.
//!
//! `cargo test --test matrix NAME` runs the tests whose names contain NAME.
#![forbid(unsafe_code)]

mod harness;

use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use harness::cases;
use harness::coverage::{self, Arch};
use harness::diff::{self, Verdict};
use harness::guest::{Guest, Run};
use harness::launch::End;
use harness::normalise::{self, Normaliser};
use harness::trace::call_name;
use harness::tracer::{self, Tracer};

fn main() {
    let mut trials = Vec::new();
    let lines: Vec<_> = Guest::all_c("lines").into_iter().map(Arc::new).collect();
    for guest in &lines {
        let tracers = [Tracer::Ptrace, Tracer::Seccomp, Tracer::Agent, Tracer::Strace];
        for tracer in tracers.into_iter().filter(|tracer| guest.is_for(*tracer)) {
            trials.push(trial(guest, tracer, "", shows_the_printed_lines));
            trials.push(trial(guest, tracer, " filtered", shows_the_lines_asked_for));
        }
        trials.push(trial(guest, Tracer::AgentCold, "", shows_the_printed_lines));
        trials.push(trial(guest, Tracer::Alone, "", shows_the_printed_lines));
        trials.push(trial(guest, Tracer::Auto, " filtered", shows_the_lines_asked_for));
        if guest.is_steady() {
            trials.push(equality(guest, "", mechanisms_agree));
            trials.push(equality(guest, " in json", mechanisms_agree_in_json));
        }
    }
    trials.push(coverage_trial(Arch::X86_64, lines));
    let lines: Vec<_> = Guest::all_i386("lines_i386").into_iter().map(Arc::new).collect();
    for guest in &lines {
        let tracers = [Tracer::Ptrace, Tracer::Seccomp, Tracer::Agent, Tracer::Strace];
        for tracer in tracers.into_iter().filter(|tracer| guest.is_for(*tracer)) {
            trials.push(trial(guest, tracer, "", shows_the_printed_lines));
        }
    }
    trials.push(coverage_trial(Arch::I386, lines));
    let others = Guest::all_c("hard").into_iter().chain(Guest::all_languages());
    for guest in others.map(Arc::new) {
        let tracers = Tracer::MECHANISMS.into_iter().chain([Tracer::AgentCold]);
        for tracer in tracers.filter(|tracer| guest.is_for(*tracer)) {
            trials.push(trial(&guest, tracer, "", leaves_the_guest_alone));
        }
        if guest.is_for(Tracer::Auto) {
            trials.push(trial(&guest, Tracer::Auto, " filtered", shows_what_the_guest_counts));
        }
        if guest.is_for(Tracer::Agent) {
            trials.push(trial(&guest, Tracer::Agent, " named", names_descriptors));
        }
        if guest.is_for(Tracer::Alone) {
            trials.push(trial(&guest, Tracer::Alone, "", lets_go_of_what_the_guest_makes));
        }
        if guest.is_steady() {
            trials.push(equality(&guest, "", mechanisms_agree));
        }
    }
    for guest in Guest::all_c("tampered").into_iter().map(Arc::new) {
        let tracers = [Tracer::AgentCold, Tracer::Auto, Tracer::Alone, Tracer::Strace];
        for tracer in Tracer::MECHANISMS.into_iter().chain(tracers) {
            if guest.is_for(tracer) {
                trials.push(trial(&guest, tracer, "", finds_what_it_was_told));
            }
        }
    }
    trials.extend(cases::all().into_iter().map(|case| {
        let name = format!("cases/{}", case.name());
        Trial::test(name, move || case.check().map_err(Failed::from))
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

type Check = fn(&Guest, Tracer) -> Result<(), String>;

fn trial(guest: &Arc<Guest>, tracer: Tracer, suffix: &str, check: Check) -> Trial {
    let guest = Arc::clone(guest);
    let name = format!("{} {}{suffix}", guest.name, tracer.name());
    Trial::ignorable_test(name, move || {
        let no_tracer = match tracer {
            Tracer::Strace => tracer::no_oracle(),
            Tracer::Agent | Tracer::AgentCold | Tracer::Alone | Tracer::Auto => tracer::no_agent(),
            Tracer::Ptrace | Tracer::Sysemu | Tracer::Seccomp => None,
        };
        match no_tracer.map(str::to_owned).or_else(|| guest.missing()) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => Ok(check(&guest, tracer).map(|()| Completion::Completed)?),
        }
    })
}

/// Each call of this ABI has a guest that prints its line.
fn coverage_trial(arch: Arch, guests: Vec<Arc<Guest>>) -> Trial {
    Trial::ignorable_test(format!("lines of every call {}", arch.name()), move || {
        let guests: Vec<_> = guests.iter().filter(|guest| guest.missing().is_none()).collect();
        if guests.is_empty() {
            return Ok(Completion::ignored_with("no guest can be built"));
        }
        let guests = guests.into_iter().map(AsRef::as_ref);
        Ok(coverage::check(arch, guests).map(|()| Completion::Completed)?)
    })
}

fn equality(guest: &Arc<Guest>, suffix: &str, check: fn(&Guest) -> Result<(), String>) -> Trial {
    let guest = Arc::clone(guest);
    let name = format!("{} equal{suffix}", guest.name);
    Trial::ignorable_test(name, move || match guest.missing() {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => Ok(check(&guest).map(|()| Completion::Completed)?),
    })
}

/// The guest's output and status are those of the run without a tracer, its trace is whole, and
/// each `count NAME N` which it printed is right.
fn leaves_the_guest_alone(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    leaves_alone_in(guest, guest.traced(tracer)?)
}

/// The same where only the calls are asked for that the guest counts, or where it counts none,
/// frequent ones.
fn shows_what_the_guest_counts(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    let native = guest.native()?;
    let mut calls: Vec<&str> = counts(&native.stdout).map(|(call, _)| call).collect();
    if calls.is_empty() {
        calls =
            vec!["read", "write", "openat", "mmap", "rt_sigprocmask", "futex", "clone", "getppid"];
    }
    let option = format!("trace={}", calls.join(","));
    let run = guest.trace(tracer, &format!("{}-filtered", tracer.name()), &["-e", &option])?;
    leaves_alone_in(guest, &run)
}

/// What a guest has counted: names of calls, and how many there were.
fn counts(stdout: &str) -> impl Iterator<Item = (&str, &str)> {
    stdout.lines().filter_map(|line| line.strip_prefix("count ")?.split_once(' '))
}

fn leaves_alone_in(guest: &Guest, run: &Run) -> Result<(), String> {
    runs_as_natively(guest, run)?;
    run.trace.check_whole()?;
    for (call, number) in counts(&run.outcome.stdout) {
        let traced = run.trace.count(call).to_string();
        if traced != number {
            return Err(format!("the guest made {number} calls of {call}; traced: {traced}"));
        }
    }
    Ok(())
}

/// The same where the agent tells what descriptors stand for, which takes calls of its own.
fn names_descriptors(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    let run = guest.trace(tracer, &format!("{}-named", tracer.name()), &["-y"])?;
    leaves_alone_in(guest, &run)
}

/// The same of a trace of the guest's first thread alone, as far as the guest cannot count for that.
fn lets_go_of_what_the_guest_makes(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    let run = guest.traced(tracer)?;
    runs_as_natively(guest, run)?;
    run.trace.check_whole()?;
    match run.trace.tasks.len() {
        1 => Ok(()),
        tasks => Err(format!("the trace has the lines of {tasks} threads")),
    }
}

fn runs_as_natively(guest: &Guest, run: &Run) -> Result<(), String> {
    let native = guest.native()?;
    if run.outcome.end != native.end {
        return Err(format!(
            "ends with {:?}, natively with {:?}; stderr:\n{}",
            run.outcome.end, native.end, run.outcome.stderr
        ));
    }
    let expected = normalise::guest_output(&native.stdout);
    let got = normalise::guest_output(&run.outcome.stdout);
    same_lines(expected.lines(), got.lines(), "the guest prints other things than natively")
}

/// The guest checks itself what its tracer does to it.
fn finds_what_it_was_told(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    let run = guest.trace(tracer, tracer.name(), &guest.options())?;
    match run.outcome.end {
        End::Exited(0) => Ok(()),
        end => Err(format!("ends with {end:?}; stderr:\n{}", run.outcome.stderr)),
    }
}

/// Between the guest's markers the trace has the lines which the guest printed.
fn shows_the_printed_lines(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    leaves_the_guest_alone(guest, tracer)?;
    shows_lines(guest.traced(tracer)?, |_| true)
}

/// The same where only every second call is asked for, by name. Numbers without a name are left
/// out of it: strace shows them whatever is asked for.
fn shows_the_lines_asked_for(guest: &Guest, tracer: Tracer) -> Result<(), String> {
    let native = guest.native()?;
    let mut calls: Vec<&str> = Vec::new();
    for name in native.stdout.lines().filter_map(call_name) {
        if !calls.contains(&name) && !is_nameless(name) {
            calls.push(name);
        }
    }
    let asked: Vec<&str> = calls.into_iter().step_by(2).chain(["faccessat"]).collect();
    let option = format!("trace={}", asked.join(","));
    let run = guest.trace(tracer, &format!("{}-filtered", tracer.name()), &["-e", &option])?;
    runs_as_natively(guest, &run)?;
    shows_lines(&run, |line| call_name(line).is_none_or(|name| asked.contains(&name)))
}

fn is_nameless(call: &str) -> bool {
    call.starts_with("syscall_0x")
}

/// The lines of the trace are the lines that the guest printed, of which only those count that
/// were asked for.
fn shows_lines(run: &Run, asked: impl Fn(&str) -> bool) -> Result<(), String> {
    let printed = normalise::without_marks(&run.outcome.stdout);
    let expected: Vec<String> =
        printed.lines().filter(|line| asked(line)).map(normalise::without_cpu_time).collect();
    let got: Vec<String> = run
        .trace
        .between_markers()?
        .into_iter()
        .filter(|line| asked(line) || !call_name(line).is_some_and(is_nameless))
        .map(normalise::without_cpu_time)
        .collect();
    same_lines(
        expected.iter().map(String::as_str),
        got.iter().map(String::as_str),
        "the trace has other lines than the guest printed",
    )
}

/// Every mechanism gives the same trace, apart from addresses, pids and times.
fn mechanisms_agree(guest: &Guest) -> Result<(), String> {
    all_the_same(|tracer| {
        let trace = &guest.traced(tracer)?.trace;
        let normaliser = Normaliser::new(trace);
        Ok(trace.lines().map(|line| normaliser.line(line)).collect())
    })
}

/// The records themselves are the same too, in the format that loses nothing of them.
fn mechanisms_agree_in_json(guest: &Guest) -> Result<(), String> {
    all_the_same(|tracer| {
        let folder = format!("{}-json", tracer.name());
        let (_, text) = guest.output(tracer, &folder, &["--format=json"])?;
        Ok(normalise::json_lines(&text))
    })
}

/// What the first mechanism gives, and each other one.
fn all_the_same(lines: impl Fn(Tracer) -> Result<Vec<String>, String>) -> Result<(), String> {
    let [first, others @ ..] = Tracer::MECHANISMS;
    let expected = lines(first)?;
    let others = others.into_iter().filter(|other| {
        // Its own tests say that they are skipped, and why.
        *other != Tracer::Agent || tracer::no_agent().is_none()
    });
    for other in others {
        let got = lines(other)?;
        let what = format!("other traces: - {}, + {}", first.name(), other.name());
        let (expected, got) = (expected.iter(), got.iter());
        same_lines(expected.map(String::as_str), got.map(String::as_str), &what)?;
    }
    Ok(())
}

fn same_lines<'a>(
    expected: impl Iterator<Item = &'a str>,
    got: impl Iterator<Item = &'a str>,
    what: &str,
) -> Result<(), String> {
    let (expected, got): (Vec<_>, Vec<_>) = (expected.collect(), got.collect());
    match diff::compare(&expected, &got) {
        Verdict::Equal => Ok(()),
        Verdict::Differs(changes) => Err(format!("{what}:\n{}", diff::shown(&changes, 40))),
    }
}
