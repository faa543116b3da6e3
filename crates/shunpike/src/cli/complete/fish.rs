//! Completions of fish.

use std::fmt::Write;

use super::{Offer, calls, commands, each, qualified, set_of, shell_names, signals};
use crate::cli::commands::SUBCOMMANDS;
use crate::cli::flags::{Value, Values};

/// What holds while no subcommand, or this one, is on the line.
const NO_SUBCOMMAND: &str = "complete -c shunpike -n __fish_use_subcommand";
const IN_EXPLAIN: &str = "complete -c shunpike -n '__fish_seen_subcommand_from explain'";
const IN_COMPLETIONS: &str = "complete -c shunpike -n '__fish_seen_subcommand_from completions'";

/// The completions of fish.
pub(super) fn script() -> String {
    let mut script = "# Completions of shunpike for fish.\n\n".to_owned();
    function(&mut script, "calls", &format!("string split ' ' '{}'", calls()));
    function(&mut script, "signals", &format!("string split ' ' '{}'", signals()));
    function(&mut script, "expressions", &expressions());

    let _ = writeln!(script, "{NO_SUBCOMMAND} -s h -l help -d 'print this help'");
    let _ = writeln!(script, "{NO_SUBCOMMAND} -s V -l version -d 'print the version'");
    for subcommand in SUBCOMMANDS {
        let (name, help) = (subcommand.name, quote(subcommand.help));
        let _ = writeln!(script, "{NO_SUBCOMMAND} -f -a {name} -d {help}");
    }
    let _ = writeln!(script, "{IN_EXPLAIN} -f -a '(__shunpike_calls)'");
    let _ = writeln!(script, "{IN_COMPLETIONS} -f -a '{}'", shell_names().join(" "));
    let names: Vec<_> = commands().into_iter().map(|(name, _)| name).collect();
    let commands = "-f -a '(__fish_complete_subcommand --fcs-skip=2)'";
    let _ = writeln!(script, "{} {commands}", within(&names));
    for (flag, of) in each() {
        script.push_str(&option(&flag, &within(&of)));
    }
    script
}

/// What holds while one of these subcommands is on the line.
fn within(names: &[&str]) -> String {
    format!("complete -c shunpike -n '__fish_seen_subcommand_from {}'", names.join(" "))
}

fn function(script: &mut String, name: &str, body: &str) {
    let _ = writeln!(script, "function __shunpike_{name}\n    {body}\nend\n");
}

/// The lines that print what `-e` takes.
fn expressions() -> String {
    let mut lines = vec!["__shunpike_calls".to_owned()];
    for (flag, name) in qualified() {
        lines.push(match flag.values {
            Values::Calls => format!("printf '{name}=%s\\n' (__shunpike_calls)"),
            Values::Signals => format!("printf '{name}=%s\\n' (__shunpike_signals)"),
            Values::SetOf(names) => format!("printf '{name}=%s\\n' {}", set_of(names)),
            Values::OneOf(names) => format!("printf '{name}=%s\\n' {}", names.join(" ")),
            _ => format!("echo {name}="),
        });
    }
    lines.join("\n    ")
}

/// The line for each long name of a flag, the first with the short name too.
fn option(flag: &Offer, within: &str) -> String {
    let mut lines = String::new();
    let offer = match flag.values {
        Values::Any => "-x".to_owned(),
        Values::File => "-r -F".to_owned(),
        Values::Pids => "-x -a '(__fish_complete_pids)'".to_owned(),
        Values::User => "-x -a '(__fish_complete_users)'".to_owned(),
        Values::OneOf(names) => format!("-x -a '{}'", names.join(" ")),
        Values::SetOf(names) => {
            let words = set_of(names).replace(' ', "\\n");
            format!("-x -a '(__fish_complete_list , \"printf \\'{words}\\'\")'")
        }
        Values::Calls => "-x -a '(__fish_complete_list , __shunpike_calls)'".to_owned(),
        Values::Signals => "-x -a '(__fish_complete_list , __shunpike_signals)'".to_owned(),
        Values::Expression => "-x -a '(__shunpike_expressions)'".to_owned(),
    };
    let help = quote(flag.help);
    if let (Some(short), Value::LongOnly(_) | Value::LongMaybe(_)) = (flag.short, flag.value) {
        let _ = writeln!(lines, "{within} -s {short} -d {help}");
    }
    for &long in &flag.longs {
        let is_first = Some(&long) == flag.longs.first();
        let _ = match (flag.short, flag.value) {
            (Some(short), Value::Never) if is_first => {
                writeln!(lines, "{within} -s {short} -l {long} -d {help}")
            }
            (Some(short), Value::Always(_)) if is_first => {
                writeln!(lines, "{within} -s {short} -l {long} {offer} -d {help}")
            }
            (_, Value::Never) => writeln!(lines, "{within} -l {long} -d {help}"),
            (_, Value::LongMaybe(_)) => {
                let optional = offer.trim_start_matches("-x").trim_start_matches("-r");
                writeln!(lines, "{within} -l {long}{optional} -d {help}")
            }
            _ => writeln!(lines, "{within} -l {long} {offer} -d {help}"),
        };
    }
    lines
}

/// A text in single quotes.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
