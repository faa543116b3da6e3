//! The command line: one line a case, arguments → what is asked for.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use contract::{Arch, CallSet, Tid};
use proptest::prelude::*;
use shunpike::cli::*;

fn parse(words: &[&str]) -> Result<Command, UsageError> {
    Program::new(Some(OsStr::new("/usr/bin/shunpike"))).parse(words.iter().map(OsString::from))
}

/// The options of `trace` with these arguments, parted by spaces.
fn trace(line: &str) -> Result<TraceOptions, UsageError> {
    let words: Vec<&str> = std::iter::once("trace").chain(line.split(' ')).collect();
    parse(&words).map(|command| match command {
        Command::Trace(options) => *options,
        other => panic!("{line}: {other:?}"),
    })
}

/// Calls with their number by each ABI.
const READ: [(Arch, u64); 3] = [(Arch::X86_64, 0), (Arch::I386, 3), (Arch::X32, 0)];
const CLOSE: [(Arch, u64); 3] = [(Arch::X86_64, 3), (Arch::I386, 6), (Arch::X32, 3)];

fn calls(of: &[[(Arch, u64); 3]]) -> CallSet {
    let mut set = CallSet::NONE;
    of.iter().flatten().for_each(|&(arch, number)| set.insert_of(arch, number));
    set
}

type Case = (&'static str, fn(&mut TraceOptions));

/// The arguments before the program, and how they change the defaults.
const CASES: &[Case] = &[
    ("-f", |o| o.follow.forks = true),
    ("--follow-forks", |o| o.follow.forks = true),
    ("--follow", |o| o.follow.forks = true),
    ("-ff -o F", |o| {
        o.follow.forks = true;
        o.output.separately = true;
        o.output.target = Target::File("F".into());
    }),
    ("--output-separately --output=F", |o| {
        o.output.separately = true;
        o.output.target = Target::File("F".into());
    }),
    ("-oF", |o| o.output.target = Target::File("F".into())),
    ("-o=F", |o| o.output.target = Target::File("=F".into())),
    ("-fAoF", |o| {
        o.follow.forks = true;
        o.output.append = true;
        o.output.target = Target::File("F".into());
    }),
    ("-o |cat", |o| o.output.target = Target::Command("cat".into())),
    ("-o !cat", |o| o.output.target = Target::Command("cat".into())),
    ("-d", |o| o.debug = true),
    ("--format=json", |o| o.output.format = Format::Json),
    ("--json", |o| o.output.format = Format::Json),
    ("--json --format text", |o| o.output.format = Format::Text),
    ("--color", |o| o.output.color = ColorChoice::Always),
    ("--color=never", |o| o.output.color = ColorChoice::Never),
    ("-p 1,2,1 -p 3", |o| o.attach = vec![Tid(1), Tid(2), Tid(1), Tid(3)]),
    ("--attach=7", |o| o.attach = vec![Tid(7)]),
    ("-E A=b=c -E D", |o| {
        o.launch.env = vec![("A".into(), Some("b=c".into())), ("D".into(), None)];
    }),
    ("-E =b", |o| o.launch.env = vec![("".into(), Some("b".into()))]),
    ("-e signal=0", |o| o.filter.signals = SignalSet::NONE),
    ("--env=A=", |o| o.launch.env = vec![("A".into(), Some("".into()))]),
    ("-u nobody", |o| o.launch.user = Some(User::Name("nobody".into()))),
    ("-u 1:2", |o| o.launch.user = Some(User::Ids { uid: 1, gid: 2 })),
    ("--argv0=name", |o| o.launch.argv0 = Some("name".into())),
    ("-D", |o| o.launch.daemonize = Some(Daemonize::Grandchild)),
    ("-DD", |o| o.launch.daemonize = Some(Daemonize::ProcessGroup)),
    ("-D -D -D", |o| o.launch.daemonize = Some(Daemonize::Session)),
    ("--daemonize", |o| o.launch.daemonize = Some(Daemonize::Grandchild)),
    ("--daemonize=pgrp", |o| o.launch.daemonize = Some(Daemonize::ProcessGroup)),
    ("-b execve", |o| o.follow.detach_on_execve = true),
    ("--syscall-limit=5", |o| o.follow.syscall_limit = 5.try_into().ok()),
    ("--kill-on-exit", |o| o.follow.kill_on_exit = true),
    ("-I 4", |o| o.follow.interruptible = Some(Interruptible::NeverTstp)),
    ("-I waiting", |o| o.follow.interruptible = Some(Interruptible::Waiting)),
    ("--mechanism=ptrace", |o| o.mechanism = MechanismChoice::Ptrace),
    ("--placement=free", |o| o.placement = Placement::Free),
    ("--seccomp-bpf", |o| o.seccomp_bpf = true),
    ("-e read", |o| o.filter.calls = calls(&[READ])),
    ("-e trace=read,close", |o| o.filter.calls = calls(&[READ, CLOSE])),
    ("-e t=read -e trace=close", |o| o.filter.calls = calls(&[CLOSE])),
    ("--trace=read --trace !read", |o| o.filter.calls = calls(&[READ]).complement()),
    ("-e !read", |o| o.filter.calls = calls(&[READ]).complement()),
    ("-e trace=all", |o| o.filter.calls = CallSet::ALL),
    ("-e signal=none", |o| o.filter.signals = SignalSet::NONE),
    ("-e signals=int -e s=all", |o| o.filter.signals = SignalSet::ALL),
    ("-e status=failed", |o| o.filter.status = StatusSet::FAILED),
    ("-z", |o| o.filter.status = StatusSet::SUCCESSFUL),
    ("-z -e status=failed", |o| o.filter.status = StatusSet::FAILED),
    ("-Z", |o| o.filter.status = StatusSet::FAILED),
    ("-P /a -P /b", |o| o.filter.paths = vec!["/a".into(), "/b".into()]),
    ("-q", |o| o.filter.quiet = Some(QuietSet::ATTACH.union(QuietSet::PERSONALITY))),
    ("-qqqq", |o| o.filter.quiet = Some(QuietSet::ALL)),
    ("-e quiet=exit", |o| o.filter.quiet = Some(QuietSet::EXIT)),
    ("--silence=attach --quiet=exits", |o| o.filter.quiet = Some(QuietSet::EXIT)),
    ("-t", |o| o.line.absolute_time = Some((TimeFormat::TimeOfDay, Precision::Seconds))),
    ("-t -t", |o| o.line.absolute_time = Some((TimeFormat::TimeOfDay, Precision::Micros))),
    ("-ttt", |o| o.line.absolute_time = Some((TimeFormat::Unix, Precision::Micros))),
    ("--timestamps", |o| o.line.absolute_time = Some((TimeFormat::TimeOfDay, Precision::Seconds))),
    ("--timestamps=ns", |o| o.line.absolute_time = Some((TimeFormat::TimeOfDay, Precision::Nanos))),
    ("--timestamps=precision:ms,unix", |o| {
        o.line.absolute_time = Some((TimeFormat::Unix, Precision::Millis));
    }),
    ("--absolute-timestamps=format:none", |o| o.line.absolute_time = None),
    ("-r", |o| o.line.relative_time = Some(Precision::Micros)),
    ("--relative-timestamps=ns", |o| o.line.relative_time = Some(Precision::Nanos)),
    ("-T", |o| o.line.call_time = Some(Precision::Micros)),
    ("--syscall-times=ms", |o| o.line.call_time = Some(Precision::Millis)),
    ("-a 0", |o| o.line.result_column = 0),
    ("-ni", |o| {
        o.line.call_number = true;
        o.line.instruction_pointer = true;
    }),
    ("-k", |o| o.line.stack = StackTrace::Symbol),
    ("-kk", |o| o.line.stack = StackTrace::Source),
    ("--stack-traces", |o| o.line.stack = StackTrace::Symbol),
    ("--stack-trace=source", |o| o.line.stack = StackTrace::Source),
    ("--stack-trace-frame-limit=9", |o| o.line.stack_frames = 9),
    ("-e kvm=vcpu", |o| o.values.vcpu_exits = true),
    ("--namespace=new", |o| o.values.new_namespaces = true),
    ("--tips", |o| o.tip = TipChoice::Random),
    ("--tips=3,full", |o| o.tip = TipChoice::Number(3)),
    ("--tips=format:none,id:3", |o| o.tip = TipChoice::None),
    ("--quiet", |o| o.filter.quiet = Some(QuietSet::ATTACH.union(QuietSet::PERSONALITY))),
    ("-e signal=99", |o| o.filter.signals = SignalSet::NONE),
    ("--always-show-pid", |o| o.line.always_pid = true),
    ("-s 3", |o| o.values.string_limit = 3),
    ("-x", |o| o.values.strings_in_hex = HexStrings::NonAscii),
    ("-xx", |o| o.values.strings_in_hex = HexStrings::All),
    ("--strings-in-hex", |o| o.values.strings_in_hex = HexStrings::All),
    ("--strings-in-hex=none", |o| o.values.strings_in_hex = HexStrings::None),
    ("-X raw", |o| o.values.constants = Constants::Raw),
    ("-N", |o| o.values.argument_names = true),
    ("-v", |o| o.values.abbrev = CallSet::NONE),
    ("-e a=read", |o| o.values.abbrev = calls(&[READ])),
    ("-e verbose=!read", |o| o.values.verbose = calls(&[READ]).complement()),
    ("--raw=read", |o| o.values.raw = calls(&[READ])),
    ("-y", |o| o.values.fds = DecodeFds::PATH),
    ("-yy", |o| o.values.fds = DecodeFds::ALL),
    ("--decode-fds", |o| o.values.fds = DecodeFds::PATH),
    ("-e decode-fd=socket", |o| o.values.fds = DecodeFds::SOCKET),
    ("-Y", |o| o.values.pids = DecodePids::COMM),
    ("--pidns-translation", |o| o.values.pids = DecodePids::PIDNS),
    ("--decode-pids=all", |o| o.values.pids = DecodePids::ALL),
    ("--secontext", |o| o.values.contexts = Some(SecurityContextSet::NONE)),
    ("--secontext=full", |o| o.values.contexts = Some(SecurityContextSet::FULL)),
    ("-e secontext=full,mismatch", |o| o.values.contexts = Some(SecurityContextSet::ALL)),
    ("--decode-pids=comm", |o| o.values.pids = DecodePids::COMM),
    ("-c", |o| o.summary.mode = SummaryMode::Only),
    ("-C -w", |o| {
        o.summary.mode = SummaryMode::Beside;
        o.summary.wall_clock = true;
    }),
    ("-c -S nothing", |o| {
        o.summary.mode = SummaryMode::Only;
        o.summary.sort_by = None;
    }),
    ("-cS time_avg", |o| {
        o.summary.mode = SummaryMode::Only;
        o.summary.sort_by = Some(Column::AvgTime);
    }),
    ("-c -U calls,wall-max", |o| {
        o.summary.mode = SummaryMode::Only;
        o.summary.columns = vec![Column::Calls, Column::WallMax, Column::Name];
    }),
    ("-O 1.5ms", |o| o.summary.overhead = Duration::from_micros(1500)),
    ("-O 2e3", |o| o.summary.overhead = Duration::from_millis(2)),
    ("--ring-size=16K", |o| o.ring_size = Some(1 << 14)),
    ("--ring-size 1M", |o| o.ring_size = Some(1 << 20)),
    ("--ring-size 65536", |o| o.ring_size = Some(1 << 16)),
    ("--toll", |o| o.toll = Some(TollTarget::Stderr)),
    ("--toll=F", |o| o.toll = Some(TollTarget::File("F".into()))),
    ("--", |_| {}),
];

#[test]
fn arguments_change_the_defaults() {
    for (line, change) in CASES {
        let mut expected = TraceOptions { command: vec!["prog".into()], ..Default::default() };
        change(&mut expected);
        let parsed = trace(&format!("{line} prog")).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(parsed, expected, "{line}");
    }
}

#[test]
fn options_end_at_the_program() {
    for (line, command) in [
        ("prog -f --help", vec!["prog", "-f", "--help"]),
        ("-- -f -q", vec!["-f", "-q"]),
        ("prog -- x", vec!["prog", "--", "x"]),
        ("- x", vec!["-", "x"]),
    ] {
        let options = trace(line).unwrap();
        assert_eq!(options.command, command, "{line}");
        assert!(!options.follow.forks, "{line}");
    }
}

#[test]
fn errors_say_cause_and_way_out() {
    let cases = [
        ("-f", "must have PROG [ARGS] or -p PID"),
        ("--bogus p", "unrecognized option '--bogus'"),
        ("--sumary p", "unrecognized option '--sumary'; did you mean '--summary'?"),
        ("--sta p", "option '--sta' is ambiguous"),
        ("-j p", "invalid option -- 'j'"),
        ("-o", "option requires an argument -- 'o'"),
        ("--output", "option '--output' requires an argument"),
        ("--follow-forks=yes p", "option '--follow-forks' doesn't allow an argument"),
        ("--follow-f=yes p", "option '--follow-forks' doesn't allow an argument"),
        ("--fo=yes p", "option '--fo=yes' is ambiguous; it may be --follow-forks, --format"),
        ("--bogus=yes p", "unrecognized option '--bogus=yes'"),
        ("--string-l", "option '--string-limit' requires an argument"),
        ("-s x p", "invalid -s argument: 'x'; it takes a number from 0 to 1073741823"),
        ("--string-limit=-1 p", "invalid --string-limit argument: '-1'"),
        ("-s 1073741824 p", "invalid -s argument: '1073741824'"),
        ("--ring-size=3M p", "invalid --ring-size argument: '3M'; it takes a power of two, 16K to"),
        ("--ring-size=8K p", "invalid --ring-size argument: '8K'"),
        ("--ring-size=8192M p", "invalid --ring-size argument: '8192M'"),
        ("--ring-size=K p", "invalid --ring-size argument: 'K'"),
        ("-a 1048577 p", "invalid -a argument: '1048577'; it takes a number from 0 to 1048576"),
        ("-a x p", "invalid -a argument: 'x'"),
        ("-I 5 p", "invalid -I argument: '5'; it is one of anywhere, waiting, never"),
        ("-X foo p", "invalid -X argument: 'foo'; it is one of raw, abbrev, verbose"),
        ("-O 1m p", "invalid -O argument: '1m'"),
        ("-O -1 p", "invalid -O argument: '-1'"),
        ("-b read p", "Syscall 'read' for -b isn't supported; only execve is"),
        ("-S foo p", "invalid sortby: 'foo'; it is one of time,"),
        ("-cU foo p", "unknown column name: 'foo'"),
        (
            "-cU name,syscall,calls p",
            "call summary column has been provided more than once: 'syscall' (-U option residual: \
             'syscall,calls')",
        ),
        ("-p 0", "Invalid process id: '0'; a process id is a number above 0"),
        ("-p 1,x", "Invalid process id: 'x'"),
        ("-p 2147483648", "Invalid process id: '2147483648'"),
        ("-p ,", "Invalid process id: ''"),
        ("-u 1:x p", "invalid -u argument: '1:x'"),
        ("-DDDD p", "Too many -D's (4), maximum supported -D count is 3"),
        ("-D -p 1", "PROG [ARGS] must be specified with -D/--daemonize"),
        ("--timestamps=foo p", "invalid --timestamps argument: 'foo'"),
        ("-o | p", "invalid -o argument: '|'; the command is missing"),
        ("--syscall-limit=0 p", "invalid --syscall-limit argument: '0'"),
        ("-e foo p", "invalid system call 'foo'"),
        ("-e bogus=read p", "invalid system call 'bogus=read'"),
        ("-e opennat p", "invalid system call 'opennat'; did you mean 'openat'?"),
        ("-e status=foo p", "invalid status 'foo'; it takes all, none or a list of successful,"),
        ("-e signal=foo p", "invalid signal 'foo'"),
        ("-t --timestamps=us p", "-t and --absolute-timestamps cannot be provided simultaneously"),
        ("-e quiet=exit -q p", "-q and -e quiet/--quiet cannot be provided simultaneously"),
        ("-y --decode-fds=all p", "-y and --decode-fds cannot be provided simultaneously"),
        ("-c -C p", "-c/--summary-only and -C/--summary are mutually exclusive"),
        ("-c -ff p", "(-c/--summary-only or -C/--summary) and -ff/--output-separately are"),
        ("-ff -o |cat p", "piping the output and -ff/--output-separately are mutually exclusive"),
        ("-w p", "-w/--summary-wall-clock must be given with (-c/--summary-only or -C/--summary)"),
        ("-U name p", "-U/--summary-columns must be given with"),
        ("--kill-on-exit -p 1", "--kill-on-exit and -p/--attach are mutually exclusive"),
        ("--mechanism=seccomp -p 1", "--mechanism=seccomp and -p/--attach are mutually exclusive"),
        ("--mechanism=ptrace --seccomp-bpf p", "--mechanism=ptrace and --seccomp-bpf are"),
        ("-C --json p", "(-c/--summary-only or -C/--summary) and --format=json are mutually"),
        ("-k --stack-trace=source p", "-k and --stack-trace cannot be provided simultaneously"),
        ("--stack-trace=lines p", "invalid --stack-trace argument: 'lines'; it is one of symbol"),
        ("--stack-trace-frame-limit=0 p", "invalid --stack-trace-frame-limit argument: '0'"),
        ("--tips=long p", "invalid --tips argument: 'long'"),
        ("-e kvm=all p", "invalid -e kvm= argument: 'all'"),
        ("-e ! p", "invalid system call '!'; the list names nothing; 'none' is the empty set"),
        (
            "-e inject=read p",
            "invalid inject argument 'read'; it says nothing to do: error=, retval=, signal=, \
             delay_enter=, delay_exit=, poke_enter= or poke_exit=",
        ),
        (
            "--fault=read:retval=1 p",
            "invalid fault argument 'read:retval=1'; behind the calls it takes error=, syscall=, when=",
        ),
        ("-e r=x p", "invalid descriptor 'x'"),
    ];
    for (line, message) in cases {
        match trace(line) {
            Err(error) => assert!(error.to_string().starts_with(message), "{line}: {error}"),
            Ok(options) => panic!("{line}: {options:?}"),
        }
    }
}

#[test]
fn options_without_effect_are_told() {
    let cases = [
        ("-A p", "-A/--output-append-mode has no effect without -o/--output"),
        ("-c -t p", "-t/--absolute-timestamps has no effect with -c/--summary-only"),
        ("-c -e decode-fds=all p", "-y/--decode-fds has no effect with -c/--summary-only"),
        ("--json -tt p", "-t/--absolute-timestamps has no effect with --format=json"),
        ("-S time p", "-S/--summary-sort-by has no effect without (-c/--summary-only or"),
        ("-E A=b -p 1", "-E/--env has no effect without PROG"),
        ("-FF p", "option -F is deprecated, please use -f/--follow-forks instead"),
        ("-Ff p", "deprecated option -F ignored"),
        (
            "-z -Z p",
            "Only the last of -z/--successful-only/-Z/--failed-only options will take effect. \
             See status qualifier for more complex filters.",
        ),
    ];
    for (line, message) in cases {
        let warnings = trace(line).unwrap().warnings;
        assert!(matches!(&warnings[..], [one] if one.starts_with(message)), "{line}: {warnings:?}");
    }
    assert!(["-F p", "-FF p", "-Ff p"].iter().all(|line| {
        let options = trace(line).unwrap();
        options.follow.forks && !options.output.separately
    }));
    for line in ["-C -t -S time p", "-ff p"] {
        assert_eq!(trace(line).unwrap().warnings, [""; 0], "{line}");
    }
}

#[test]
fn a_program_that_is_run_is_followed_and_started() {
    let parsed = parse(&["run", "-f", "--trace", "p"]);
    assert_eq!(parsed, parse(&["run", "--trace", "p"]), "-f says what run does anyway");
    let Ok(Command::Run(options)) = parsed else { panic!("{parsed:?}") };
    assert!(options.follow.forks);
    let parsed = parse(&["run", "--trace", "-ff", "-o", "x", "p"]);
    assert!(
        matches!(&parsed, Ok(Command::Run(options)) if options.output.separately),
        "{parsed:?}"
    );
    for (words, message) in [
        (&["run", "-p", "1"][..], "invalid option -- 'p'; only 'shunpike trace' has -p/--attach"),
        (&["run", "--daemonise", "p"], "unrecognized option '--daemonise'; only 'shunpike trace'"),
        (&["run", "--kill-on-exit", "p"], "unrecognized option '--kill-on-exit'; only 'shunpike"),
        (&["trace", "--root=/", "p"], "unrecognized option '--root=/'; only 'shunpike run' has"),
        (&["run", "-j", "p"], "invalid option -- 'j'"),
    ] {
        let error = parse(words).unwrap_err().to_string();
        assert!(error.starts_with(message), "{words:?}: {error}");
    }
}

#[test]
fn options_about_calls_that_are_not_shown_are_told() {
    let warnings = |words: &[&str]| match parse(words) {
        Ok(Command::Run(options)) => options.warnings,
        other => panic!("{words:?}: {other:?}"),
    };
    assert_eq!(
        warnings(&["run", "-yy", "-o", "x", "p"]),
        [
            "-o/--output has no effect without --trace",
            "-y/--decode-fds has no effect without --trace"
        ]
    );
    for words in [
        &["run", "-yy", "-o", "x", "--trace", "p"][..],
        &["run", "-o", "x", "-e", "trace=read", "p"],
        &["run", "-q", "--toll", "-P", "/", "-e", "inject=read:error=EIO", "p"],
    ] {
        assert_eq!(warnings(words), [""; 0], "{words:?}");
    }
}

#[test]
fn subcommands() {
    assert_eq!(parse(&["doctor"]), Ok(Command::Doctor));
    for words in [
        &["--help"][..],
        &["-h"],
        &["-V"],
        &["--version"],
        &["trace", "-V"],
        &["trace", "--help", "--bogus"],
        &["trace", "-fh"],
        &["doctor", "--help"],
        &["explain", "openat"],
        &["explain", "257"],
        &["explain", "%file"],
        &["explain", "fcntl", "F_SETLK"],
        &["explain", "ioctl", "TCSETS"],
    ] {
        assert!(matches!(parse(words), Ok(Command::Print(text)) if !text.is_empty()), "{words:?}");
    }
    for (words, message) in [
        (&[][..], "must have a subcommand"),
        (&["trac"], "unknown subcommand 'trac'; did you mean 'trace'?"),
        (&["ls"], "unknown subcommand 'ls'"),
        (&["-f"], "invalid option '-f'"),
        (&["doctor", "who"], "unexpected argument 'who'"),
        (&["explain"], "the system call is missing"),
        (&["explain", "opeat"], "unknown system call 'opeat'; did you mean 'openat'?"),
        (&["explain", "9999"], "unknown system call '9999'; explain %file"),
        (&["explain", "%fil"], "unknown class '%fil'; the classes are %file"),
        (&["explain", "fcntl", "F_SETLX"], "nothing of fcntl depends on 'F_SETLX'; did you mean"),
        (&["explain", "close", "x"], "nothing of close depends on 'x'; leave it out"),
    ] {
        let error = parse(words).unwrap_err().to_string();
        assert!(error.starts_with(message), "{words:?}: {error}");
    }
}

#[test]
fn called_strace_it_needs_no_subcommand() {
    let program = Program::new(Some(OsStr::new("/opt/bin/strace")));
    let parsed = program.parse(["-f", "trace"].map(OsString::from)).unwrap();
    let Command::Trace(options) = parsed else { panic!("{parsed:?}") };
    assert!(options.follow.forks);
    assert_eq!(options.command, ["trace"]);
}

#[test]
fn an_error_leads_to_the_help_of_its_subcommand() {
    for (name, arguments, help) in [
        ("strace", &["-j"][..], "strace --help"),
        ("shunpike", &["trace", "-j"], "shunpike trace --help"),
        ("shunpike", &["-j"], "shunpike --help"),
    ] {
        let program = Program::new(Some(OsStr::new(name)));
        let error = program.parse(arguments.iter().map(OsString::from)).unwrap_err();
        let explained = program.explain(&error);
        assert!(explained.starts_with(&format!("{name}: invalid option")), "{explained}");
        assert!(explained.ends_with(&format!("\nTry '{help}' for more information.")), "{help}");
    }
}

/// Arguments that look like options, and arguments that are any bytes.
fn argument() -> impl Strategy<Value = OsString> {
    prop_oneof![
        "-{0,2}[a-zA-Z?-]{0,8}(=[!?%/@a-z0-9,:|=]{0,8})?".prop_map(OsString::from),
        "-[eopsatOSUEuIXbP][!?%/@a-z0-9,:|=]{0,8}".prop_map(OsString::from),
        "-e(trace|t|signal|status|quiet|decode-fds|raw|trace-fds)=[!?%/@a-z0-9,(*]{0,8}"
            .prop_map(OsString::from),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(OsString::from_vec),
    ]
}

proptest! {
    #[test]
    fn no_arguments_panic(
        name in prop_oneof![Just("strace"), Just("shunpike")],
        subcommand in prop_oneof![Just(None), Just(Some(OsString::from("trace")))],
        arguments in prop::collection::vec(argument(), 0..6),
    ) {
        let program = Program::new(Some(OsStr::new(name)));
        if let Err(error) = program.parse(subcommand.into_iter().chain(arguments)) {
            prop_assert!(program.explain(&error).starts_with(name));
        }
    }
}
