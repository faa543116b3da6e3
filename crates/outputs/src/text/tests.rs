//! What is expected here was seen from strace 6.1, run on programs that make these calls.

use std::sync::{Arc, Mutex};

use record::{
    Base, FdDetail, FdDetails, FdInfo, FlagSet, Fraction, GuestAddr, More, Named, Node, Nodes,
    NotRead, Origin, Result, SecurityContext, Socket, SocketName, Value,
};

use super::*;

mod values;

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
        raw_number: number,
        arch: record::Arch::X86_64,
        ip: GuestAddr(0x7fa6_f0a0_0b1d),
        entered: Stamp(1_000_000_000),
        args: nodes(args),
        more: More::Nothing,
        never_returns: false,
        stack: None,
        dump: Vec::new(),
        changes: record::Changes::default(),
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
    ..FlagSet::EMPTY
};

static CLONE: FlagSet = FlagSet {
    unknown: "CLONE_???",
    numbers: &[],
    field_mask: 0,
    field: &[],
    bits: &[Named { value: 0x20_0000, name: "CLONE_CHILD_CLEARTID" }],
    ..FlagSet::EMPTY
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
    let mut raw = call("read", vec![], -512);
    raw.result =
        Some(Result { value: Value::Unsigned(-512_i64 as u64, Base::Hex), ..returned(-512) });
    let line = shown(&[(7, What::Exit(&raw))]);
    assert!(line.ends_with("= -1 ERESTARTSYS (Unknown error 512)\n"), "{line}");
}

#[test]
fn unknown_calls_are_told_by_number() {
    let mut unknown = call("", vec![leaf(Value::Unsigned(1, Base::Hex))], -38);
    unknown.name = None;
    unknown.raw_number = 999;
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
fn descriptors_and_processes_with_what_they_stand_for() {
    let all = FdDetails {
        paths: true,
        sockets: true,
        devices: true,
        pidfds: true,
        signalfds: true,
        eventfds: true,
    };
    let shown_of = |fd, fds, target: &str, deleted, detail| {
        let info = FdInfo { fd, target: target.into(), deleted, detail, context: None };
        let style = ValueStyle { fds, ..ValueStyle::default() };
        value_as(style, leaf(Value::DirFd(fd, Some(Box::leak(Box::new(info))))))
    };
    let shown = |fds, target: &str, deleted, detail| shown_of(3, fds, target, deleted, detail);
    assert_eq!(shown_of(-100, all, "/tmp", true, FdDetail::None), "AT_FDCWD</tmp (deleted)>");
    let nasty = "/tmp/a<b>c\"d\n\x1b";
    assert_eq!(shown(all, nasty, true, FdDetail::None), r#"3</tmp/a\74b\76c\"d\n\33>(deleted)"#);
    assert_eq!(shown(FdDetails::NONE, nasty, true, FdDetail::None), "3");
    let null = || FdDetail::Device { block: false, major: 1, minor: 3 };
    assert_eq!(shown(all, "/dev/null", false, null()), "3</dev/null<char 1:3>>");
    let paths = FdDetails { paths: true, ..FdDetails::NONE };
    assert_eq!(shown(paths, "/dev/null", false, null()), "3</dev/null>");
    for (detail, expected) in [
        (FdDetail::Process(7), "3<pid:7>"),
        (FdDetail::Signals(1 << 9), "3<signalfd:[USR1]>"),
        (FdDetail::Counter(5), "3<eventfd:[5]>"),
    ] {
        assert_eq!(shown(all, "anon_inode:[any]", false, detail), expected);
    }
    let info = FdInfo { fd: 3, target: b"/tmp".to_vec(), ..FdInfo::default() };
    let mut note = Nodes::default();
    note.push(Node { value: Value::Fd(3, Some(&info)), ..Node::default() });
    let mut ready = call("poll", vec![], 1);
    ready.result = Some(Result { note, ..returned(1) });
    let values = ValueStyle { fds: all, ..ValueStyle::default() };
    let style = TextStyle { values, ..TextStyle::default() };
    let text = shown_as(style, &[(7, What::Exit(&ready))]);
    assert!(text.ends_with("= 1 (3)\n"), "{text}");
    let named = ValueStyle {
        command_of: Some(Box::new(|tid| (tid == Tid(7)).then(|| b"cat".to_vec()))),
        ..ValueStyle::default()
    };
    assert_eq!(value_as(named, leaf(Value::Pid(7))), "7<cat>");
}

#[test]
fn security_contexts_by_their_types_or_in_full() {
    let file = SecurityContext {
        actual: b"u:object_r:user_home_t:s0".to_vec(),
        expected: Some(b"u:object_r:etc_t:s0".to_vec()),
    };
    let same =
        SecurityContext { expected: Some(b"v:object_r:user_home_t".to_vec()), ..file.clone() };
    let process = |tid| (tid == Tid(9)).then(|| b"u:r:init_t:s0".to_vec());
    let style = |in_full| ValueStyle {
        contexts: Some(ContextStyle { in_full, of_process: Box::new(process) }),
        ..ValueStyle::default()
    };
    let path = |of: SecurityContext| {
        let context = Some(&*Box::leak(Box::new(of)));
        Value::Path { bytes: b"x", cut: false, context }
    };
    let info = FdInfo { fd: 3, context: Some(same.clone()), ..FdInfo::default() };
    for (value, types, full) in [
        (
            path(file),
            "\"x\" [user_home_t!!etc_t]",
            "\"x\" [u:object_r:user_home_t:s0!!u:object_r:etc_t:s0]",
        ),
        (
            path(same),
            "\"x\" [user_home_t]",
            "\"x\" [u:object_r:user_home_t:s0!!v:object_r:user_home_t]",
        ),
        (
            Value::Fd(3, Some(Box::leak(Box::new(info)))),
            "3 [user_home_t]",
            "3 [u:object_r:user_home_t:s0!!v:object_r:user_home_t]",
        ),
        (Value::Pid(9), "9 [init_t]", "9 [u:r:init_t:s0]"),
        (Value::Pid(8), "8", "8"),
    ] {
        assert_eq!(value_as(style(false), leaf(value)), types);
        assert_eq!(value_as(style(true), leaf(value)), full);
    }
    let line = LineStyle { pids: Pids::Column, ..LineStyle::default() };
    let style = TextStyle { line, values: style(false), ..TextStyle::default() };
    let text = shown_as(style, &[(9, What::Exited { status: 0 })]);
    assert_eq!(text, "9     [init_t] +++ exited with 0 +++\n");
}

#[test]
fn the_command_of_a_thread_that_is_gone() {
    let now = Arc::new(Mutex::new(Some("sh")));
    let asked = Arc::clone(&now);
    let values = ValueStyle {
        command_of: Some(Box::new(move |_| asked.lock().unwrap().map(|name| name.into()))),
        ..ValueStyle::default()
    };
    let line = LineStyle { pids: Pids::Column, ..LineStyle::default() };
    let page = Page::default();
    let style = TextStyle { line, values, ..TextStyle::default() };
    let mut text = Text::new(style, Sink::live(Box::new(page.clone())));
    for (name, what) in [
        (Some("sh"), What::Stopped { signal: 19, ip: None }),
        (Some("true"), What::Executed),
        (None, What::Exited { status: 0 }),
    ] {
        *now.lock().unwrap() = name;
        text.event(&Event { tid: Tid(7), time: Stamp(0), what }).unwrap();
    }
    let expected = "7<sh> --- stopped by SIGSTOP ---\n7<true> +++ exited with 0 +++\n";
    assert_eq!(*page.0.lock().unwrap(), expected.as_bytes());
}

#[test]
fn where_a_stopped_thread_stands() {
    let line = LineStyle { instruction_pointer: true, ..LineStyle::default() };
    let style = TextStyle { line, ..TextStyle::default() };
    let text = shown_as(style, &[(7, What::Stopped { signal: 19, ip: Some(GuestAddr(0x42)) })]);
    assert_eq!(text, "[0000000000000042] --- stopped by SIGSTOP ---\n");
}

#[test]
fn sockets_by_their_addresses() {
    let shown = |protocol: &str, name| {
        let socket = Socket { protocol: protocol.into(), inode: 9, name };
        let detail = FdDetail::Socket(socket);
        let info =
            FdInfo { fd: 3, target: b"socket:[9]".into(), deleted: false, detail, context: None };
        let fds = FdDetails { paths: true, sockets: true, ..FdDetails::NONE };
        let style = ValueStyle { fds, ..ValueStyle::default() };
        value_as(style, leaf(Value::Fd(3, Some(Box::leak(Box::new(info))))))
    };
    let inet = |local: &str, peer: Option<&str>| SocketName::Inet {
        local: local.parse().unwrap(),
        peer: peer.map(|peer| peer.parse().unwrap()),
    };
    let unix = |peer, path: &[u8]| SocketName::Unix { peer, path: path.into() };
    let netlink = |protocol, port| SocketName::Netlink { protocol, port };
    for (protocol, name, expected) in [
        ("PACKET", SocketName::None, "3<socket:[9]>"),
        ("RAW", SocketName::None, "3<RAW:[9]>"),
        ("MPTCP", SocketName::None, "3<socket:[9]>"),
        ("MPTCP", inet("127.0.0.1:80", None), "3<TCP:[127.0.0.1:80]>"),
        ("TCP", inet("127.0.0.1:80", None), "3<TCP:[127.0.0.1:80]>"),
        ("TCPv6", inet("[::1]:1", Some("[::1]:2")), "3<TCPv6:[[::1]:1->[::1]:2]>"),
        ("UNIX", unix(Some(8), b""), "3<UNIX:[9->8]>"),
        ("UNIX", unix(None, b"/tmp/<a\""), r#"3<UNIX:[9,"/tmp/<a\""]>"#),
        ("UNIX", unix(Some(8), b"\0b\x01"), r#"3<UNIX:[9->8,@"b\1"]>"#),
        ("NETLINK", netlink(0, 77), "3<NETLINK:[ROUTE:77]>"),
        ("NETLINK", netlink(31, 1), "3<NETLINK:[31:1]>"),
    ] {
        assert_eq!(shown(protocol, name), expected);
    }
}

#[test]
fn a_call_is_broken_off_when_another_thread_speaks() {
    let entered = |name, args, more| Record { more, ..record(name, 0, args) };
    let wait = entered("wait4", vec![leaf(number(-1))], More::Arguments);
    let waited = call("wait4", vec![leaf(number(-1)), leaf(number(0))], 8);
    let pause = entered("pause", vec![], More::Nothing);
    let sleep = entered("alarm", vec![leaf(number(5))], More::Nothing);
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
wait4(-1, strace: Process 8 attached
 <unfinished ...>
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
fn what_a_call_makes_of_an_argument_is_shown_at_its_end() {
    let given = || Tree("", Value::Struct, vec![field("flags", number(1))]);
    let answer = || Tree("", Value::Struct, vec![field("parent_tid", number(8))]);
    let entered = Record { more: More::Answer, ..record("clone3", 0, vec![given()]) };
    let change = Tree("", Value::Change, vec![given(), answer()]);
    let made = call("clone3", vec![change, leaf(number(88))], 8);
    let refused = call("clone3", vec![given(), leaf(number(88))], 0);
    let text = shown(&[
        (7, What::Attached { parent: None, process: Tid(7) }),
        (7, What::Enter(&entered)),
        (7, What::Exit(&made)),
        (7, What::Enter(&entered)),
        (7, What::Exit(&refused)),
        (7, What::Enter(&entered)),
        (8, What::Attached { parent: Some(Tid(7)), process: Tid(8) }),
        (7, What::Exit(&made)),
    ]);
    let expected = "\
clone3({flags=1} => {parent_tid=8}, 88) = 8
clone3({flags=1}, 88)                   = 0
clone3({flags=1}strace: Process 8 attached
 => {parent_tid=8}, 88) = 8
";
    assert_eq!(text, expected);
}

#[test]
fn a_thread_that_dies_within_a_call_leaves_it_unfinished() {
    let read = || Record { more: More::Arguments, ..record("read", 0, vec![leaf(number(3))]) };
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
read(3,  <unfinished ...>)              = ?
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
        (7, What::Signal { signal: 17, origin: Origin { info: &info, ip: None, stack: None } }),
        (7, What::Signal { signal: 77, origin: Origin { info: &none, ip: None, stack: None } }),
        (7, What::Stopped { signal: 19, ip: None }),
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
    let close = call("close", vec![leaf(number(3))], 0);
    let events = [(7, What::Exit(&close)), (7, What::Enter(&pause)), (7, What::Detached)];
    let expected = "pause(strace: Process 7 detached\n <detached ...>\n";
    assert!(shown(&events).ends_with(expected));
    let status = StatusFilter { successful: false, ..StatusFilter::ALL };
    let quiet = Quiet { attach: true, ..Quiet::default() };
    let picking = |status| TextStyle { status, quiet, ..TextStyle::default() };
    assert_eq!(shown_as(picking(status), &events), "pause( <detached ...>\n");
    let read = Record { more: More::Arguments, ..record("read", 0, vec![leaf(number(3))]) };
    let events = [(7, What::Enter(&read)), (7, What::Detached)];
    assert_eq!(shown_as(picking(status), &events), "read(3,  <detached ...>\n");
    let status = StatusFilter { detached: false, ..StatusFilter::ALL };
    assert!(!shown_as(picking(status), &events).contains("detached"));
}

#[test]
fn threads_with_files_of_their_own_do_not_break_each_other_off() {
    let folder = std::env::temp_dir().join(format!("shunpike-text-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pids = LineStyle { pids: Pids::Never, ..LineStyle::default() };
    let quiet = Quiet { attach: true, ..Quiet::default() };
    let style = TextStyle { line: pids, quiet, ..TextStyle::default() };
    let mut text = Text::new(style, Sink::per_thread(folder.join("t"), false));
    let [pause, exec] = ["pause", "execve"].map(|name| record(name, 34, vec![]));
    let [paused, done] = ["pause", "execve"].map(|name| call(name, vec![], 0));
    for (tid, what) in [
        (7, What::Enter(&pause)),
        (8, What::Enter(&exec)),
        (7, What::Exit(&paused)),
        (7, What::Superseded { by: Tid(8) }),
        (7, What::Exit(&done)),
    ] {
        text.event(&Event { tid: Tid(tid), time: Stamp(0), what }).unwrap();
    }
    text.finish().unwrap();
    let [leader, caller] = ["t.7", "t.8"].map(|name| folder.join(name));
    let expected = "\
pause()                                 = 0
+++ superseded by execve in pid 8 +++
<... execve resumed>)                   = 0
";
    assert_eq!(std::fs::read_to_string(leader).unwrap(), expected);
    let expected = "execve( <pid changed to 7 ...>\n";
    assert_eq!(std::fs::read_to_string(caller).unwrap(), expected);
    std::fs::remove_dir_all(&folder).unwrap();
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
