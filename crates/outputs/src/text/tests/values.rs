//! Single values, as arguments.

use super::*;

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
    let path = Value::Path { bytes: long.as_bytes(), cut: false, context: None };
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
    assert_eq!(value(vector(1, "entries")), "0x7ff0 /* 1 entries */");
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
        (
            Value::Ioctl(0x5401, record::request::name(0x5401)),
            "TCGETS",
            "0x5401",
            "0x5401 /* TCGETS */",
        ),
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
        (Value::Limit(8 << 20, None), "8192*1024", "8388608", "8388608 /* 8192*1024 */"),
        (Value::Limit(1024, None), "1024", "1024", "1024"),
        (
            Value::Limit(u64::MAX, Some("INF")),
            "INF",
            "18446744073709551615",
            "18446744073709551615 /* INF */",
        ),
        (Value::Annotated(2, &OPEN), "2 /* O_RDWR */", "2 /* O_RDWR */", "2 /* O_RDWR */"),
        (Value::Annotated(9, &OPEN), "9 /* O_??? */", "9 /* O_??? */", "9 /* O_??? */"),
        (Value::Ticks(0), "0", "0", "0"),
        (Value::Ticks(46), "46 /* 0.46 s */", "46", "46 /* 0.46 s */"),
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

proptest::proptest! {
    /// Guests choose the numbers.
    #[test]
    fn every_number_has_a_look(number: u64, constants in 0..3) {
        let constants = [Constants::Raw, Constants::Abbrev, Constants::Verbose][constants as usize];
        let low = number as u32;
        for scalar in [
            Value::Perm(low),
            Value::FileMode(low),
            Value::Dev(number),
            Value::WaitStatus(low),
            Value::Signal(low),
            Value::SigSet(number),
            Value::Ioctl(low, None),
            Value::Errno(low),
            Value::Limit(number, Some("INF")),
            Value::Ticks(number),
            Value::Mask(number, 8),
            Value::Flags(number, &OPEN),
            Value::CloneFlags(number, &CLONE),
            Value::Date(number as i64, Some(Fraction { value: low, digits: 9 })),
        ] {
            let style = ValueStyle { constants, ..ValueStyle::default() };
            assert_ne!(value_as(style, leaf(scalar)), "", "{scalar:?}");
        }
    }
}
