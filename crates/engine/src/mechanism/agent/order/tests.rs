use agent::abi::entry;
use contract::{Capture, Origin, Stamp, What};
use proptest::prelude::*;

use super::*;

/// A call that the observer does not want.
const UNWANTED: u64 = 500;

/// What was told: of which thread, what, when.
#[derive(Default)]
struct Told(Vec<(i32, &'static str, u64)>);

impl Observer for Told {
    fn wants(&mut self, _tid: Tid, call: &Capture) -> bool {
        call.number != UNWANTED
    }

    fn event(&mut self, event: &Event<'_>) {
        let what = match event.what {
            What::Enter(_) => "enter",
            What::Exit(_) => "exit",
            What::Call(_) => "call",
            What::Unfinished(_) => "unfinished",
            What::Attached { .. } => "attached",
            What::Executed => "executed",
            What::RunsIn { .. } => "runs in another ABI",
            What::Exited { .. } => "exited",
            _ => "signal",
        };
        let time = match event.what {
            What::Enter(call) | What::Call(call) => call.entered,
            _ => event.time,
        };
        self.0.push((event.tid.0, what, time.0));
    }
}

const SIGNAL: What<'static> =
    What::Signal { signal: 1, origin: Origin { info: None, ip: None, stack: None } };
const EXITED: What<'static> = What::Exited { status: 0 };

/// Nothing waits, and the counter counts nanoseconds.
fn order() -> Order {
    let pair = |time| Pair { tsc: time, nanoseconds: time };
    Order { clock: Clock::new(pair(0), pair(1000)), ..Order::new(pair(0), None) }
}

fn publish(order: &mut Order, tid: i32, words: &[u64]) {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    order.lane(Tid(tid)).add_halves(|halves| halves.extend(bytes));
}

fn enter(order: &mut Order, tid: i32, time: u64, number: u64) {
    let head = 88 | u64::from(entry::ENTER) << 32;
    publish(order, tid, &[head, time, number, 0, 0, 0, 0, 0, 0, 0, 0]);
}

fn exit(order: &mut Order, tid: i32, time: u64) {
    publish(order, tid, &[32 | u64::from(entry::EXIT) << 32, time, 0, 0]);
}

fn stop(order: &mut Order, tid: i32, time: u64, what: What<'_>) {
    order.keep(&Event { tid: Tid(tid), time: Stamp(time), what });
}

fn tell(order: &mut Order, told: &mut Told, until: u64) {
    order.tell_before(until, None, told);
}

#[test]
fn a_stop_waits_for_what_is_older() {
    let (mut order, mut told) = (order(), Told::default());
    stop(&mut order, 1, 30, SIGNAL);
    enter(&mut order, 2, 10, 0);
    exit(&mut order, 2, 20);
    tell(&mut order, &mut told, 30);
    assert_eq!(told.0, [(2, "call", 10)]);
    enter(&mut order, 2, 25, 0);
    exit(&mut order, 2, 35);
    assert!(!order.is_empty());
    tell(&mut order, &mut told, 40);
    assert_eq!(told.0[1..], [(2, "enter", 25), (1, "signal", 30), (2, "exit", 35)]);
    assert!(order.is_empty());
}

#[test]
fn where_nobody_else_is_all_is_told_at_once() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 0);
    order.tell_at_once(&Event { tid: Tid(1), time: Stamp(20), what: EXITED }, &mut told);
    assert_eq!(told.0, [(1, "enter", 10), (1, "unfinished", 20), (1, "exited", 20)]);
    assert!(order.is_empty());
}

#[test]
fn a_thread_is_in_order_by_itself_though_clocks_disagree() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 0);
    exit(&mut order, 1, 21);
    stop(&mut order, 1, 20, SIGNAL);
    enter(&mut order, 1, 19, 0);
    exit(&mut order, 1, u64::MAX);
    stop(&mut order, 1, 30, SIGNAL);
    stop(&mut order, 2, 25, SIGNAL);
    tell(&mut order, &mut told, 31);
    let expected = [
        (1, "call", 10),
        (1, "signal", 20),
        (1, "enter", 20),
        (2, "signal", 25),
        (1, "exit", 30),
        (1, "signal", 30),
    ];
    assert_eq!(told.0, expected);
}

#[test]
fn of_a_call_that_is_not_wanted_nothing_is_told() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, UNWANTED);
    stop(&mut order, 1, 20, What::Exit(&Capture::default()));
    enter(&mut order, 1, 30, UNWANTED);
    exit(&mut order, 1, 40);
    enter(&mut order, 1, 50, UNWANTED);
    stop(&mut order, 1, 60, EXITED);
    tell(&mut order, &mut told, 100);
    assert_eq!(told.0, [(1, "exited", 60)]);
    assert_eq!((order.take_calls().entered, order.take_spoilt()), (3, vec![]));
}

#[test]
fn a_signal_ends_the_call_in_which_the_thread_is() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 7);
    exit(&mut order, 1, 20);
    assert!(order.open_call(Tid(1)).is_none());
    assert!(!order.lane(Tid(1)).undo_entry());
    enter(&mut order, 1, 30, 8);
    assert_eq!(order.open_call(Tid(1)).map(|call| (call.number, call.entered.0)), Some((8, 30)));
    tell(&mut order, &mut told, 31);
    assert!(!order.lane(Tid(1)).undo_entry(), "it has been told");
    let call = order.open_call(Tid(1)).unwrap();
    stop(&mut order, 1, 40, What::Exit(&call));
    assert!(order.open_call(Tid(1)).is_none());
    stop(&mut order, 1, 41, SIGNAL);
    enter(&mut order, 1, 50, 9);
    assert!(order.lane(Tid(1)).undo_entry(), "it has not been made");
    stop(&mut order, 1, 60, SIGNAL);
    tell(&mut order, &mut told, 100);
    let expected =
        [(1, "call", 10), (1, "enter", 30), (1, "exit", 40), (1, "signal", 41), (1, "signal", 60)];
    assert_eq!(told.0, expected);
}

#[test]
fn what_was_written_over_is_not_told_until_another_program_runs() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 0);
    enter(&mut order, 1, 20, 0);
    exit(&mut order, 1, 30);
    stop(&mut order, 1, 40, SIGNAL);
    tell(&mut order, &mut told, 21);
    assert_eq!(order.take_spoilt(), [Tid(1)]);
    enter(&mut order, 1, 50, 0);
    stop(&mut order, 1, 60, What::Executed);
    enter(&mut order, 1, 70, 0);
    exit(&mut order, 1, 80);
    tell(&mut order, &mut told, 100);
    let expected = [
        (1, "enter", 10),
        (1, "exit", 20),
        (1, "signal", 40),
        (1, "executed", 60),
        (1, "call", 70),
    ];
    assert_eq!(told.0, expected);
    assert!(order.is_empty() && order.take_spoilt().is_empty());
}

#[test]
fn a_call_of_the_net_within_one_of_the_agent_shows_that_it_was_written_over() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 0);
    stop(&mut order, 1, 20, What::Enter(&Capture::default()));
    exit(&mut order, 1, 30);
    stop(&mut order, 1, 40, What::Exit(&Capture::default()));
    tell(&mut order, &mut told, 100);
    let expected = [(1, "enter", 10), (1, "exit", 20), (1, "enter", 20), (1, "exit", 40)];
    assert_eq!(told.0, expected);
    assert_eq!(order.take_spoilt(), [Tid(1)]);
}

#[test]
fn what_is_malformed_does_not_hold_up() {
    let (mut order, mut told) = (order(), Told::default());
    publish(&mut order, 1, &[4]);
    stop(&mut order, 1, 20, SIGNAL);
    publish(&mut order, 2, &[8 | u64::from(entry::SKIP) << 32]);
    tell(&mut order, &mut told, 100);
    assert_eq!(told.0, [(1, "signal", 20)]);
    assert!(order.is_empty());
}

#[test]
fn threads_that_are_no_more_are_forgotten_when_all_is_told() {
    let (mut order, mut told) = (order(), Told::default());
    let none = TraceeTable::default();
    stop(&mut order, 1, 20, EXITED);
    order.forget_ended(&none);
    assert_eq!(order.lanes.len(), 1);
    tell(&mut order, &mut told, 100);
    order.forget_ended(&none);
    assert_eq!((order.lanes.len(), told.0.len()), (0, 1));
}

#[test]
fn what_was_left_in_a_ring_comes_before_what_is_later() {
    let (mut order, mut told) = (order(), Told::default());
    enter(&mut order, 1, 10, 0);
    exit(&mut order, 1, 20);
    order.lane(Tid(1)).ring_has_more = true;
    stop(&mut order, 2, 50, SIGNAL);
    order.settled = 100;
    tell(&mut order, &mut told, 100);
    assert_eq!((told.0.as_slice(), order.settled), ([(1, "call", 10)].as_slice(), 0));
}

/// What happens next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A thread enters or leaves a call of the agent.
    Half(i32),
    Stop(i32),
    /// What is so old is told.
    Tell(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..5).prop_map(Step::Half),
        2 => (1..5).prop_map(Step::Stop),
        1 => (0..20u64).prop_map(Step::Tell),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_is_told_once_and_in_order(
        steps in prop::collection::vec(step(), 0..200)
    ) {
        let (mut order, mut told) = (order(), Told::default());
        let (mut inside, mut happened) = ([false; 5], 0);
        for (step, time) in steps.iter().zip(1..) {
            match *step {
                Step::Half(tid) => {
                    let inside = &mut inside[tid as usize];
                    *inside = !*inside;
                    if *inside {
                        enter(&mut order, tid, time, 0);
                    } else {
                        exit(&mut order, tid, time);
                    }
                    happened += 1;
                }
                Step::Stop(tid) => {
                    stop(&mut order, tid, time, SIGNAL);
                    happened += 1;
                }
                Step::Tell(age) => tell(&mut order, &mut told, time.saturating_sub(age)),
            }
        }
        tell(&mut order, &mut told, u64::MAX);
        let whole = told.0.iter().map(|(_, what, _)| if *what == "call" { 2 } else { 1 });
        prop_assert_eq!(whole.sum::<usize>(), happened);
        prop_assert!(told.0.is_sorted_by_key(|(.., time)| *time), "{:?}", told.0);
        prop_assert!(order.is_empty() && order.take_spoilt().is_empty());
    }
}
