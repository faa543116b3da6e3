//! Results of calls.

use super::*;

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
