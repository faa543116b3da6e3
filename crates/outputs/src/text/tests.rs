//! What is expected here was seen from strace 6.1, run on programs that make these calls.

use std::sync::{Arc, Mutex};

use record::{Base, FlagSet, Fraction, GuestAddr, Named, Node, NotRead, Result, Value};

use super::*;

/// A writer whose bytes can be looked at.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A tree of values: what a record has in one row.
struct Tree(&'static str, Value<'static>, Vec<Tree>);

fn leaf(value: Value<'static>) -> Tree {
    Tree("", value, Vec::new())
}

fn field(name: &'static str, value: Value<'static>) -> Tree {
    Tree(name, value, Vec::new())
}

fn text(bytes: &'static str) -> Value<'static> {
    Value::Str { bytes: bytes.as_bytes(), cut: false }
}

fn number(number: i64) -> Value<'static> {
    Value::Signed(number)
}

fn nodes(trees: Vec<Tree>) -> Nodes<'static> {
    fn append(nodes: &mut Nodes<'static>, Tree(name, value, children): Tree) {
        let verbose = name.starts_with("verbose_");
        let place = nodes.push(Node { name, value, verbose, ..Node::default() });
        children.into_iter().for_each(|child| append(nodes, child));
        nodes.close(place);
    }
    let mut nodes = Nodes::default();
    trees.into_iter().for_each(|tree| append(&mut nodes, tree));
    nodes
}

fn record(name: &'static str, number: u64, args: Vec<Tree>) -> Record<'static> {
    Record {
        name: Some(name),
        number,
        arch: record::Arch::X86_64,
        ip: GuestAddr(0x7fa6_f0a0_0b1d),
        entered: Stamp(1_000_000_000),
        args: nodes(args),
        more_args: false,
        never_returns: false,
        result: None,
    }
}

fn returned(raw: i64) -> Result<'static> {
    Result {
        time: Stamp(1_000_056_000),
        cpu: 0,
        raw,
        failed: (-4095..0).contains(&raw),
        value: Value::Signed(raw),
        label: "",
        note: Nodes::default(),
    }
}

fn call(name: &'static str, args: Vec<Tree>, raw: i64) -> Record<'static> {
    Record { result: Some(returned(raw)), ..record(name, 3, args) }
}

/// What an output with this look makes of these events.
fn shown_as(style: TextStyle, events: &[(i32, What<'_>)]) -> String {
    let page = Page::default();
    let mut text = Text::new(style, Sink::live(Box::new(page.clone())));
    for (tid, what) in events {
        text.event(&Event { tid: Tid(*tid), time: Stamp(2_000_000_000), what: *what }).unwrap();
    }
    text.finish().unwrap();
    let bytes = page.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn shown(events: &[(i32, What<'_>)]) -> String {
    shown_as(TextStyle::default(), events)
}

fn line(record: &Record<'_>) -> String {
    shown(&[(7, What::Exit(record))]).trim_end().to_owned()
}

/// How a value looks as an argument.
fn value_as(style: ValueStyle, tree: Tree) -> String {
    let style = TextStyle { values: style, ..TextStyle::default() };
    let record = call("f", vec![tree], 0);
    let line = shown_as(style, &[(7, What::Exit(&record))]);
    let end = line.rfind(')').unwrap();
    line[2..end].to_owned()
}

fn value(tree: Tree) -> String {
    value_as(ValueStyle::default(), tree)
}

fn verbose() -> ValueStyle {
    ValueStyle { abbreviated: Some(Box::new(|_| false)), ..ValueStyle::default() }
}

static OPEN: FlagSet = FlagSet {
    unknown: "O_???",
    numbers: &[],
    field_mask: 3,
    field: &[Named { value: 0, name: "O_RDONLY" }, Named { value: 2, name: "O_RDWR" }],
    bits: &[Named { value: 0x8000, name: "O_LARGEFILE" }],
};

static CLONE: FlagSet = FlagSet {
    unknown: "CLONE_???",
    numbers: &[],
    field_mask: 0,
    field: &[],
    bits: &[Named { value: 0x20_0000, name: "CLONE_CHILD_CLEARTID" }],
};

#[test]
fn results_stand_in_their_column_or_one_space_behind() {
    let short = call("close", vec![leaf(number(3))], 0);
    assert_eq!(line(&short), "close(3)                                = 0");
    let exact = call("write", vec![leaf(text("0123456789012345678901234567"))], 1);
    assert_eq!(line(&exact), "write(\"0123456789012345678901234567\")   = 1");
    let long = call("write", vec![leaf(text("01234567890123456789012345678901"))], 1);
    assert_eq!(line(&long), "write(\"01234567890123456789012345678901\") = 1");
}

#[test]
fn errors_have_names_and_words() {
    let failed = call("close", vec![leaf(number(99))], -9);
    assert!(line(&failed).ends_with("= -1 EBADF (Bad file descriptor)"));
    let restarted = call("pause", vec![], -512);
    let expected = "pause()                                 = ? ERESTARTSYS (To be restarted if SA_RESTART is set)";
    assert_eq!(line(&restarted), expected);
}

#[test]
fn unknown_calls_are_told_by_number() {
    let mut unknown = call("", vec![leaf(Value::Unsigned(1, Base::Hex))], -38);
    unknown.name = None;
    unknown.number = 999;
    assert!(line(&unknown).starts_with("syscall_0x3e7(0x1)  "));
}

#[test]
fn notes_stand_in_parentheses() {
    let with = |raw, label, note| {
        let mut record = call("f", vec![], raw);
        record.result = Some(Result { label, note, ..returned(raw) });
        line(&record).split_once("= ").unwrap().1.to_owned()
    };
    assert_eq!(with(0, "Timeout", nodes(vec![])), "0 (Timeout)");
    let flags = nodes(vec![leaf(Value::Flags(0x8002, &OPEN))]);
    assert_eq!(with(0x8002, "flags", flags), "32770 (flags O_RDWR|O_LARGEFILE)");
    let date = nodes(vec![leaf(Value::Date(1_795_304_208, None))]);
    assert_eq!(with(7, "", date), "7 (2026-11-21T23:36:48+0000)");
    let ready = vec![leaf(number(1)), leaf(number(6))];
    let mut note = Nodes::default();
    for (name, tree) in [("out", Tree("", Value::Set, ready)), ("left", leaf(number(5)))] {
        let place = note.push(Node { name, named: true, value: tree.1, ..Node::default() });
        for child in tree.2 {
            note.push(Node { value: child.1, ..Node::default() });
        }
        note.close(place);
    }
    assert_eq!(with(2, "", note), "2 (out [1 6], left 5)");
}

#[test]
fn results_that_are_addresses() {
    let with = |value| {
        let mut record = call("f", vec![], 0);
        record.result = Some(Result { value, ..returned(0) });
        line(&record).split_once("= ").unwrap().1.to_owned()
    };
    assert_eq!(with(Value::Addr(GuestAddr::NULL, NotRead::Opaque)), "0");
    assert_eq!(with(Value::Addr(GuestAddr(0x7f00), NotRead::Opaque)), "0x7f00");
}

#[test]
fn structs_fold_what_is_verbose() {
    let stat = || {
        let fraction = Some(Fraction { value: 7, digits: 9 });
        let fields = vec![
            field("verbose_ino", number(613)),
            field("st_mode", Value::FileMode(0o100_644)),
            field("st_atime", Value::Date(5, fraction)),
        ];
        Tree("", Value::Struct, fields)
    };
    let shown = "st_mode=S_IFREG|0644, st_atime=5 /* 1970-01-01T00:00:05.000000007+0000 */";
    assert_eq!(value(stat()), format!("{{{shown}, ...}}"));
    assert_eq!(value_as(verbose(), stat()), format!("{{verbose_ino=613, {shown}}}"));
    let hidden = Tree("", Value::Struct, vec![field("verbose_ino", number(1))]);
    assert_eq!(value(hidden), "{...}");
}

#[test]
fn a_point_in_time_has_its_date_behind_it() {
    let fields = vec![field("tv_sec", number(5)), field("tv_usec", number(7))];
    let expected = "{tv_sec=5, tv_usec=7} /* 1970-01-01T00:00:05.000007+0000 */";
    let instant = Value::Instant(5, Fraction { value: 7, digits: 6 });
    assert_eq!(value(Tree("", instant, fields)), expected);
    let none = Value::Instant(0, Fraction { value: 0, digits: 6 });
    assert_eq!(value(Tree("", none, vec![field("tv_sec", number(0))])), "{tv_sec=0}");
}

#[test]
fn strings_are_cut_but_paths_are_not() {
    let long = "012345678901234567890123456789012";
    assert_eq!(value(leaf(text(long))), "\"01234567890123456789012345678901\"...");
    let path = Value::Path { bytes: long.as_bytes(), cut: false };
    assert_eq!(value(leaf(path)), format!("\"{long}\""));
    let random = Value::HexBytes { bytes: b"ab", cut: false };
    assert_eq!(value(leaf(random)), r#""\x61\x62""#);
    let cut = Value::Bytes { bytes: b"ab", cut: true };
    assert_eq!(value(leaf(cut)), "\"ab\"...");
    let none = ValueStyle { string_limit: 0, ..ValueStyle::default() };
    assert_eq!(value_as(none, leaf(text("a"))), "\"\"...");
}

#[test]
fn arrays_are_cut_as_strings_are() {
    let array = |more: Option<Value<'static>>| {
        let mut all: Vec<Tree> = (0..3).map(|at| leaf(number(at))).collect();
        all.extend(more.map(leaf));
        Tree("", Value::Array, all)
    };
    let three = || ValueStyle { string_limit: 3, ..ValueStyle::default() };
    assert_eq!(value_as(three(), array(None)), "[0, 1, 2]");
    assert_eq!(value_as(three(), array(Some(number(3)))), "[0, 1, 2, ...]");
    assert_eq!(value_as(three(), array(Some(Value::More(Some(9))))), "[0, 1, 2, ...]");
    let unreadable = Some(Value::MoreAt(GuestAddr(0x7f00)));
    assert_eq!(value(array(unreadable)), "[0, 1, 2, ... /* 0x7f00 */]");
    let all = ValueStyle { string_limit: 2, ..verbose() };
    assert_eq!(value_as(all, array(None)), "[0, 1, 2]");
    assert_eq!(value(leaf(Value::Array)), "[]");
}

#[test]
fn vectors_are_counted_or_shown() {
    let vector = |count, unit| {
        let strings = (0..count).map(|_| leaf(text("x"))).collect();
        Tree("", Value::Counted(GuestAddr(0x7ff0), count, unit), strings)
    };
    assert_eq!(value(vector(35, "vars")), "0x7ff0 /* 35 vars */");
    assert_eq!(value(vector(1, "vars")), "0x7ff0 /* 1 var */");
    assert_eq!(value(vector(2, "vars, unterminated")), "0x7ff0 /* 2 vars, unterminated */");
    assert_eq!(value(vector(0, "entries")), "0x7ff0 /* 0 entries */");
    assert_eq!(value(vector(1, "entries")), "0x7ff0 /* 1 entry */");
    assert_eq!(value_as(verbose(), vector(2, "vars")), "[\"x\", \"x\"]");
    assert_eq!(value_as(verbose(), vector(0, "vars")), "[]");
}

#[test]
fn addresses_of_sockets() {
    let mut loopback = [0; 16];
    loopback[15] = 1;
    let shown = |constants| {
        let port = leaf(Value::Unsigned(80, Base::Dec));
        let fields = vec![
            Tree("sin_port", Value::Form("htons"), vec![port]),
            field("sin_addr", Value::Inet4([127, 0, 0, 1])),
            field("sin6_addr", Value::Inet6(loopback)),
        ];
        let style = ValueStyle { constants, ..ValueStyle::default() };
        value_as(style, Tree("", Value::Struct, fields))
    };
    let [port, v4] = [r#""\x00\x50""#, r#""\x7f\x00\x00\x01""#];
    let v6 = format!("\"{}\\x01\"", r"\x00".repeat(15));
    let abbrev = r#"{sin_port=htons(80), sin_addr=inet_addr("127.0.0.1"), inet_pton(AF_INET6, "::1", &sin6_addr)}"#;
    assert_eq!(shown(Constants::Abbrev), abbrev);
    let raw = format!("{{sin_port={port}, sin_addr={v4}, sin6_addr={v6}}}");
    assert_eq!(shown(Constants::Raw), raw);
    let meant = ["htons(80)", r#"inet_addr("127.0.0.1")"#, r#"inet_pton(AF_INET6, "::1")"#];
    let [a, b, c] = meant;
    let verbose =
        format!("{{sin_port={port} /* {a} */, sin_addr={v4} /* {b} */, sin6_addr={v6} /* {c} */}}");
    assert_eq!(shown(Constants::Verbose), verbose);
    assert_eq!(value(leaf(Value::Abstract(b"a\0b"))), r#"@"a\0b""#);
    let changed = Tree("", Value::Change, vec![leaf(number(100)), leaf(number(16))]);
    assert_eq!(value(Tree("", Value::Array, vec![changed])), "[100 => 16]");
}

#[test]
fn numbers_with_a_meaning() {
    for (scalar, abbrev, raw, verbose) in [
        (Value::Perm(0), "000", "000", "000"),
        (Value::Perm(0o22), "022", "022", "022"),
        (Value::Perm(0o4755), "04755", "04755", "04755"),
        (
            Value::FileMode(0o106_755),
            "S_IFREG|S_ISUID|S_ISGID|0755",
            "0106755",
            "0106755 /* S_IFREG|S_ISUID|S_ISGID|0755 */",
        ),
        (Value::FileMode(0o10_000), "S_IFIFO|000", "010000", "010000 /* S_IFIFO|000 */"),
        (
            Value::Dev(0x10_052c),
            "makedev(0x5, 0x12c)",
            "0x10052c",
            "0x10052c /* makedev(0x5, 0x12c) */",
        ),
        (Value::Signal(17), "SIGCHLD", "17", "17 /* SIGCHLD */"),
        (Value::Signal(99), "99", "99", "99"),
        (Value::DirFd(-100, None), "AT_FDCWD", "-100", "-100 /* AT_FDCWD */"),
        (Value::Ioctl(0x5401, Some("TCGETS")), "TCGETS", "0x5401", "0x5401 /* TCGETS */"),
        (
            Value::Ioctl(0x8004_5401, None),
            "_IOC(_IOC_READ, 0x54, 0x1, 0x4)",
            "0x80045401",
            "0x80045401 /* _IOC(_IOC_READ, 0x54, 0x1, 0x4) */",
        ),
        (
            Value::Ioctl(0xc04d_9907, None),
            "_IOC(_IOC_READ|_IOC_WRITE, 0x99, 0x7, 0x4d)",
            "0xc04d9907",
            "0xc04d9907 /* _IOC(_IOC_READ|_IOC_WRITE, 0x99, 0x7, 0x4d) */",
        ),
        (
            Value::CloneFlags(0x20_0011, &CLONE),
            "CLONE_CHILD_CLEARTID|SIGCHLD",
            "0x200000|17",
            "0x200000 /* CLONE_CHILD_CLEARTID */|17 /* SIGCHLD */",
        ),
        (Value::CloneFlags(17, &CLONE), "SIGCHLD", "17", "17 /* SIGCHLD */"),
        (Value::Errno(2), "ENOENT", "2", "2 /* ENOENT */"),
        (Value::Id(u32::MAX), "-1", "-1", "-1"),
        (Value::Id(u32::MAX - 1), "4294967294", "4294967294", "4294967294"),
        (Value::Limit(8 << 20, "INF"), "8192*1024", "8388608", "8388608 /* 8192*1024 */"),
        (Value::Limit(1024, "INF"), "1024", "1024", "1024"),
        (
            Value::Limit(u64::MAX, "INF"),
            "INF",
            "18446744073709551615",
            "18446744073709551615 /* INF */",
        ),
        (Value::Ticks(0), "0", "0", "0"),
        (Value::Ticks(46), "46 /* 0.46 s */", "46 /* 0.46 s */", "46 /* 0.46 s */"),
        (Value::Mask(0x11, 8), "0x000011", "0x000011", "0x000011"),
        (Value::Mask(0, 8), "00000000", "00000000", "00000000"),
        (Value::Unsigned(0, Base::Hex), "0", "0", "0"),
        (Value::Unsigned(8, Base::Oct), "010", "010", "010"),
        (Value::Addr(GuestAddr::NULL, NotRead::Opaque), "NULL", "NULL", "NULL"),
        (Value::Name(1, "SIG_IGN"), "SIG_IGN", "0x1", "0x1 /* SIG_IGN */"),
    ] {
        let looks = [Constants::Abbrev, Constants::Raw, Constants::Verbose].map(|constants| {
            value_as(ValueStyle { constants, ..ValueStyle::default() }, leaf(scalar))
        });
        assert_eq!(looks, [abbrev, raw, verbose], "{scalar:?}");
    }
}

#[test]
fn wait_statuses() {
    for (status, expected) in [
        (0x300, "{WIFEXITED(s) && WEXITSTATUS(s) == 3}"),
        (9, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}"),
        (0x8b, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}"),
        (0x137f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}"),
        (0x857f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP | 0x80}"),
        (0xffff, "{WIFCONTINUED(s)}"),
    ] {
        assert_eq!(value(leaf(Value::WaitStatus(status))), expected);
    }
}

#[test]
fn descriptors_and_processes_with_what_they_stand_for() {
    let info: &'static record::FdInfo =
        Box::leak(Box::new(record::FdInfo { fd: 3, target: b"/tmp/a<b>c\"d\n\x1b".to_vec() }));
    let fd = leaf(Value::Fd(3, Some(info)));
    assert_eq!(value(fd), r#"3</tmp/a\74b\76c\"d\n\33>"#);
    let mut note = Nodes::default();
    note.push(Node { value: Value::Fd(3, Some(info)), ..Node::default() });
    let mut ready = call("poll", vec![], 1);
    ready.result = Some(Result { note, ..returned(1) });
    assert!(line(&ready).ends_with("= 1 (3)"));
    let named = ValueStyle {
        command_of: Some(Box::new(|tid| (tid == Tid(7)).then(|| b"cat".to_vec()))),
        ..ValueStyle::default()
    };
    assert_eq!(value_as(named, leaf(Value::Pid(7))), "7<cat>");

    let alive = Arc::new(Mutex::new(true));
    let asked = Arc::clone(&alive);
    let values = ValueStyle {
        command_of: Some(Box::new(move |_| asked.lock().unwrap().then(|| b"cat".to_vec()))),
        ..ValueStyle::default()
    };
    let line = LineStyle { pids: Pids::Column, ..LineStyle::default() };
    let page = Page::default();
    let style = TextStyle { line, values, ..TextStyle::default() };
    let mut text = Text::new(style, Sink::live(Box::new(page.clone())));
    for what in [What::Stopped { signal: 19 }, What::Exited { status: 0 }] {
        text.event(&Event { tid: Tid(7), time: Stamp(0), what }).unwrap();
        *alive.lock().unwrap() = false;
    }
    let expected = "7<cat> --- stopped by SIGSTOP ---\n7<cat> +++ exited with 0 +++\n";
    assert_eq!(*page.0.lock().unwrap(), expected.as_bytes());
}

#[test]
fn a_call_is_broken_off_when_another_thread_speaks() {
    let entered = |name, args, more_args| Record { more_args, ..record(name, 0, args) };
    let wait = entered("wait4", vec![leaf(number(-1))], true);
    let waited = call("wait4", vec![leaf(number(-1)), leaf(number(0))], 8);
    let pause = entered("pause", vec![], false);
    let sleep = entered("alarm", vec![leaf(number(5))], false);
    let slept = call("alarm", vec![leaf(number(5))], 0);
    let close = call("close", vec![leaf(number(3))], 0);
    let text = shown(&[
        (7, What::Attached { parent: None, process: Tid(7) }),
        (7, What::Enter(&sleep)),
        (7, What::Exit(&slept)),
        (7, What::Enter(&wait)),
        (8, What::Attached { parent: Some(Tid(7)), process: Tid(8) }),
        (8, What::Enter(&pause)),
        (7, What::Exit(&waited)),
        (7, What::Enter(&sleep)),
        (8, What::Unfinished(&pause)),
        (8, What::Killed { signal: 9, core_dumped: false }),
        (7, What::Exit(&slept)),
        (7, What::Exit(&close)),
    ]);
    let expected = "\
alarm(5)                                = 0
wait4(-1,  <unfinished ...>
strace: Process 8 attached
[pid     8] pause( <unfinished ...>
[pid     7] <... wait4 resumed>0)       = 8
[pid     7] alarm(5 <unfinished ...>
[pid     8] <... pause resumed>)        = ?
[pid     8] +++ killed by SIGKILL +++
<... alarm resumed>)                    = 0
close(3)                                = 0
";
    assert_eq!(text, expected);
}

#[test]
fn a_thread_that_dies_within_a_call_leaves_it_unfinished() {
    let read = || Record { more_args: true, ..record("read", 0, vec![leaf(number(3))]) };
    let exit = record("exit_group", 231, vec![leaf(number(3))]);
    let exit = Record { never_returns: true, ..exit };
    let (announced, told) = (read(), read());
    let text = shown(&[
        (7, What::Enter(&announced)),
        (7, What::Unfinished(&announced)),
        (7, What::Unfinished(&told)),
        (7, What::Enter(&exit)),
        (7, What::Unfinished(&exit)),
        (7, What::Exited { status: 3 }),
    ]);
    let expected = "\
read(3,  <unfinished ...>)              = ?
read(3 <unfinished ...>)                = ?
exit_group(3)                           = ?
+++ exited with 3 +++
";
    assert_eq!(text, expected);
}

#[test]
fn an_exec_of_another_thread_goes_on_under_the_leaders_id() {
    let exec = record("execve", 59, vec![leaf(text("/bin/true"))]);
    let done = call("execve", vec![leaf(text("/bin/true"))], 0);
    let pause = record("pause", 34, vec![]);
    let text = shown(&[
        (7, What::Attached { parent: None, process: Tid(7) }),
        (9, What::Attached { parent: Some(Tid(7)), process: Tid(7) }),
        (7, What::Enter(&pause)),
        (9, What::Enter(&exec)),
        (7, What::Unfinished(&pause)),
        (7, What::Superseded { by: Tid(9) }),
        (7, What::Exit(&done)),
    ]);
    let expected = "\
strace: Process 9 attached
[pid     7] pause( <unfinished ...>
[pid     9] execve(\"/bin/true\" <unfinished ...>
[pid     7] <... pause resumed>)        = ?
+++ superseded by execve in pid 9 +++
<... execve resumed>)                   = 0
";
    assert_eq!(text, expected);
}

#[test]
fn signals_and_stops() {
    let info = nodes(vec![Tree("", Value::Struct, vec![field("si_signo", Value::Signal(17))])]);
    let none = Nodes::default();
    let text = shown(&[
        (7, What::Signal { signal: 17, info: &info }),
        (7, What::Signal { signal: 77, info: &none }),
        (7, What::Stopped { signal: 19 }),
        (7, What::Killed { signal: 11, core_dumped: true }),
    ]);
    let expected = "\
--- SIGCHLD {si_signo=SIGCHLD} ---
--- 77 ---
--- stopped by SIGSTOP ---
+++ killed by SIGSEGV (core dumped) +++
";
    assert_eq!(text, expected);
}

#[test]
fn a_thread_let_go_within_a_call() {
    let pause = record("pause", 34, vec![]);
    let text = shown(&[(7, What::Enter(&pause)), (7, What::Detached)]);
    assert_eq!(text, "pause( <detached ...>\n");
}

#[test]
fn what_stands_before_a_line() {
    let close = call("close", vec![leaf(number(3))], 0);
    let with = |change: &dyn Fn(&mut LineStyle)| {
        let mut line = LineStyle { result_column: 0, ..LineStyle::default() };
        change(&mut line);
        let events = [(7, What::Exit(&close)), (7, What::Exited { status: 0 })];
        let text = shown_as(TextStyle { line, ..TextStyle::default() }, &events);
        text.replace("close(3) = 0", "C").replace("+++ exited with 0 +++", "E")
    };
    let time = |format, precision| {
        move |line: &mut LineStyle| line.absolute_time = Some((format, precision))
    };
    assert_eq!(with(&|_| {}), "C\nE\n");
    assert_eq!(with(&|line| line.pids = Pids::Column), "7     C\n7     E\n");
    assert_eq!(with(&|line| line.pids = Pids::Always), "[pid     7] C\n[pid     7] E\n");
    assert_eq!(with(&|line| line.call_number = true), "[   3] C\n[   3] E\n");
    let ip = with(&|line| line.instruction_pointer = true);
    assert_eq!(ip, "[00007fa6f0a00b1d] C\n[????????????????] E\n");
    assert_eq!(with(&time(TimeFormat::TimeOfDay, Precision::Seconds)), "00:00:01 C\n00:00:02 E\n");
    assert_eq!(with(&time(TimeFormat::Unix, Precision::Millis)), "1.000 C\n2.000 E\n");
    let since = |line: &mut LineStyle| line.relative_time = Some(Precision::Micros);
    assert_eq!(with(&since), "     0.000000 C\n     1.000000 E\n");
    let both = with(&|line| {
        line.absolute_time = Some((TimeFormat::Unix, Precision::Seconds));
        line.relative_time = Some(Precision::Seconds);
    });
    assert_eq!(both, "1 (+     0) C\n2 (+     1) E\n");
    let spent = with(&|line| line.call_time = Some(Precision::Micros));
    assert_eq!(spent, "C <0.000056>\nE\n");
}

#[test]
fn calls_are_picked_by_their_end() {
    let good = call("close", vec![leaf(number(3))], 0);
    let bad = call("close", vec![leaf(number(4))], -9);
    let ended = record("exit_group", 231, vec![leaf(number(0))]);
    let only = |status| {
        let style = TextStyle { status, ..TextStyle::default() };
        let text = shown_as(
            style,
            &[
                (7, What::Enter(&good)),
                (7, What::Exit(&good)),
                (7, What::Exit(&bad)),
                (7, What::Unfinished(&ended)),
            ],
        );
        text.lines().map(|line| line.split_once(')').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let none = StatusFilter {
        successful: false,
        failed: false,
        unfinished: false,
        unavailable: false,
        detached: false,
    };
    assert_eq!(only(StatusFilter { successful: true, ..none }), ["close(3"]);
    assert_eq!(only(StatusFilter { failed: true, ..none }), ["close(4"]);
    assert_eq!(only(StatusFilter { unfinished: true, ..none }), ["exit_group(0"]);
}

#[test]
fn colours_change_nothing_but_colours() {
    let plain = call("open", vec![leaf(text("/x")), leaf(Value::Flags(2, &OPEN))], -2);
    let style = ValueStyle { color: true, ..ValueStyle::default() };
    let line_style = LineStyle { pids: Pids::Always, ..LineStyle::default() };
    let style = TextStyle { values: style, line: line_style, ..TextStyle::default() };
    let colored = shown_as(style, &[(7, What::Exit(&plain))]);
    assert!(colored.contains("\x1b[32m\"/x\"\x1b[0m"));
    let mut bare = String::new();
    let mut rest = colored.as_str();
    while let Some((text, code)) = rest.split_once('\x1b') {
        bare += text;
        rest = code.split_once('m').unwrap().1;
    }
    bare += rest;
    let pid = LineStyle { pids: Pids::Always, ..LineStyle::default() };
    let expected =
        shown_as(TextStyle { line: pid, ..TextStyle::default() }, &[(7, What::Exit(&plain))]);
    assert_eq!(bare, expected);
}
