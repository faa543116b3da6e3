use std::sync::{Arc as Shared, Mutex};

use proptest::prelude::*;
use record::{
    Base, FdDetail, FdInfo, GuestAddr, Node, NotRead, Origin, Result, Socket, SocketName, Value,
};
use serde_json::{Value as Parsed, json};

use super::*;

#[derive(Clone, Default)]
struct Page(Shared<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What an output makes of these events: a parsed object a line.
fn parsed(events: &[(i32, What<'_>)]) -> Vec<Parsed> {
    let page = Page::default();
    let style = JsonStyle {
        command: vec![b"ls".to_vec(), b"\xff".to_vec()],
        started: Stamp(1_000),
        clock: WallClock { epoch: 1_795_304_259_674_231_706, utc_offset: |_| 3600 },
        status: StatusFilter::ALL,
    };
    let mut json = Json::new(style, Sink::live(Box::new(page.clone())));
    for (tid, what) in events {
        json.event(&Event { tid: Tid(*tid), time: Stamp(3_000), what: *what }).unwrap();
    }
    json.finish().unwrap();
    let bytes = page.0.lock().unwrap().clone();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("each line is an object")).collect()
}

/// A node and the places of its descendants' ends.
fn tree(
    nodes: &mut Nodes<'static>,
    name: &'static str,
    of: Value<'static>,
    children: &[Value<'static>],
) {
    let place = nodes.push(Node { name, value: of, ..Node::default() });
    for &value in children {
        nodes.push(Node { value, ..Node::default() });
    }
    nodes.close(place);
}

fn call(args: Nodes<'_>, raw: i64) -> Record<'_> {
    Record {
        name: Some("openat"),
        number: 257,
        raw_number: 257,
        arch: Arch::X86_64,
        ip: GuestAddr(0x7fa6_f0a0_0b1d),
        entered: Stamp(2_000),
        args,
        more: record::More::Nothing,
        never_returns: false,
        stack: None,
        dump: Vec::new(),
        changes: record::Changes::default(),
        result: Some(Result {
            time: Stamp(2_700),
            cpu: 0,
            raw,
            failed: raw < 0,
            value: Value::Signed(raw),
            label: "",
            note: Nodes::default(),
        }),
    }
}

/// How a value looks.
fn shown(of: Value<'_>) -> Parsed {
    let mut args = Nodes::default();
    args.push(Node { name: "it", value: of, ..Node::default() });
    let record = call(args, 0);
    parsed(&[(7, What::Exit(&record))])[1]["args"]["it"].clone()
}

/// The bytes that a text stands for.
fn bytes_of(text: &Parsed) -> Vec<u8> {
    let exact = |text: &Parsed| text.as_str().expect("a string").as_bytes().to_vec();
    match &text["hex"] {
        Parsed::String(hex) => (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).expect("two digits"))
            .collect(),
        _ if text.is_object() => exact(&text["text"]),
        _ => exact(text),
    }
}

proptest! {
    #[test]
    fn no_byte_is_lost(bytes: Vec<u8>, cut: bool) {
        let text = shown(Value::Bytes { bytes: &bytes, cut });
        prop_assert_eq!(bytes_of(&text), bytes);
        prop_assert_eq!(text["cut"] == json!(true), cut);
    }

    #[test]
    fn no_bit_of_a_number_is_lost(number: u64) {
        prop_assert_eq!(shown(Value::Unsigned(number, Base::Hex)).as_u64(), Some(number));
        let signed = number as i64;
        prop_assert_eq!(shown(Value::Signed(signed)).as_i64(), Some(signed));
    }
}

#[test]
fn the_first_line_tells_the_schema_and_the_command() {
    let lines = parsed(&[]);
    let head = json!({"shunpike": {
        "schema": 1,
        "command": ["ls", {"text": "\u{fffd}", "hex": "ff"}],
        "started": "2026-11-21T23:37:39.674232706Z",
    }});
    assert_eq!(lines, [head]);
}

#[test]
fn a_call_is_one_object() {
    let mut args = Nodes::default();
    tree(&mut args, "dfd", Value::DirFd(-100, None), &[]);
    tree(
        &mut args,
        "filename",
        Value::Path { bytes: b"/etc/passwd", cut: false, context: None },
        &[],
    );
    tree(&mut args, "gone", Value::Absent, &[]);
    tree(&mut args, "", Value::Signed(-1), &[]);
    let record = call(args, -2);
    let expected = json!({
        "type": "call", "pid": 7, "tid": 7, "time": 1000, "duration": 700,
        "name": "openat", "number": 257, "abi": "x86_64",
        "ip": {"address": "0x7fa6f0a00b1d"},
        "args": {
            "dfd": {"raw": -100, "name": "AT_FDCWD"},
            "filename": "/etc/passwd",
            "arg2": -1,
        },
        "result": {"raw": -2, "error": "ENOENT"},
    });
    assert_eq!(parsed(&[(7, What::Exit(&record))])[1], expected);

    let unfinished = Record { result: None, name: None, ..call(Nodes::default(), 0) };
    let line = &parsed(&[(7, What::Unfinished(&unfinished))])[1];
    assert_eq!((&line["result"], &line["name"]), (&Parsed::Null, &Parsed::Null));
    assert!(line.get("duration").is_none());
}

#[test]
fn results_have_values_and_notes() {
    let mut note = Nodes::default();
    tree(&mut note, "ufds", Value::Array, &[Value::Signed(1)]);
    let mut record = call(Nodes::default(), 3);
    let result = record.result.take().unwrap();
    record.result = Some(Result { label: "flags", note, ..result });
    let line = &parsed(&[(7, What::Exit(&record))])[1];
    let expected = json!({"raw": 3, "value": 3, "label": "flags", "note": {"ufds": [1]}});
    assert_eq!(line["result"], expected);
}

#[test]
fn what_happens_to_threads() {
    let mut info = Nodes::default();
    let place = info.push(Node { value: Value::Struct, ..Node::default() });
    info.push(Node { name: "si_pid", value: Value::Pid(9), ..Node::default() });
    info.close(place);
    let record = call(Nodes::default(), 0);
    let lines = parsed(&[
        (7, What::Attached { parent: None, process: Tid(7) }),
        (8, What::Attached { parent: Some(Tid(7)), process: Tid(7) }),
        (8, What::Exit(&record)),
        (7, What::Signal { signal: 17, origin: Origin { info: &info, ip: None, stack: None } }),
        (7, What::Stopped { signal: 19, ip: None }),
        (7, What::Superseded { by: Tid(8) }),
        (8, What::Killed { signal: 11, core_dumped: true }),
        (7, What::Exited { status: 3 }),
        (7, What::Detached),
    ]);
    let common = |kind: &str, rest: Parsed| {
        let mut line = json!({"type": kind, "pid": 7, "tid": 7, "time": 2000});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        line
    };
    assert_eq!(lines[1], common("attach", json!({})));
    assert_eq!(lines[2], common("attach", json!({"tid": 8, "parent": 7})));
    assert_eq!((&lines[3]["pid"], &lines[3]["tid"]), (&json!(7), &json!(8)));
    let child = json!({"raw": 17, "name": "SIGCHLD"});
    assert_eq!(lines[4], common("signal", json!({"signal": child, "info": {"si_pid": 9}})));
    assert_eq!(lines[5], common("stop", json!({"signal": {"raw": 19, "name": "SIGSTOP"}})));
    assert_eq!(lines[6], common("superseded", json!({"by": 8})));
    let killed = json!({"pid": 8, "tid": 8, "core_dumped": true,
        "signal": {"raw": 11, "name": "SIGSEGV"}});
    assert_eq!(lines[7], common("killed", killed));
    assert_eq!(lines[8], common("exit", json!({"status": 3})));
    assert_eq!(lines[9], common("detach", json!({})));
}

#[test]
fn values_keep_their_number_and_their_names() {
    use record::{FlagSet, Named};
    static OPEN: FlagSet = FlagSet {
        unknown: "O_???",
        field_mask: 3,
        field: &[Named { value: 1, name: "O_WRONLY" }],
        bits: &[Named { value: 0x40, name: "O_CREAT" }],
        numbers: &[],
        ..FlagSet::EMPTY
    };
    let info = FdInfo { fd: 3, target: b"/tmp".to_vec(), ..FdInfo::default() };
    for (of, expected) in [
        (Value::Flags(0x41, &OPEN), json!({"raw": 0x41, "flags": ["O_WRONLY", "O_CREAT"]})),
        (Value::Flags(0x82, &OPEN), json!({"raw": 0x82, "flags": [], "unnamed": 0x82})),
        (
            Value::CloneFlags(0x51, &OPEN),
            json!({"raw": 0x51, "flags": [], "exit_signal": {"raw": 0x51}}),
        ),
        (Value::Fd(3, None), json!(3)),
        (Value::Fd(3, Some(&info)), json!({"raw": 3, "target": "/tmp"})),
        (Value::Addr(GuestAddr(16), NotRead::Unreadable), json!({"address": "0x10"})),
        (Value::Addr(GuestAddr::NULL, NotRead::Opaque), Parsed::Null),
        (Value::SigSet(0x1_0001), json!({"raw": 0x1_0001, "signals": ["SIGHUP", "SIGCHLD"]})),
        (Value::FileMode(0o100_644), json!({"raw": 0o100_644, "octal": "0100644"})),
        (
            Value::FlagsPerm(0o1600, &OPEN),
            json!({"raw": 0o1600, "flags": [], "unnamed": 0o1000, "octal": "0600"}),
        ),
        (Value::Dev(0x103), json!({"raw": 0x103, "major": 1, "minor": 3})),
        (Value::Id(u32::MAX), json!(-1)),
        (Value::WaitStatus(0x300), json!({"raw": 0x300, "exited": 3})),
        (
            Value::WaitStatus(0x89),
            json!({"raw": 0x89, "killed": {"raw": 9, "name": "SIGKILL"}, "core_dumped": true}),
        ),
        (Value::Limit(u64::MAX, Some("INF")), json!({"raw": u64::MAX, "name": "INF"})),
        (Value::Inet4([127, 0, 0, 1]), json!("127.0.0.1")),
        (
            Value::Ioctl(0x5401, record::request::name(0x5401)),
            json!({"raw": 0x5401, "name": "TCGETS"}),
        ),
        (Value::Ioctl(0x5402, None), json!({"raw": 0x5402})),
        (Value::Abstract(b"\0x"), json!({"abstract": "\0x"})),
        (Value::Counted(GuestAddr(16), 35, "vars"), json!({"address": "0x10", "count": 35})),
    ] {
        assert_eq!(shown(of), expected, "{of:?}");
    }
}

#[test]
fn descriptors_tell_what_they_stand_for() {
    let shown_with = |deleted, detail| {
        let info = FdInfo { fd: 3, target: b"x".to_vec(), deleted, detail, context: None };
        shown(Value::Fd(3, Some(&info)))
    };
    let socket = |name| FdDetail::Socket(Socket { protocol: "P".into(), inode: 9, name });
    let inet = SocketName::Inet {
        local: "127.0.0.1:80".parse().unwrap(),
        peer: Some("[::1]:90".parse().unwrap()),
    };
    for (detail, more) in [
        (FdDetail::None, json!({})),
        (
            FdDetail::Device { block: true, major: 7, minor: 0 },
            json!({"device": {"kind": "block", "major": 7, "minor": 0}}),
        ),
        (FdDetail::Process(8), json!({"pid": 8})),
        (FdDetail::Signals(1), json!({"signals": {"raw": 1, "signals": ["SIGHUP"]}})),
        (FdDetail::Counter(5), json!({"count": 5})),
        (socket(SocketName::None), json!({"socket": {"protocol": "P", "inode": 9}})),
        (
            socket(inet),
            json!({"socket": {
                "protocol": "P", "inode": 9, "local": "127.0.0.1:80", "peer": "[::1]:90"
            }}),
        ),
        (
            socket(SocketName::Unix { peer: Some(4), path: b"\0a".to_vec() }),
            json!({"socket": {"protocol": "P", "inode": 9, "abstract": "a", "peer_inode": 4}}),
        ),
        (
            socket(SocketName::Netlink { protocol: 16, port: 77 }),
            json!({"socket": {"protocol": "P", "inode": 9, "netlink": 16, "port": 77}}),
        ),
    ] {
        let mut expected = json!({"raw": 3, "target": "x", "deleted": true});
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(shown_with(true, detail), expected);
    }
}

#[test]
fn trees_become_objects_and_arrays() {
    let mut args = Nodes::default();
    tree(&mut args, "array", Value::Array, &[Value::Signed(1), Value::More(Some(4))]);
    tree(&mut args, "change", Value::Change, &[Value::Signed(1), Value::Signed(2)]);
    tree(&mut args, "port", Value::Form("htons"), &[Value::Signed(80)]);
    let record = call(args, 0);
    let line = &parsed(&[(7, What::Exit(&record))])[1];
    let expected = json!({
        "array": [1, {"more": 4}],
        "change": {"before": 1, "after": 2},
        "port": 80,
    });
    assert_eq!(line["args"], expected);
}
