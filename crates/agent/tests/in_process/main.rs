//! The image at work: mapped into this process, which makes calls by a hand-made site.
//!
//! Where the processor or the kernel has no `rdgsbase` for us, the agent is never used; the tests
//! say so and pass.

mod guest;
mod site;
mod step;

use agent::abi::{RING_LEN, slot};
use agent::entries::{Entries, What};
use guest::{CHANGED, Guest, PASSED, RECORDED, UNCLAIMED};
use site::Registers;

/// Flags that programs can have at a call: CF PF AF ZF SF DF OF AC.
const FLAGS: u64 = 0x4_0cd5;
const ALIGNMENT_CHECK: u64 = 0x4_0000;
const DIRECTION: u64 = 0x400;
/// Flags that are always set: bit 1 and IF.
const FLAGS_SET: u64 = 0x202;

/// Numbers without a pattern (xorshift).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Registers for a call with this number. The stack pointer leads nowhere.
    fn registers(&mut self, number: u64) -> Registers {
        let mut registers = Registers { general: [0; 16], flags: 0 };
        registers.general.iter_mut().for_each(|register| *register = self.next());
        registers.general[site::RAX] = number;
        registers.flags = self.next() & FLAGS | FLAGS_SET;
        registers
    }
}

/// A call with the first arguments, nothing peculiar in the other registers.
fn registers(number: u64, args: [u64; 3]) -> Registers {
    let mut registers = Noise(1).registers(number);
    [registers.general[site::RDI], registers.general[site::RSI], registers.general[site::RDX]] =
        args;
    // Handlers inherit this one, and are not made for it.
    registers.flags &= !ALIGNMENT_CHECK;
    registers
}

#[test]
fn a_call_leaves_all_as_the_kernel_leaves_it() {
    let Some(mut guest) = Guest::new() else { return };
    let mut noise = Noise(0x1234_5678_9abc_def1);
    for round in 0..3000 {
        let number = [RECORDED, PASSED, UNCLAIMED][round % 3];
        let registers = noise.registers(number);
        let native = site::call(site::native(), &registers);
        assert_eq!(native.general[site::R11], registers.flags);
        assert_eq!(site::call(site::trampoline(), &registers), native, "call {number}");
        guest.drain();
    }
    assert_eq!(guest.word(slot::LEFT), 1000);
}

#[test]
fn the_guests_stack_is_not_touched() {
    let Some(mut guest) = Guest::new() else { return };
    let stack = [0x5au8; 8192];
    for number in [RECORDED, UNCLAIMED] {
        let mut registers = registers(number, [0; 3]);
        registers.general[site::RSP] = &raw const stack as u64 + 4096;
        site::call(site::trampoline(), &registers);
        assert!(std::hint::black_box(&stack).iter().all(|byte| *byte == 0x5a));
    }
    assert!(!guest.drain().is_empty());
}

#[test]
fn both_halves_are_recorded() {
    let Some(mut guest) = Guest::new() else { return };
    let path = c"/proc/self/comm";
    let mut open = registers(libc::SYS_open as u64, [path.as_ptr() as u64, 0, 0]);
    // Whatever the agent looks at, it reads no word that is not aligned, and all bytes upwards.
    open.flags |= ALIGNMENT_CHECK | DIRECTION;
    let opened = site::call(site::trampoline(), &open);
    let fd = opened.general[site::RAX];
    let mut buffer = [0u8; 64];
    let mut read = registers(libc::SYS_read as u64, [fd, buffer.as_mut_ptr() as u64, 64]);
    read.flags |= ALIGNMENT_CHECK | DIRECTION;
    let len = site::call(site::trampoline(), &read).general[site::RAX];
    let close = registers(libc::SYS_close as u64, [fd, 0, 0]);
    assert_eq!(site::call(site::native(), &close).general[site::RAX], 0);
    assert!(len > 0 && len <= 16, "{len}");

    let drained = guest.drain();
    let halves: Vec<_> = Entries::new(&drained).map(Result::unwrap).collect();
    let [enter_open, exit_open, enter_read, exit_read] = &halves[..] else {
        panic!("{halves:?}");
    };
    let What::Enter(enter) = enter_open.what else { panic!("{enter_open:?}") };
    assert_eq!((enter.number, enter.args[0]), (libc::SYS_open as u64, path.as_ptr() as u64));
    assert_eq!((enter.ip, enter.sp), (site::after(), open.general[site::RSP]));
    let copy = enter_open.copies.clone().next().unwrap();
    assert_eq!(
        (copy.addr, copy.bytes, copy.fault),
        (enter.args[0], path.to_bytes_with_nul(), false)
    );
    let value = |half: &agent::entries::Half<'_>| match half.what {
        What::Exit(exit) => exit.value as u64,
        What::Enter(_) => panic!("{half:?}"),
    };
    assert_eq!((value(exit_open), value(exit_read)), (fd, len));
    assert_eq!(enter_read.copies.clone().count(), 0);
    let copy = exit_read.copies.clone().next().unwrap();
    assert_eq!((copy.addr, copy.bytes), (buffer.as_ptr() as u64, &buffer[..len as usize]));
    assert!(halves.is_sorted_by_key(|half| half.time));
}

#[test]
fn unreadable_memory_is_noted() {
    let Some(mut guest) = Guest::new() else { return };
    let edge = guest.edge();
    // In the last bytes before an unmapped page, and in no page at all; both by words and by bytes.
    for (addr, readable) in [(edge - 13, 13), (edge - 3, 3), (edge, 0), (8, 0), (u64::MAX - 3, 0)] {
        let open = registers(libc::SYS_open as u64, [addr, 0, 0]);
        // Few bytes are copied in another way than many.
        let write = |len| registers(libc::SYS_write as u64, [u64::MAX, addr, len]);
        let calls = [
            (open, libc::EFAULT, libc::PATH_MAX as usize),
            (write(20), libc::EBADF, 20),
            (write(7), libc::EBADF, 7),
        ];
        for (call, errno, wanted) in calls {
            let native = site::call(site::native(), &call);
            assert_eq!(native.general[site::RAX], -i64::from(errno) as u64);
            assert_eq!(site::call(site::trampoline(), &call), native);
            let drained = guest.drain();
            let enter = Entries::new(&drained).next().unwrap().unwrap();
            let copy = enter.copies.clone().next().unwrap();
            let expected = (addr, wanted.min(readable), readable < wanted);
            assert_eq!((copy.addr, copy.bytes.len(), copy.fault), expected);
            assert!(copy.bytes.iter().all(|byte| *byte == b'x'));
        }
    }
}

#[test]
fn where_there_is_no_room_the_call_is_made_at_its_site() {
    let Some(mut guest) = Guest::new() else { return };
    let call = registers(RECORDED, [0; 3]);
    let native = site::call(site::native(), &call);
    let mut recorded = 0;
    while guest.word(slot::LEFT) == 0 {
        assert_eq!(site::call(site::trampoline(), &call), native);
        recorded += 1;
    }
    let drained = guest.drain();
    assert_eq!(Entries::new(&drained).map(Result::unwrap).count(), 2 * (recorded - 1));
    let left = drained.len() as u64;
    assert!(left <= RING_LEN && left > RING_LEN - 128, "{left}");
    assert_eq!(site::call(site::trampoline(), &call), native);
    assert_eq!(Entries::new(&guest.drain()).map(Result::unwrap).count(), 2);
}

#[test]
fn a_thread_without_a_slot_makes_its_calls_at_their_site() {
    let Some(guest) = Guest::new() else { return };
    // No address, one of another size, one just behind the arenas.
    for base in [0, 0x7fff_0000_0000, 0x21_0000_0000] {
        guest.set_gs(base);
        let call = registers(RECORDED, [0; 3]);
        assert_eq!(site::call(site::trampoline(), &call), site::call(site::native(), &call));
    }
    assert_eq!(guest.word(slot::HEAD), 0);
}

#[test]
fn calls_stay_at_their_site_where_the_slot_is_shut() {
    let Some(guest) = Guest::new() else { return };
    let call = registers(RECORDED, [0; 3]);
    let native = site::call(site::native(), &call);
    guest.set_word(slot::GATE, 1 << 32);
    assert_eq!(site::call(site::trampoline(), &call), native);
    assert!((0..slot::RING).step_by(8).all(|at| at == slot::GATE || guest.word(at) == 0));
}

#[test]
fn nothing_is_recorded_once_the_supervisor_may_be_gone() {
    let Some(mut guest) = Guest::new() else { return };
    let call = registers(RECORDED, [0; 3]);
    let native = site::call(site::native(), &call);
    for (until, recorded) in [(0, 2), (u64::MAX, 2), (1, 0)] {
        guest.set_word(slot::LEASE, until);
        assert_eq!(site::call(site::trampoline(), &call), native);
        assert_eq!(Entries::new(&guest.drain()).count(), recorded, "until {until}");
    }
}

#[test]
fn a_call_that_dispatch_stops_is_made_where_no_tracer_is() {
    let Some(mut guest) = Guest::new() else { return };
    let call = registers(UNCLAIMED, [0; 3]);
    let native = site::call(site::native(), &call);
    guest.handle_orphans();
    if !guest.dispatch() {
        return println!("skipped: no syscall user dispatch here");
    }
    // The handler's frame needs a stack, which is the alternate one.
    assert_eq!(site::call(site::native(), &call), native);
    // From now on nothing goes to the agent, and no call raises a signal.
    assert_eq!(guest.word(slot::GATE), 1 << 32);
    assert_eq!(site::call(site::trampoline(), &registers(RECORDED, [0; 3])).general[site::RAX], {
        // SAFETY: takes no memory.
        unsafe { libc::getppid() as u64 }
    });
    assert!(guest.drain().is_empty());
}

#[test]
fn at_each_instruction_the_guests_registers_are_to_be_found() {
    let Some(mut guest) = Guest::new() else { return };
    let edge = guest.edge();
    let calls = [
        registers(RECORDED, [0; 3]),
        registers(PASSED, [0; 3]),
        registers(UNCLAIMED, [0; 3]),
        registers(libc::SYS_open as u64, [c"/x/y".as_ptr() as u64, 0, 0]),
        registers(libc::SYS_write as u64, [u64::MAX, edge - 7, 20]),
        registers(CHANGED, [c"/place/null".as_ptr() as u64, 0, 0]),
        registers(CHANGED, [c"/place/../null".as_ptr() as u64, 0, 0]),
    ];
    for call in calls {
        let number = call.general[site::RAX];
        let result = result_of(&call);
        let (steps, amiss) = step::through(&guest, &call, result, false);
        assert_eq!(amiss, None, "call {number}: {amiss:x?}");
        // Handlers that call meanwhile, where nobody takes the thread out of the agent for them.
        step::through(&guest, &call, result, true);
        assert!(steps > 50, "call {number}: {steps}");
        println!("call {number}: {steps} instructions");
    }
    assert!(!guest.drain().is_empty());
}

/// What a call returns through the agent.
fn result_of(call: &Registers) -> u64 {
    let result = |target| site::call(target, call).general[site::RAX];
    // There is no such path but for the agent.
    if call.general[site::RAX] == CHANGED {
        result(site::trampoline())
    } else {
        result(site::native())
    }
}

#[test]
fn a_path_is_changed_for_its_call_only() {
    let Some(mut guest) = Guest::new() else { return };
    let missing = -i64::from(libc::ENOENT) as u64;
    let cases = [
        (c"/place/null", 0),
        (c"/place/null/", -i64::from(libc::ENOTDIR) as u64),
        (c"/place/", 0),
        (c"/place", 0),
        (c"/place/nothing", missing),
        (c"/place/shm/..//./null", 0),
        // It leaves the place, or a symbolic link is on its way: it is left to the net.
        (c"/place/shm/../../dev/null", missing),
        (c"/place/fd/0", missing),
        (c"/places/null", missing),
        (c"", missing),
    ];
    for (path, expected) in cases {
        let call = registers(CHANGED, [path.as_ptr() as u64, 0, 0]);
        let behind = site::call(site::trampoline(), &call);
        assert_eq!(behind.general[site::RAX], expected, "{path:?}");
        assert_eq!(behind.general[site::RDI], call.general[site::RDI], "{path:?}");
        // What is told is what was asked for.
        for half in Entries::new(&guest.drain()).flatten() {
            let told: Vec<u8> = half.copies.clone().flat_map(|copy| copy.bytes.to_vec()).collect();
            assert!(told.is_empty() || told == path.to_bytes_with_nul(), "{path:?}: {told:?}");
        }
    }
}

/// Prints what a call costs: `cargo test --release -p shunpike-agent --test in_process -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_of_a_call() {
    let Some(mut guest) = Guest::new() else { return };
    let ways = [
        (site::loop_native(), PASSED),
        (site::loop_by_agent(), PASSED),
        (site::loop_native(), RECORDED),
        (site::loop_by_agent(), RECORDED),
    ];
    let mut best = [f64::MAX; 4];
    for _ in 0..200 {
        for (best, (way, number)) in best.iter_mut().zip(ways) {
            const CALLS: u32 = 1000;
            let start = std::time::Instant::now();
            site::call_often(way, number, CALLS);
            *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
            guest.drain();
        }
    }
    for (what, [native, agent]) in ["passed", "recorded"].iter().zip(best.as_chunks().0) {
        println!("{what}: {agent:.0} ns, native {native:.0} ns: {:.2}", agent / native);
    }
    assert_eq!(guest.word(slot::LEFT), 0);
}
