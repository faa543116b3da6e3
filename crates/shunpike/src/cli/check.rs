//! What does not go together, and what has no effect: strace's rules, and a few of our own.

use super::flags::{self, Flag, Of};
use super::injection::Injection;
use super::options::{Format, MechanismChoice, RewindOptions, SummaryMode, Target, TraceOptions};
use super::usage::UsageError;

/// Flags which change lines that `-c` does not print.
const LINE_FLAGS: &[&str] = &[
    "instruction-pointer",
    "syscall-number",
    "arg-names",
    "relative-timestamps",
    "absolute-timestamps",
    "syscall-times",
    "stack-trace",
    "decode-fds",
    "decode-pids",
    "secontext",
];

/// Flags about the look of text. What they would add, JSON tells anyway or not at all.
const TEXT_FLAGS: &[&str] = &[
    "absolute-timestamps",
    "relative-timestamps",
    "syscall-times",
    "syscall-number",
    "instruction-pointer",
    "always-show-pid",
    "columns",
    "color",
    "arg-names",
    "const-print-style",
    "strings-in-hex",
    "decode-pids",
];

/// Flags about the program that is started.
const PROGRAM_FLAGS: &[&str] = &["env", "user", "argv0"];

/// One use of a flag.
pub(super) struct Use {
    pub flag: &'static Flag,
    /// As it was written: `-t`, `--timestamps`, `-e trace`.
    pub spelling: String,
    /// By its short form.
    pub short: bool,
}

/// Checks the whole command line. Returns warnings.
pub(super) fn check(options: &TraceOptions, uses: &[Use]) -> Result<Vec<String>, UsageError> {
    refuse_both_forms(uses)?;
    refuse_contradictions(options, uses)?;
    if let Some(run) = &options.run {
        if options.command.is_empty() && !run.explain {
            return Err(UsageError::new("must have PROG [ARGS]"));
        }
    } else if options.command.is_empty() && options.attach.is_empty() {
        return Err(UsageError::new("must have PROG [ARGS] or -p PID"));
    }
    Ok(warnings(options, uses))
}

/// A counted flag's short form counts, its long form sets: together they say nothing clear.
fn refuse_both_forms(uses: &[Use]) -> Result<(), UsageError> {
    for given in uses.iter().filter(|given| given.short && given.flag.counted) {
        let is_long = |other: &&Use| !other.short && other.flag.long == given.flag.long;
        if let Some(long) = uses.iter().find(is_long) {
            let long = match given.flag.qualifiers {
                ["quiet", ..] => "-e quiet/--quiet".to_owned(),
                _ => format!("--{}", long.flag.long),
            };
            let cause = format!("{} and {long} cannot be provided simultaneously", given.spelling);
            return Err(UsageError::new(cause).way_out("leave one of them out"));
        }
    }
    Ok(())
}

fn refuse_contradictions(options: &TraceOptions, uses: &[Use]) -> Result<(), UsageError> {
    let used = |long: &str| uses.iter().any(|given| given.flag.long == long);
    let both = |long: &str| flags::named(long).both();
    let exclusive = |one: &str, other: &str| {
        UsageError::new(format!("{one} and {other} are mutually exclusive"))
    };
    let any_summary = format!("({} or {})", both("summary-only"), both("summary"));
    let summary = options.summary.mode != SummaryMode::Off;

    if used("summary-only") && used("summary") {
        return Err(exclusive(&both("summary-only"), &both("summary")));
    }
    if summary && options.output.separately {
        return Err(exclusive(&any_summary, "-ff/--output-separately")
            .way_out("no counts are kept for each process"));
    }
    if matches!(options.output.target, Target::Command(_)) && options.output.separately {
        return Err(exclusive("piping the output", "-ff/--output-separately"));
    }
    if summary && options.output.format == Format::Json {
        return Err(exclusive(&any_summary, "--format=json")
            .way_out("the summary is a table; use --format=text"));
    }
    for long in ["summary-wall-clock", "summary-columns"] {
        if used(long) && !summary {
            return Err(UsageError::new(format!(
                "{} must be given with {any_summary}",
                both(long)
            )));
        }
    }
    if options.launch.daemonize.is_some()
        && options.command.is_empty()
        && !options.attach.is_empty()
    {
        let cause = format!("PROG [ARGS] must be specified with {}", both("daemonize"));
        return Err(UsageError::new(cause));
    }
    if options.follow.kill_on_exit && !options.attach.is_empty() {
        return Err(exclusive("--kill-on-exit", &both("attach")));
    }
    if options.mechanism == MechanismChoice::Seccomp && !options.attach.is_empty() {
        return Err(exclusive("--mechanism=seccomp", &both("attach")).way_out(
            "a filter can only be put into a program that is started; use --mechanism=auto",
        ));
    }
    if options.mechanism == MechanismChoice::Ptrace && options.seccomp_bpf {
        return Err(exclusive("--mechanism=ptrace", "--seccomp-bpf"));
    }
    Ok(())
}

fn warnings(options: &TraceOptions, uses: &[Use]) -> Vec<String> {
    let mut warnings = deprecated(uses);
    warnings.extend(without_effect(options, uses));
    let by_status = |given: &&Use| ["successful-only", "failed-only"].contains(&given.flag.long);
    if uses.iter().filter(by_status).count() > 1 {
        warnings.push(
            "Only the last of -z/--successful-only/-Z/--failed-only options will take effect. \
             See status qualifier for more complex filters."
                .to_owned(),
        );
    }
    warnings.extend(options.injections.iter().filter_map(Injection::warning));
    warnings
}

/// A warning for each option that changes nothing beside the others.
fn without_effect(options: &TraceOptions, uses: &[Use]) -> Vec<String> {
    let mut warnings = Vec::new();
    let used = |long: &str| uses.iter().any(|given| given.flag.long == long);
    let both = |long: &str| flags::named(long).both();
    let mut idle = |longs: &[&str], idle_where: String| {
        for long in longs.iter().filter(|long| used(long)) {
            warnings.push(format!("{} has no effect {idle_where}", both(long)));
        }
    };
    if !options.is_shown() {
        let longs: Vec<_> = flags::about_what_is_shown().map(|flag| flag.long).collect();
        idle(&longs, "without --trace".to_owned());
        return warnings;
    }
    if options.summary.mode == SummaryMode::Only {
        idle(LINE_FLAGS, format!("with {}", both("summary-only")));
    }
    if options.output.format == Format::Json {
        idle(TEXT_FLAGS, "with --format=json".to_owned());
    }
    if options.summary.mode == SummaryMode::Off {
        let summaries = format!("without ({} or {})", both("summary-only"), both("summary"));
        idle(&["summary-sort-by"], summaries);
    }
    if options.output.target == Target::Stderr {
        let idle_where = format!("without {}", both("output"));
        idle(&["output-append-mode", "output-separately"], idle_where);
    }
    if options.command.is_empty() {
        idle(PROGRAM_FLAGS, "without PROG".to_owned());
    }
    warnings
}

/// Warnings of deprecated names of flags, each of which counts unless the flag has its own name, too.
fn deprecated(uses: &[Use]) -> Vec<String> {
    let mut warnings = Vec::new();
    for flag in Of::Trace.flags() {
        let Some(old) = flag.deprecated.map(|old| format!("-{old}")) else { continue };
        let uses = uses.iter().filter(|given| given.flag.long == flag.long);
        let (by_old, by_name): (Vec<_>, Vec<_>) = uses.partition(|given| given.spelling == old);
        match (by_old.is_empty(), by_name.is_empty()) {
            (true, _) => {}
            (false, false) => warnings.push(format!("deprecated option {old} ignored")),
            (false, true) => warnings
                .push(format!("option {old} is deprecated, please use {} instead", flag.both())),
        }
    }
    warnings
}

/// Refuses options of `rewind` that cannot be followed together.
pub(super) fn check_rewind(options: &RewindOptions) -> Result<(), UsageError> {
    if options.command.is_empty() {
        return Err(UsageError::new("must have PROG [ARGS]"));
    }
    if options.input_path.is_some() && options.jobs > 1 {
        return Err(UsageError::new("several programs cannot read their inputs from one path")
            .way_out("leave out -j, or have the program read its standard input"));
    }
    Ok(())
}
