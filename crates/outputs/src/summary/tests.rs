//! What is expected here was seen from strace 6.1, whose layout this is.

use std::sync::{Arc, Mutex};

use record::{GuestAddr, Nodes, Result, Stamp, Value};

use super::*;

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

/// A call of this number and processor time in microseconds; its wall clock time is ten times it.
fn call(name: &'static str, number: u64, micros: u64, failed: bool) -> Record<'static> {
    let result = Result {
        time: Stamp(1_000 + micros * 10_000),
        cpu: micros * 1_000,
        raw: 0,
        failed,
        value: Value::Absent,
        label: "",
        note: Nodes::default(),
    };
    Record {
        name: Some(name).filter(|name| !name.is_empty()),
        number,
        raw_number: number,
        arch: Arch::X86_64,
        ip: GuestAddr::NULL,
        entered: Stamp(1_000),
        args: Nodes::default(),
        more: record::More::Nothing,
        never_returns: false,
        stack: None,
        dump: Vec::new(),
        changes: record::Changes::default(),
        result: Some(result),
    }
}

fn table(style: SummaryStyle, calls: &[Record<'_>]) -> String {
    let page = Page::default();
    let mut summary = Summary::new(style, Sink::live(Box::new(page.clone())));
    for record in calls {
        let event = Event { tid: Tid(1), time: Stamp(0), what: What::Exit(record) };
        summary.event(&event).unwrap();
    }
    summary.finish().unwrap();
    let bytes = page.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn sample() -> Vec<Record<'static>> {
    let mut calls = vec![
        call("read", 0, 2, false),
        call("getppid", 110, 30, false),
        call("close", 3, 10, true),
        call("close", 3, 15, false),
        call("mmap", 9, 0, false),
    ];
    calls.push(Record { result: None, ..call("exit_group", 231, 9, false) });
    calls
}

#[test]
fn the_customary_table() {
    let expected = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 52.63    0.000030          30         1           getppid
 43.86    0.000025          12         2         1 close
  3.51    0.000002           2         1           read
  0.00    0.000000           0         1           mmap
------ ----------- ----------- --------- --------- ----------------
100.00    0.000057          11         5         1 total
";
    assert_eq!(table(SummaryStyle::default(), &sample()), expected);
}

#[test]
fn other_columns_of_the_wall_clock() {
    use Column::*;
    let columns = vec![Name, MaxTime, MinTime, Errors];
    let style = SummaryStyle { columns, wall_clock: true, ..SummaryStyle::default() };
    let long = [call("clock_nanosleep", 230, 1_200_012, false), call("read", 0, 1, true)];
    let expected = "\
syscall            longest  shortest    errors
---------------- --------- --------- ---------
clock_nanosleep  12.000120 12.000120          
read              0.000010  0.000010         1
---------------- --------- --------- ---------
total            12.000120  0.000010         1
";
    assert_eq!(table(style, &long), expected);
}

#[test]
fn the_name_is_never_left_out_and_has_room() {
    let style = SummaryStyle { columns: vec![Column::Calls], ..SummaryStyle::default() };
    let text = table(style, &[call("sched_get_priority_max", 146, 1, false)]);
    let expected = [
        "    calls syscall",
        "--------- -----------------------",
        "        1 sched_get_priority_max",
        "--------- -----------------------",
        "        1 total",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn rows_of_one_rank_stay_in_the_order_of_their_numbers() {
    let order = |sort_by| {
        let columns = vec![Column::Name];
        let text = table(SummaryStyle { columns, sort_by, ..SummaryStyle::default() }, &sample());
        let names: Vec<&str> = text.lines().skip(2).take(4).collect();
        names.join(" ")
    };
    assert_eq!(order(None), "read close mmap getppid");
    assert_eq!(order(Some(Column::Name)), "close getppid mmap read");
    assert_eq!(order(Some(Column::Calls)), "close read mmap getppid");
    assert_eq!(order(Some(Column::Errors)), "close read mmap getppid");
    assert_eq!(order(Some(Column::MinTime)), "getppid close read mmap");
    assert_eq!(order(Some(Column::MaxTime)), "getppid close read mmap");
    assert_eq!(order(Some(Column::AvgTime)), "getppid close read mmap");
}

#[test]
fn overhead_is_taken_off() {
    let style = SummaryStyle {
        columns: vec![Column::TotalTime, Column::Calls, Column::Name],
        overhead: Duration::from_micros(12),
        ..SummaryStyle::default()
    };
    let text = table(style, &sample());
    let rows: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(rows[0], "   0.000018         1 getppid");
    assert_eq!(rows[1], "   0.000003         2 close");
    assert_eq!(rows.last(), Some(&"   0.000021         5 total"));
}

#[test]
fn unknown_calls_are_counted_and_no_calls_make_no_table() {
    let text = table(SummaryStyle::default(), &[call("", 999, 1, true)]);
    assert!(text.contains(" syscall_0x3e7\n"), "{text}");
    assert_eq!(table(SummaryStyle::default(), &[]), "");
}

#[test]
fn each_abi_has_a_table() {
    let of_i386 = Record { arch: Arch::I386, ..call("waitpid", 7, 5, false) };
    let style = SummaryStyle { columns: vec![Column::Calls], ..SummaryStyle::default() };
    let shown = table(style, &[call("poll", 7, 5, false), of_i386]);
    let [native, of_i386] = shown
        .split_once("System call usage summary for 32 bit mode:\n")
        .map_or(["", ""], |(native, rest)| [native, rest]);
    assert!(native.contains("poll") && !native.contains("waitpid"), "{shown}");
    assert!(of_i386.contains("waitpid") && !of_i386.contains("poll"), "{shown}");
}
