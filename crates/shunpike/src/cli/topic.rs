//! What `shunpike explain` is asked about.

use table::arch::x86_64;
use table::{Call, Classes};

use super::usage::UsageError;
use crate::explain;

/// The explanation of a call, by name or number, or of a `%class`; of the call's arguments that
/// depend on a value, only the case of this one.
pub(super) fn explain(topic: &str, value: Option<&str>) -> Result<String, UsageError> {
    if let Some(name) = topic.strip_prefix('%') {
        let class = Classes::NAMES.iter().find(|(known, _)| *known == name);
        let Some((_, class)) = class else {
            let names: Vec<_> = Classes::NAMES.iter().map(|(name, _)| format!("%{name}")).collect();
            return Err(UsageError::new(format!("unknown class '{topic}'"))
                .way_out(format!("the classes are {}", names.join(", "))));
        };
        return Ok(explain::class(name, *class));
    }
    let call = topic.parse().map_or_else(|_| x86_64::by_name(topic), x86_64::call);
    let call = call.ok_or_else(|| unknown(topic))?;
    let Some(value) = value else { return Ok(explain::call(call, None)) };
    let known = explain::values(call);
    if known.iter().any(|known| known == value) {
        return Ok(explain::call(call, Some(value)));
    }
    Err(not_a_value(call, value, &known))
}

fn unknown(topic: &str) -> UsageError {
    UsageError::new(format!("unknown system call '{topic}'"))
        .way_out("explain %file lists the calls of a class")
        .nearest(topic, x86_64::calls().map(|call| call.name))
}

fn not_a_value(call: &Call, value: &str, known: &[String]) -> UsageError {
    let way_out = match known {
        [] => "leave it out".to_owned(),
        _ => format!("explain {} tells what there is", call.name),
    };
    UsageError::new(format!("nothing of {} depends on '{value}'", call.name))
        .way_out(way_out)
        .nearest(value, known.iter().map(String::as_str))
}
