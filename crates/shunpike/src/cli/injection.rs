//! The language of `-e inject=` and `-e fault=`: `SET[:WHAT]...`, as `strace(1)` has it.

use std::time::Duration;

use contract::{Beside, CallSet, Poke, Reply};
use table::arch::x86_64;
use table::{Classes, Id, errno};

use super::duration::duration_of;
use super::filter::{call_set, signal_number};
use super::usage::UsageError;

/// How some calls are tampered with.
#[derive(Clone, PartialEq, Debug)]
pub struct Injection {
    /// The calls. Of several injections for a call the last one counts.
    pub calls: CallSet,
    /// What these calls return instead of being made.
    pub reply: Option<Reply>,
    /// The call without arguments that is made in their place, where they are not made.
    pub instead: Option<Id>,
    /// A signal that comes as they are entered.
    pub signal: Option<i32>,
    /// What is done before them. Arguments count from 0.
    pub before: Beside,
    /// What is done behind them.
    pub after: Beside,
    /// Which invocations by a thread are meant.
    pub when: When,
}

/// Which invocations are meant: `first`, `first + step` and so on up to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    first: u64,
    last: u64,
    step: u64,
}

impl When {
    /// Each.
    const ALWAYS: When = When { first: 1, last: u64::MAX, step: 1 };

    /// Whether the invocation of this number, from 1, is meant.
    pub fn is_due(&self, invocation: u64) -> bool {
        (self.first..=self.last).contains(&invocation)
            && (invocation - self.first).is_multiple_of(self.step)
    }
}

/// The largest number of a first invocation or a step; that of a last one is one less.
const MOST: u64 = 65535;
/// The largest error that a kernel returns.
const MAX_ERRNO: u32 = 4095;

/// What is wrong with an expression, and the way out.
pub(super) enum Wrong {
    /// Its set of calls.
    Set(UsageError),
    /// What shall be done to them.
    What(String),
}

/// Parses an expression of `inject=`.
pub(super) fn inject(text: &str) -> Result<Injection, Wrong> {
    let injection = parse(text, &[])?;
    let Injection { reply, signal, before, after, .. } = &injection;
    if reply.is_none() && signal.is_none() && before.is_nothing() && after.is_nothing() {
        return Err(Wrong::What(
            "it says nothing to do: error=, retval=, signal=, delay_enter=, delay_exit=, \
             poke_enter= or poke_exit="
                .to_owned(),
        ));
    }
    Ok(injection)
}

/// Parses an expression of `fault=`.
pub(super) fn fault(text: &str) -> Result<Injection, Wrong> {
    let only = ["error", "syscall", "when"];
    let injection = parse(text, &only)?;
    let reply =
        injection.reply.or(errno::by_name("ENOSYS").map(|error| Reply::Error(error as u16)));
    Ok(Injection { reply, ..injection })
}

/// Parses an expression whose parts have these names; any, if there are none.
fn parse(text: &str, names: &[&str]) -> Result<Injection, Wrong> {
    let mut parts = text.split(':');
    let set = parts.next().unwrap_or_default();
    let mut injection = Injection {
        calls: call_set(set).map_err(Wrong::Set)?,
        reply: None,
        instead: None,
        signal: None,
        before: Beside::default(),
        after: Beside::default(),
        when: When::ALWAYS,
    };
    for part in parts.filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if !names.is_empty() && !names.contains(&name) {
            let names = names.join("=, ");
            return Err(Wrong::What(format!("behind the calls it takes {names}=")));
        }
        injection.add(name, value).map_err(Wrong::What)?;
    }
    Ok(injection)
}

impl Injection {
    /// What its user may not have thought of, if there is something: results that are errors, or that
    /// 32-bit programs see otherwise.
    pub(super) fn warning(&self) -> Option<String> {
        let Some(Reply::Value(value)) = self.reply else { return None };
        let narrow = value as u32;
        let error = |value: i64| (-i64::from(MAX_ERRNO)..0).contains(&value).then(|| -value);
        if let Some(error) = error(value as i64) {
            Some(format!("Inadvertent injection of error {error} is possible for retval={value}"))
        } else if let Some(error) = error((narrow as i32).into()) {
            Some(format!(
                "Inadvertent injection of error {error} is possible in compat personality for \
                 retval={value}"
            ))
        } else if u64::from(narrow) != value {
            Some(format!(
                "Injected return value {value} will be clipped to {narrow} in compat personality"
            ))
        } else {
            None
        }
    }

    /// Takes one part of an expression in. Fails with the way out.
    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "error" => self.reply(error(value).ok_or_else(|| {
                format!("error= takes a name like ENOENT, or a number from 1 to {MAX_ERRNO}")
            })?),
            "retval" => self.reply(
                whole(value)
                    .map(Reply::Value)
                    .ok_or("retval= takes a number of 64 bits at most")?,
            ),
            "signal" => {
                let signal = signal_number(value)
                    .ok_or("signal= takes a name like SIGUSR1, or a number from 1 to 64")?;
                once(name, &mut self.signal, signal as i32)
            }
            "syscall" => {
                let call = pure(value).ok_or_else(|| {
                    let names: Vec<_> = all_pure().map(|call| call.name).collect();
                    format!("syscall= takes a call without arguments: {}", names.join(", "))
                })?;
                once(name, &mut self.instead, call)
            }
            "delay_enter" => once(name, &mut self.before.delay, delay(name, value)?),
            "delay_exit" => once(name, &mut self.after.delay, delay(name, value)?),
            "poke_enter" => pokes(name, &mut self.before.pokes, value),
            "poke_exit" => pokes(name, &mut self.after.pokes, value),
            "when" => {
                self.when = when(value).ok_or_else(|| {
                    format!(
                        "when= takes FIRST[..LAST][+[STEP]], FIRST and STEP from 1 to {MOST}, LAST \
                         from FIRST to {}",
                        MOST - 1
                    )
                })?;
                Ok(())
            }
            _ => {
                Err("behind the calls it takes error=, retval=, signal=, syscall=, delay_enter=, \
                      delay_exit=, poke_enter=, poke_exit= and when="
                    .to_owned())
            }
        }
    }

    fn reply(&mut self, reply: Reply) -> Result<(), String> {
        once("error= or retval", &mut self.reply, reply)
    }
}

/// Sets what may be said once.
fn once<T>(name: &str, place: &mut Option<T>, value: T) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{name}= may be given once")),
    }
}

fn error(text: &str) -> Option<Reply> {
    let number = match text.parse() {
        Ok(number) => number,
        Err(_) => errno::by_name(&text.to_ascii_uppercase())?,
    };
    (1..=MAX_ERRNO).contains(&number).then_some(Reply::Error(number as u16))
}

/// A number as C writes it, negative ones as the same bits.
fn whole(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.strip_prefix("0x") {
        Some(digits) => (16, digits),
        None if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        None => (10, &lower[..]),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = u64::from_str_radix(digits, radix).ok()?;
    if !negative { Some(number) } else { (number <= 1 << 63).then_some(number.wrapping_neg()) }
}

fn delay(name: &str, text: &str) -> Result<Duration, String> {
    let wrong = || format!("{name}= takes a time like 1000, 250us, 10ms or 1.5s");
    duration_of(text).ok_or_else(wrong)
}

fn all_pure() -> impl Iterator<Item = Id> {
    let pure = x86_64::calls().filter(|call| call.classes.intersects(Classes::PURE));
    pure.map(|call| Id { number: call.number, name: call.name })
}

fn pure(name: &str) -> Option<Id> {
    all_pure().find(|call| call.name == name)
}

/// Parses `@argN=HEX[,@argN=HEX]...`.
fn pokes(name: &str, pokes: &mut Vec<Poke>, text: &str) -> Result<(), String> {
    if !pokes.is_empty() {
        return Err(format!("{name}= may be given once"));
    }
    let wrong = || {
        format!(
            "{name}= takes @argN=BYTES[,@argN=BYTES]..., N from 1 to 7, each once, BYTES pairs of \
             hexadecimal digits"
        )
    };
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let poke = poke(item).ok_or_else(wrong)?;
        if pokes.iter().any(|other| other.arg == poke.arg) {
            return Err(wrong());
        }
        pokes.push(poke);
    }
    if pokes.is_empty() { Err(wrong()) } else { Ok(()) }
}

fn poke(text: &str) -> Option<Poke> {
    let (place, data) = text.strip_prefix("@arg")?.split_once('=')?;
    let arg = ["1", "2", "3", "4", "5", "6", "7"].iter().position(|known| *known == place)? as u8;
    let digits = data.as_bytes();
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let pair = |pair: &[u8]| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    let bytes: Vec<u8> = digits.chunks(2).map(pair).collect::<Option<_>>()?;
    (!bytes.is_empty()).then_some(Poke { arg, bytes })
}

fn when(text: &str) -> Option<When> {
    let number = |text: &str, most| text.parse().ok().filter(|number| (1..=most).contains(number));
    // A plus sign in front is part of the first number.
    let plus = text.char_indices().skip(1).find(|(_, sign)| *sign == '+').map(|(at, _)| at);
    let (range, step) = match plus {
        Some(plus) => (&text[..plus], Some(&text[plus + 1..])),
        None => (text, None),
    };
    let (first, last) = match range.split_once("..") {
        Some((first, last)) => (number(first, MOST)?, Some(number(last, MOST - 1)?)),
        None => (number(range, MOST)?, None),
    };
    let last = match (last, step) {
        (Some(last), _) if last < first => return None,
        (Some(last), _) => last,
        (None, Some(_)) => u64::MAX,
        (None, None) => first,
    };
    let step = match step {
        None | Some("") => 1,
        Some(step) if step.starts_with('+') => return None,
        Some(step) => number(step, MOST)?,
    };
    Some(When { first, last, step })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(text: &str) -> Injection {
        match inject(text) {
            Ok(injection) => injection,
            Err(Wrong::Set(error)) => panic!("{text}: {error}"),
            Err(Wrong::What(error)) => panic!("{text}: {error}"),
        }
    }

    #[test]
    fn replies() {
        let cases = [
            ("error=ENOENT", Reply::Error(2)),
            ("error=enoent", Reply::Error(2)),
            ("error=4095", Reply::Error(4095)),
            ("error=ERESTARTSYS", Reply::Error(512)),
            ("retval=0x7f", Reply::Value(127)),
            ("retval=010", Reply::Value(8)),
            ("retval=0", Reply::Value(0)),
            ("retval=-1", Reply::Value(u64::MAX)),
            ("retval=18446744073709551615", Reply::Value(u64::MAX)),
            ("retval=-9223372036854775808", Reply::Value(1 << 63)),
        ];
        for (text, reply) in cases {
            assert_eq!(injected(&format!("chdir:{text}")).reply, Some(reply), "{text}");
        }
    }

    #[test]
    fn invocations() {
        let cases: [(&str, &[u64]); 10] = [
            ("1", &[1]),
            ("+1", &[1]),
            ("3+", &[3, 4, 5, 6, 7, 8]),
            ("2+2", &[2, 4, 6, 8]),
            ("2..3", &[2, 3]),
            ("2..3+", &[2, 3]),
            ("1..7+3", &[1, 4, 7]),
            ("2..2", &[2]),
            ("65535", &[]),
            ("1+65535", &[1]),
        ];
        for (text, due) in cases {
            let when = when(text).unwrap_or_else(|| panic!("{text}"));
            let found: Vec<u64> = (1..=8).filter(|&invocation| when.is_due(invocation)).collect();
            assert_eq!(found, due, "{text}");
        }
    }

    #[test]
    fn what_is_done_beside() {
        let injection = injected(
            "chdir:signal=usr1:delay_enter=5:delay_exit=2ms:poke_exit=@arg2=00fF,@arg1=7a:\
             syscall=getuid:when=1:when=2",
        );
        assert_eq!(injection.signal, Some(10));
        assert_eq!(injection.before.delay, Some(Duration::from_micros(5)));
        assert_eq!(injection.after.delay, Some(Duration::from_millis(2)));
        let poke = |arg, bytes: &[u8]| Poke { arg, bytes: bytes.to_vec() };
        assert_eq!(injection.after.pokes, [poke(1, &[0, 255]), poke(0, b"z")]);
        assert_eq!(injection.instead.map(|call| call.name), Some("getuid"));
        assert!(!injection.when.is_due(1) && injection.when.is_due(2));
    }

    #[test]
    fn a_fault_is_enosys_by_default() {
        for (text, error) in [("chdir", 38), ("chdir:", 38), ("chdir:error=EPERM:when=1", 1)] {
            assert_eq!(fault(text).ok().unwrap().reply, Some(Reply::Error(error)), "{text}");
        }
        for text in ["retval=3", "signal=CHLD", "delay_enter=1", "poke_exit=@arg1=00"] {
            assert!(fault(&format!("chdir:{text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn what_strace_refuses() {
        let cases = [
            "",
            ":",
            ":error",
            ":error=",
            ":error=FOO",
            ":error=0",
            ":error=4096",
            ":error=-1",
            ":error=0x10",
            ":error=1:retval=1",
            ":error=1:error=2",
            ":retval=",
            ":retval=1x",
            ":retval=99999999999999999999",
            ":signal=",
            ":signal=SIGFOO",
            ":signal=0",
            ":signal=65",
            ":signal=CHLD:signal=CHLD",
            ":when=1",
            ":syscall=getpid",
            ":syscall=open:error=1",
            ":syscall=39:error=1",
            ":syscall=getpid:syscall=getuid:error=1",
            ":foo=1",
            ":error=1:foo",
            ":delay_enter=",
            ":delay_enter=1m",
            ":delay_enter=-1",
            ":delay_enter=0x10",
            ":delay_enter=1:delay_enter=2",
            ":poke_enter=",
            ":poke_enter=@arg1",
            ":poke_enter=@arg1=",
            ":poke_enter=@arg1=2f7",
            ":poke_enter=@arg1=zz",
            ":poke_enter=@arg1=0x00",
            ":poke_enter=@arg0=00",
            ":poke_enter=@arg8=00",
            ":poke_enter=@arg01=00",
            ":poke_enter=arg1=00",
            ":poke_enter=@arg1=00,@arg1=01",
            ":poke_enter=@arg1=00:poke_enter=@arg2=00",
        ];
        let whens =
            ["", "0", "3..2", "65536", "1..65535", "1+65536", "1+0", "1..2..3", "1++", "-1"];
        let whens = whens.iter().chain(&["1.", "1..", "1x", "0x2", "1+1..2", "1..+", "..2"]);
        let whens = whens.map(|when| format!(":error=1:when={when}"));
        for what in cases.into_iter().map(str::to_owned).chain(whens) {
            assert!(inject(&format!("chdir{what}")).is_err(), "{what}");
        }
    }
}
