//! Whether to use colours.

use std::ffi::OsString;

use super::options::ColorChoice;

/// Variables of the environment that speak of colours.
#[derive(Clone, Debug, Default)]
pub struct ColorEnv {
    /// `NO_COLOR`: set to anything but nothing, it forbids colours.
    pub no_color: Option<OsString>,
    /// `STRACE_COLORS`: set to nothing, it forbids colours.
    pub strace_colors: Option<OsString>,
    /// `TERM`: `dumb` has no colours.
    pub term: Option<OsString>,
}

impl ColorEnv {
    /// Reads the variables of this process.
    pub fn read() -> ColorEnv {
        ColorEnv {
            no_color: std::env::var_os("NO_COLOR"),
            strace_colors: std::env::var_os("STRACE_COLORS"),
            term: std::env::var_os("TERM"),
        }
    }
}

/// Decides whether to use colours: as chosen, or else on a terminal if nothing in the environment
/// speaks against it.
pub fn wanted(choice: ColorChoice, env: &ColorEnv, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            terminal
                && env.no_color.as_ref().is_none_or(|value| value.is_empty())
                && env.strace_colors.as_ref().is_none_or(|value| !value.is_empty())
                && env.term.as_ref().is_some_and(|term| !term.is_empty() && term != "dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ColorEnv, wanted};
    use crate::cli::options::ColorChoice::{self, Always, Auto, Never};

    #[test]
    fn decisions() {
        let cases: [(ColorChoice, [Option<&str>; 3], bool, bool); 10] = [
            (Auto, [None, None, Some("xterm")], true, true),
            (Auto, [None, None, Some("xterm")], false, false),
            (Auto, [Some("1"), None, Some("xterm")], true, false),
            (Auto, [Some(""), None, Some("xterm")], true, true),
            (Auto, [None, Some(""), Some("xterm")], true, false),
            (Auto, [None, Some("name=1"), Some("xterm")], true, true),
            (Auto, [None, None, Some("dumb")], true, false),
            (Auto, [None, None, None], true, false),
            (Always, [Some("1"), Some(""), Some("dumb")], false, true),
            (Never, [None, None, Some("xterm")], true, false),
        ];
        for (choice, variables, terminal, expected) in cases {
            let [no_color, strace_colors, term] = variables.map(|value| value.map(Into::into));
            let env = ColorEnv { no_color, strace_colors, term };
            assert_eq!(wanted(choice, &env, terminal), expected, "{choice:?} {env:?} {terminal}");
        }
    }
}
