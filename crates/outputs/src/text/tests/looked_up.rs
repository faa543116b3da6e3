//! What numbers and names stand for: descriptors, processes, sockets, contexts.

use super::*;

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
