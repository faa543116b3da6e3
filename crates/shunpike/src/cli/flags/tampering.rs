use super::{Flag, Value, Values};

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("inject", "tamper with the calls in SET")
        .qualifiers(&["inject"])
        .takes(Value::Always("SET[:WHAT]..."), Values::Calls),
    Flag::new("fault", "make the calls in SET fail")
        .qualifiers(&["fault"])
        .takes(Value::Always("SET[:WHAT]..."), Values::Calls),
];
