//! Whose calls are intercepted, and by what.

use std::num::NonZeroU64;

use engine::RING_LENS;

use super::value::{names, one_of};
use super::{Flag, Of, Value, Values};
use crate::cli::options::{Interruptible, MechanismChoice, Placement};
use crate::cli::usage::UsageError;

const INTERRUPTIBLE: [(&str, Interruptible); 8] = [
    ("anywhere", Interruptible::Anywhere),
    ("waiting", Interruptible::Waiting),
    ("never", Interruptible::Never),
    ("never_tstp", Interruptible::NeverTstp),
    ("1", Interruptible::Anywhere),
    ("2", Interruptible::Waiting),
    ("3", Interruptible::Never),
    ("4", Interruptible::NeverTstp),
];

const MECHANISMS: [(&str, MechanismChoice); 5] = [
    ("auto", MechanismChoice::Auto),
    ("ptrace", MechanismChoice::Ptrace),
    ("sysemu", MechanismChoice::Sysemu),
    ("seccomp", MechanismChoice::Seccomp),
    ("agent", MechanismChoice::Agent),
];

const PLACEMENTS: [(&str, Placement); 2] = [("auto", Placement::Auto), ("free", Placement::Free)];

/// A number of bytes, perhaps with `K` or `M` behind it.
fn size(text: &str) -> Option<u32> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u32>().ok()?.checked_mul(unit)
}

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("follow-forks", "trace new threads and processes too; -ff: one file a process")
        .short('f')
        .deprecated('F')
        .more(
            "With -p it also traces every thread of the process. -ff is -f --output-separately: \
             one file a process. shunpike run follows them in any case.",
        )
        .apply(|options, given| {
            options.follow.forks = true;
            options.output.separately |= given.spelling == "-f" && given.times >= 2;
            Ok(())
        }),
    Flag::new("detach-on", "detach from a process that makes this call; only execve").only(Of::Trace)
        .short('b')
        .takes(Value::Always("CALL"), Values::OneOf(&["execve"]))
        .more("Traces all threads of a program, with -f, but not the programs that it starts.")
        .apply(|options, given| {
            let call = given.text()?;
            if call != "execve" {
                return Err(UsageError::new(format!("Syscall '{call}' for -b isn't supported"))
                    .way_out("only execve is"));
            }
            options.follow.detach_on_execve = true;
            Ok(())
        }),
    Flag::new("syscall-limit", "detach from everything after N calls were shown").only(Of::Trace)
        .takes(Value::Always("N"), Values::Any)
        .apply(|options, given| {
            let limit: Option<NonZeroU64> = given.text()?.parse().ok();
            let limit = limit.ok_or_else(|| given.invalid("it takes a number above 0"))?;
            options.follow.syscall_limit = Some(limit);
            Ok(())
        }),
    Flag::new("kill-on-exit", "kill the program when the tracer ends, however it ends").only(Of::Trace)
        .more(
            "A signal that interrupts the tracer kills the program and all that it has started. \
             Otherwise they go on, unless SIGKILL ends the tracer and the mechanism is agent or \
             seccomp. Not with -p.",
        )
        .apply(|options, _| {
            options.follow.kill_on_exit = true;
            Ok(())
        }),
    Flag::new("interruptible", "when signals such as Ctrl-C may interrupt the tracer")
        .short('I')
        .takes(Value::Always("WHEN"), Values::OneOf(&names(&INTERRUPTIBLE)))
        .more(
            "1 or anywhere: at once, and the program goes on. 2 or waiting (the default): when it \
             next waits for the program, which is soon; a program that it started gets the signal \
             too. 3 or never: fatal signals are ignored (the default with -o FILE PROG). \
             4 or never_tstp: these and Ctrl-Z are ignored (the default with -D). Where signals may \
             stop it, so does the end of whoever reads stderr, as in 2>&1 | head.",
        )
        .apply(|options, given| {
            options.follow.interruptible = Some(one_of(given, &INTERRUPTIBLE)?);
            Ok(())
        }),
    Flag::new("mechanism", "how calls are intercepted: auto, ptrace, sysemu, seccomp, agent")
        .takes(Value::Always("NAME"), Values::OneOf(&names(&MECHANISMS)))
        .more(
            "ptrace stops the program twice for each call; sysemu the same, but once for a call \
             that shunpike run answers. seccomp puts a filter into the kernel \
             that stops it only for calls of interest; it needs a program to start, so it does \
             not go with -p alone. agent puts code into the program that records its calls \
             without a stop; without -f it needs Linux 6.4, with -p that and -f, and is \
             taken out again where the program goes on; where descriptors are looked up (-y, -P) the \
             calls that use some stop all the same. auto takes the agent for programs that it starts, where nothing speaks \
             against it, else seccomp or ptrace; --toll and 'shunpike doctor' say which, and why. \
             Every mechanism shows the same.",
        )
        .apply(|options, given| {
            options.mechanism = one_of(given, &MECHANISMS)?;
            Ok(())
        }),
    Flag::new("placement", "where the program runs: auto or free")
        .takes(Value::Always("WHERE"), Values::OneOf(&names(&PLACEMENTS)))
        .more(
            "auto: a thread that makes all the stops shares the tracer's processor, which makes \
             each of them several times as cheap on an idle machine. It is let go as soon as it \
             computes, another one stops, or it makes a call by which it could notice. free: \
             wherever the kernel puts it.",
        )
        .apply(|options, given| {
            options.placement = one_of(given, &PLACEMENTS)?;
            Ok(())
        }),
    Flag::new("ring-size", "memory for the calls that a thread records itself (default 256K)").only(Of::Trace)
        .takes(Value::Always("SIZE"), Values::Any)
        .more(
            "A power of two from 16K to 16M, in bytes or with K or M behind it. Each thread whose \
             calls the agent records has so much; it takes what is used of it. Where it is full, \
             since the tracer has not come to it yet, calls stop; none is lost.",
        )
        .apply(|options, given| {
            let size = size(given.text()?).filter(|size| size.is_power_of_two());
            let size = size.filter(|size| RING_LENS.contains(size));
            let size = size.ok_or_else(|| given.invalid("it takes a power of two, 16K to 16M"))?;
            options.ring_size = Some(size);
            Ok(())
        }),
    Flag::new("seccomp-bpf", "prefer the seccomp mechanism, and warn where it cannot be used").only(Of::Trace)
        .more("Kept for strace's users: seccomp is used without asking where it pays.")
        .apply(|options, _| {
            options.seccomp_bpf = true;
            Ok(())
        }),
];
