//! The filter by which the kernel makes calls, or asks the broker: also about those that are refused whatever
//! their arguments are, since it tells what was refused.

use contract::Enforcement;
use kernel::ptrace::AUDIT_ARCH_X86_64;
use kernel::seccomp::{Action, Assembler, Field, Label, Program, Test, TooLong};

use super::calls::{
    Condition, LAST_KNOWN, OPENING, PERFORMED, REFUSED, REFUSED_IF, REFUSED_IF_HIDDEN,
    REFUSED_IF_READABLE,
};
use super::naming;
use crate::mechanism::seccomp::MESSAGE;

/// Negative numbers are no calls: of one that was answered, for one.
const NONE: u32 = 0x8000_0000;

/// For the tracer, who is not to have such a call made. Where a stop at its entry has told all (`ptrace`), and it
/// is to be made all the same, this is not the message that permits it.
const STOP: Action = Action::Trace(!MESSAGE);

/// Flags with which an open changes something.
const OPENED_TO_CHANGE: u32 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u32
    // `O_TMPFILE` without `O_DIRECTORY`.
    | 0x40_0000;

/// Calls that guests make under the filter before their program begins, or that end or begin it: these
/// are decided upon at their stops, by registers alone.
pub const AT_STOPS: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_sendmsg,
    libc::SYS_seccomp,
    libc::SYS_prctl,
];

/// When the broker is asked about the calls of a number.
#[derive(Clone, Debug)]
enum Fate {
    Always,
    /// If one of these groups of conditions holds; else the call is made.
    If(Vec<&'static [Condition]>),
    /// It opens a file.
    Opens(Opens),
}

/// What becomes of calls that open files. About those that change any the broker is asked.
#[derive(Clone, Copy, Debug)]
struct Opens {
    /// The argument with the flags.
    flags: u8,
    /// Of those that only name a file.
    named: Action,
    /// Of those that read one.
    read: Action,
}

/// The filter of what is forbidden.
pub fn of(enforcement: &Enforcement) -> Result<Program, TooLong> {
    let mut code = Assembler::new();
    let (native, none, call, known, unknown) =
        (code.label(), code.label(), code.label(), code.label(), code.label());
    code.load(Field::Arch);
    code.jump(Test::Equal(AUDIT_ARCH_X86_64), native, unknown);
    code.bind(native);
    code.load(Field::Number);
    code.jump(Test::AtLeast(NONE), none, call);
    code.bind(none);
    code.ret(Action::Allow);
    code.bind(call);
    code.jump(Test::AtLeast(LAST_KNOWN as u32 + 1), unknown, known);
    code.bind(known);
    let fates: Vec<(u32, Fate)> = (0..=LAST_KNOWN as u32)
        .filter_map(|number| Some((number, fate(enforcement, number)?)))
        .collect();
    search(&mut code, &fates);
    code.bind(unknown);
    code.ret(Action::Notify);
    code.assemble()
}

/// When the broker is asked about the calls of this number; `None`: they are made.
fn fate(enforcement: &Enforcement, number: u32) -> Option<Fate> {
    let is = |call: &libc::c_long| *call as u64 == u64::from(number);
    let is_forbidden = enforcement.calls.iter().any(|calls| calls.calls.contains(number.into()));
    if is_forbidden && !AT_STOPS.iter().any(is) || REFUSED.iter().any(|(call, ..)| is(call)) {
        return Some(Fate::Always);
    }
    let (hides, keeps) = (enforcement.hides(), enforcement.keeps());
    if let Some((_, flags)) = OPENING.iter().find(|(call, _)| is(call)) {
        return match flags {
            _ if !hides && !keeps => None,
            None => Some(Fate::Always),
            // Nobody changes anything by what only names.
            Some(flags) if !hides => {
                let (named, read) = (Action::Allow, Action::Allow);
                Some(Fate::Opens(Opens { flags: *flags, named, read }))
            }
            Some(flags) => {
                let named = if naming::is_possible(enforcement) { STOP } else { Action::Notify };
                Some(Fate::Opens(Opens { flags: *flags, named, read: Action::Notify }))
            }
        };
    }
    let performed = PERFORMED.iter().find(|call| is(&call.number));
    if performed.is_some_and(|call| hides || keeps && call.writes()) {
        return Some(Fate::Always);
    }
    if is(&libc::SYS_bind) && (hides || keeps) || is(&libc::SYS_connect) && hides {
        return Some(Fate::Always);
    }
    let conditional = REFUSED_IF
        .iter()
        .chain(REFUSED_IF_HIDDEN.iter().filter(|_| hides))
        .chain(REFUSED_IF_READABLE.iter().filter(|_| keeps));
    let groups: Vec<_> =
        conditional.filter(|(call, ..)| is(call)).map(|(_, conditions, ..)| *conditions).collect();
    (!groups.is_empty()).then_some(Fate::If(groups))
}

/// Code that searches the loaded number among these, halving them with each comparison.
fn search(code: &mut Assembler, fates: &[(u32, Fate)]) {
    match fates {
        [] => code.ret(Action::Allow),
        [(number, fate)] => {
            let (this, other) = (code.label(), code.label());
            code.jump(Test::Equal(*number), this, other);
            code.bind(other);
            code.ret(Action::Allow);
            code.bind(this);
            decide(code, fate);
        }
        _ => {
            let (below, above) = fates.split_at(fates.len() / 2);
            let (from_middle, before) = (code.label(), code.label());
            code.jump(Test::AtLeast(above[0].0), from_middle, before);
            code.bind(before);
            search(code, below);
            code.bind(from_middle);
            search(code, above);
        }
    }
}

fn decide(code: &mut Assembler, fate: &Fate) {
    match fate {
        Fate::Always => code.ret(Action::Notify),
        Fate::Opens(opens) => {
            let (named, other, changes, reads) =
                (code.label(), code.label(), code.label(), code.label());
            code.load(Field::Low(opens.flags));
            code.jump(Test::Bits(libc::O_PATH as u32), named, other);
            code.bind(named);
            code.ret(opens.named);
            code.bind(other);
            code.jump(Test::Bits(OPENED_TO_CHANGE), changes, reads);
            code.bind(changes);
            code.ret(Action::Notify);
            code.bind(reads);
            code.ret(opens.read);
        }
        Fate::If(groups) => {
            for group in groups {
                let next = code.label();
                group.iter().for_each(|condition| hold(code, condition, next));
                code.ret(Action::Notify);
                code.bind(next);
            }
            code.ret(Action::Allow);
        }
    }
}

/// Code that goes on if a condition holds, else at `otherwise`.
fn hold(code: &mut Assembler, condition: &Condition, otherwise: Label) {
    let holds = code.label();
    match condition {
        Condition::Bits(index, bits) => {
            code.load(Field::Low(*index));
            code.jump(Test::Bits(*bits), holds, otherwise);
        }
        Condition::OneOf(index, values) => {
            code.load(Field::Low(*index));
            for (place, value) in values.iter().enumerate() {
                let is_last = place + 1 == values.len();
                let next = if is_last { otherwise } else { code.label() };
                code.jump(Test::Equal(*value), holds, next);
                if !is_last {
                    code.bind(next);
                }
            }
        }
    }
    code.bind(holds);
}
