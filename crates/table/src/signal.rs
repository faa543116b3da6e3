//! Signal numbers and their names.

/// How many signals there are; they count from 1.
pub const COUNT: u32 = 64;

static NAMES: [&str; COUNT as usize] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
    "SIGRTMIN",
    "SIGRT_1",
    "SIGRT_2",
    "SIGRT_3",
    "SIGRT_4",
    "SIGRT_5",
    "SIGRT_6",
    "SIGRT_7",
    "SIGRT_8",
    "SIGRT_9",
    "SIGRT_10",
    "SIGRT_11",
    "SIGRT_12",
    "SIGRT_13",
    "SIGRT_14",
    "SIGRT_15",
    "SIGRT_16",
    "SIGRT_17",
    "SIGRT_18",
    "SIGRT_19",
    "SIGRT_20",
    "SIGRT_21",
    "SIGRT_22",
    "SIGRT_23",
    "SIGRT_24",
    "SIGRT_25",
    "SIGRT_26",
    "SIGRT_27",
    "SIGRT_28",
    "SIGRT_29",
    "SIGRT_30",
    "SIGRT_31",
    "SIGRT_32",
];

/// The name of a signal: `SIGINT`, `SIGRT_5`.
pub fn name(signal: u32) -> Option<&'static str> {
    NAMES.get(usize::try_from(signal.checked_sub(1)?).ok()?).copied()
}

/// The number of a signal by its name, with or without the leading `SIG`.
pub fn by_name(name: &str) -> Option<u32> {
    let bare = name.strip_prefix("SIG").unwrap_or(name);
    (1..).zip(NAMES).find(|(_, known)| &known[3..] == bare).map(|(signal, _)| signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (signal, expected) in
            [(1, "SIGHUP"), (9, "SIGKILL"), (31, "SIGSYS"), (32, "SIGRTMIN"), (64, "SIGRT_32")]
        {
            assert_eq!(name(signal), Some(expected));
            assert_eq!(by_name(expected), Some(signal));
        }
        assert_eq!(by_name("INT"), Some(2));
        assert!(name(0).is_none() && name(65).is_none() && by_name("NOPE").is_none());
    }
}
