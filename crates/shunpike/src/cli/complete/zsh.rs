//! Completions of zsh.

use std::fmt::Write;

use super::{Offer, calls, commands, qualified, set_of, shell_names, signals};
use crate::cli::commands::SUBCOMMANDS;
use crate::cli::flags::{Value, Values};

/// Everything that does not depend on the table.
const FRAME: &str = r#"
# A list parted by commas, perhaps behind a !.
_shunpike_set() {
    compset -P '!'
    _sequence compadd - "$@"
}

_shunpike() {
    local curcontext=$curcontext state line
    typeset -A opt_args
    _arguments -C \
        '(- *)'{-h,--help}'[print help]' \
        '(- *)'{-V,--version}'[print the version]' \
        '1: :->subcommand' \
        '*:: :->arguments' && return
    case $state in
        subcommand) _describe subcommand _shunpike_subcommands ;;
        arguments)
            case $words[1] in
                trace) _shunpike_trace ;;
                run) _shunpike_run ;;
                rewind) _shunpike_rewind ;;
                explain) _arguments "1:system call:($_shunpike_calls[3,-1])" ;;
                completions) _arguments "1:shell:($_shunpike_shells)" ;;
            esac
            ;;
    esac
}

_shunpike "$@"
"#;

/// The completions of zsh.
pub(super) fn script() -> String {
    let mut script = "#compdef shunpike\n# Completions of shunpike for zsh.\n\n".to_owned();
    let _ = writeln!(script, "_shunpike_shells='{}'", shell_names().join(" "));
    let _ = writeln!(script, "_shunpike_calls=({})", calls());
    let _ = writeln!(script, "_shunpike_signals=({})", signals());
    script.push_str("_shunpike_subcommands=(\n");
    for subcommand in SUBCOMMANDS {
        let _ = writeln!(script, "    '{}:{}'", subcommand.name, quoted(subcommand.help));
    }
    script.push_str(")\n\n_shunpike_expression() {\n");
    for (flag, name) in qualified() {
        let offer = set(flag.values).unwrap_or_default();
        let _ = writeln!(script, "    if compset -P '{name}='; then {offer}; return; fi");
    }
    let names: Vec<_> = qualified().map(|(_, name)| format!("{name}=")).collect();
    let _ = writeln!(script, "    compadd -S '' - {}", names.join(" "));
    script.push_str("    _shunpike_set $_shunpike_calls\n}\n\n");
    for (name, flags) in commands() {
        let _ = writeln!(script, "_shunpike_{name}() {{\n    _arguments -s -S : \\");
        flags.iter().for_each(|flag| script.push_str(&option(flag)));
        script.push_str(
            "        '(-)1:program:_command_names -e' \\\n        '*::arguments:_normal'\n}\n",
        );
    }
    script.push_str(FRAME);
    script
}

/// The command that offers a set of such values.
fn set(values: Values) -> Option<String> {
    Some(match values {
        Values::Calls => "_shunpike_set $_shunpike_calls".to_owned(),
        Values::Signals => "_shunpike_set $_shunpike_signals".to_owned(),
        Values::SetOf(names) => format!("_shunpike_set {}", set_of(names)),
        Values::OneOf(names) => format!("compadd - {}", names.join(" ")),
        _ => return None,
    })
}

/// The specifications of a flag for `_arguments`.
fn option(flag: &Offer) -> String {
    let mut lines = String::new();
    let offer = match flag.values {
        Values::Any => " ".to_owned(),
        Values::File => "_files".to_owned(),
        Values::Pids => "_pids".to_owned(),
        Values::User => "_users".to_owned(),
        Values::Expression => "_shunpike_expression".to_owned(),
        Values::OneOf(names) => format!("({})", names.join(" ")),
        values => set(values).unwrap_or_default(),
    };
    let help = quoted(flag.help).replace('[', "\\[").replace(']', "\\]");
    if let Some(short) = flag.short {
        let _ = match flag.value {
            Value::Always(name) => {
                writeln!(lines, "        '*-{short}+[{help}]:{}:{offer}' \\", plain(name))
            }
            _ => writeln!(lines, "        '*-{short}[{help}]' \\"),
        };
    }
    for long in &flag.longs {
        let _ = match flag.value {
            Value::Never => writeln!(lines, "        '*--{long}[{help}]' \\"),
            Value::Always(name) | Value::LongOnly(name) => {
                writeln!(lines, "        '*--{long}=[{help}]:{}:{offer}' \\", plain(name))
            }
            Value::LongMaybe(name) => {
                writeln!(lines, "        '*--{long}=-[{help}]::{}:{offer}' \\", plain(name))
            }
        };
    }
    lines
}

/// A value's name without what `_arguments` would read as its own.
fn plain(name: &str) -> String {
    name.replace(':', "\\:")
}

/// A text for single quotes.
fn quoted(text: &str) -> String {
    text.replace('\'', "'\\''").replace(':', "\\:")
}
