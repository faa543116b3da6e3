use super::Flag;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("debug", "tell on stderr what the tracer itself does").short('d'),
    Flag::new("help", "print this help").short('h'),
    Flag::new("version", "print the version").short('V'),
];
