//! What is done to calls.

use super::{Flag, Given, Value, Values};
use crate::cli::injection::{self, Injection, Wrong};
use crate::cli::options::TraceOptions;
use crate::cli::usage::UsageError;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("inject", "tamper with the calls in SET; may be repeated")
        .qualifiers(&["inject"])
        .takes(Value::Always("SET[:WHAT]..."), Values::Calls)
        .more(
            "Of the calls in SET only those are tampered with that are traced (-e trace=, -P). If \
             several injections name a call, the last one counts. WHAT is\n\n\
             error=ERRNO: the call is not made, and fails with this error, a name or a number.\n\n\
             retval=VALUE: the call is not made, and returns this.\n\n\
             syscall=CALL: with error= or retval=, this call is made instead, one of %pure.\n\n\
             signal=SIG: the thread gets this signal as it enters the call.\n\n\
             delay_enter=TIME, delay_exit=TIME: the thread is held up before or behind the call; in \
             microseconds, or with s, ms, us or ns behind it.\n\n\
             poke_enter=@argN=BYTES[,@argM=BYTES]..., poke_exit=: what the argument points to is \
             written over before or behind the call. BYTES are hexadecimal digits, N is 1 for the \
             first argument.\n\n\
             when=FIRST[..LAST][+[STEP]]: only these invocations. Each thread counts its own, from \
             1, and each call by itself.",
        )
        .apply(|options, given| add(options, given, injection::inject)),
    Flag::new("fault", "make the calls in SET fail; may be repeated")
        .qualifiers(&["fault"])
        .takes(Value::Always("SET[:WHAT]..."), Values::Calls)
        .more("As -e inject=SET:error=ENOSYS. WHAT is error=, syscall= or when=.")
        .apply(|options, given| add(options, given, injection::fault)),
];

fn add(
    options: &mut TraceOptions,
    given: &Given<'_>,
    parse: fn(&str) -> Result<Injection, Wrong>,
) -> Result<(), UsageError> {
    let injection = parse(given.text()?).map_err(|wrong| match wrong {
        Wrong::Set(error) => error,
        Wrong::What(way_out) => {
            let name = given.spelling.trim_start_matches("-e ").trim_start_matches("--");
            let value = given.value.unwrap_or_default().to_string_lossy();
            UsageError::new(format!("invalid {name} argument '{value}'")).way_out(way_out)
        }
    })?;
    options.injections.push(injection);
    Ok(())
}
