//! Help, and what concerns Shunpike itself.

use super::{Flag, Given, Value, Values};
use crate::cli::options::{TipChoice, TraceOptions};
use crate::cli::usage::UsageError;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("debug", "tell on stderr what the tracer itself does")
        .short('d')
        .more(
            "A line for each thing: mechanism, the mechanism that was chosen, and why; seize and detach, \
             threads that it begins and ends to trace; wait, what the kernel has reported; resume, how \
             a thread goes on; task and exec, new threads and programs; verdict and delay, what -e \
             inject= does; agent, what happens in programs that record their calls themselves.",
        )
        .apply(|options, _| {
            options.debug = true;
            Ok(())
        }),
    Flag::new("tips", "print a tip at the end")
        .takes(Value::LongMaybe("WHICH"), Values::Any)
        .more("WHICH is [[id:]N|random],[[format:]none|compact|full]; any tip, in a line.")
        .apply(tips),
    Flag::new("help", "print this help").short('h'),
    Flag::new("version", "print the version").short('V'),
];

fn tips(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.tip = TipChoice::Random;
    let mut shown = true;
    let text = if given.value.is_some() { given.text()? } else { "" };
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let id = part.strip_prefix("id:").unwrap_or(part);
        let format = part.strip_prefix("format:").unwrap_or(part);
        match (id.parse(), id, format) {
            (Ok(number), ..) => options.tip = TipChoice::Number(number),
            (_, "random", _) => options.tip = TipChoice::Random,
            (.., "none") => shown = false,
            (.., "compact" | "full") => shown = true,
            _ => {
                return Err(given.invalid("it takes a number or random, and none, compact or full"));
            }
        }
    }
    if !shown {
        options.tip = TipChoice::None;
    }
    Ok(())
}
