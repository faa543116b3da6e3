//! Lines, and whose they are.

use super::*;

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
