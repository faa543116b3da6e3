//! Completions of bash.

use std::fmt::Write;

use super::{Offer, REWIND_NAME, calls, commands, each, qualified, set_of, shell_names, signals};
use crate::cli::commands::SUBCOMMANDS;
use crate::cli::flags::{Value, Values};

/// Everything that does not depend on the table. The functions work on the words of the line, put
/// together again where readline broke them at an equals sign.
const FRAME: &str = r#"# Offers the words that start like the last item of a list; $1: the list so far.
_shunpike_list() {
    local item=${1##*[,!]} words=$2
    COMPREPLY=($(compgen -P "${1%"$item"}" -W "$words" -- "$item"))
    compopt -o nospace
}

# Offers what -e takes; $1: the expression so far.
_shunpike_expression() {
    if [[ $1 == *=* ]]; then
        _shunpike_value "-e ${1%%=*}" "${1#*=}"
    else
        COMPREPLY=($(compgen -W "$_shunpike_qualifiers $_shunpike_calls" -- "$1"))
        compopt -o nospace
    fi
}

# Offers the options of a subcommand, their values, and then a command.
_shunpike_flags() {
    local last=$((${#words[@]} - 1)) i
    local options=_shunpike_$1_options longs=_shunpike_$1_long_values
    local shorts=_shunpike_$1_short_values of=
    [[ $1 == rewind ]] && of='rewind '
    for ((i = 2; i < last; i++)); do
        case ${words[i]} in
            --) ((i++)); break ;;
            --*=*) ;;
            --*) [[ " ${!longs} " == *" ${words[i]} "* ]] && ((i++)) ;;
            -*) [[ ${words[i]} =~ ^-[^${!shorts}]*[${!shorts}]$ ]] && ((i++)) ;;
            *) break ;;
        esac
    done
    if ((i < last)); then
        compopt -o default
    elif ((i > last)); then
        _shunpike_value "$of${words[last - 1]}" "$cur"
    elif [[ $cur == --*=* ]]; then
        _shunpike_value "$of${cur%%=*}" "${cur#*=}"
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "${!options}" -- "$cur"))
    else
        COMPREPLY=($(compgen -c -- "$cur"))
    fi
}

_shunpike() {
    local words=() word cur
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if ((${#words[@]} > 1)) && [[ $word == = || ${words[-1]} == *= ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    cur=${words[-1]}
    if ((${#words[@]} == 2)); then
        COMPREPLY=($(compgen -W "$_shunpike_subcommands --help --version" -- "$cur"))
        return
    fi
    case ${words[1]} in
        trace | run | rewind) _shunpike_flags "${words[1]}" ;;
        explain) COMPREPLY=($(compgen -W "${_shunpike_calls#all none }" -- "$cur")) ;;
        completions) COMPREPLY=($(compgen -W "$_shunpike_shells" -- "$cur")) ;;
    esac
}

complete -F _shunpike shunpike
"#;

/// The completions of bash.
pub(super) fn script() -> String {
    let mut script = "# Completions of shunpike for bash.\n\n".to_owned();
    let subcommands: Vec<_> = SUBCOMMANDS.iter().map(|subcommand| subcommand.name).collect();
    let qualifiers: Vec<_> = qualified().map(|(_, name)| format!("{name}=")).collect();
    for (name, words) in [
        ("subcommands", subcommands.join(" ")),
        ("shells", shell_names().join(" ")),
        ("qualifiers", qualifiers.join(" ")),
        ("calls", calls()),
        ("signals", signals()),
    ] {
        let _ = writeln!(script, "_shunpike_{name}='{words}'");
    }
    for (name, flags) in commands() {
        let options: Vec<_> = flags.iter().flat_map(spellings).collect();
        let valued = flags.iter().filter(|flag| matches!(flag.value, Value::Always(_)));
        let short_values: String = valued.filter_map(|flag| flag.short).collect();
        let long_values: Vec<_> = flags
            .iter()
            .filter(|flag| matches!(flag.value, Value::Always(_) | Value::LongOnly(_)))
            .flat_map(|flag| flag.longs.iter().map(|long| format!("--{long}")))
            .collect();
        for (what, words) in [
            ("options", options.join(" ")),
            ("short_values", short_values),
            ("long_values", long_values.join(" ")),
        ] {
            let _ = writeln!(script, "_shunpike_{name}_{what}='{words}'");
        }
    }
    script.push_str("\n# Offers values; $1: the option or -e qualifier, behind the subcommand's name if that has its own;\n# $2: the value so far.\n");
    script.push_str("_shunpike_value() {\n    case $1 in\n");
    for (flag, of) in each() {
        if let Some(action) = action(flag.values) {
            let pattern = |spelling: String| match of[..] {
                [REWIND_NAME] => format!("'{REWIND_NAME} {spelling}'"),
                _ => spelling,
            };
            let mut patterns: Vec<String> = spellings(&flag).map(pattern).collect();
            patterns.extend(flag.qualifiers.iter().map(|name| format!("'-e {name}'")));
            let _ = writeln!(script, "        {}) {action} ;;", patterns.join(" | "));
        }
    }
    script.push_str("    esac\n}\n\n");
    script.push_str(FRAME);
    script
}

/// The short and the long names with their dashes.
fn spellings(flag: &Offer) -> impl Iterator<Item = String> {
    let short = flag.short.map(|short| format!("-{short}"));
    short.into_iter().chain(flag.longs.iter().map(|long| format!("--{long}")))
}

/// The command that offers such values.
fn action(values: Values) -> Option<String> {
    let words = |words: String| format!("COMPREPLY=($(compgen -W '{words}' -- \"$2\"))");
    Some(match values {
        Values::Any => return None,
        Values::File => "COMPREPLY=($(compgen -f -- \"$2\")); compopt -o filenames".to_owned(),
        Values::Pids => "COMPREPLY=($(cd /proc && compgen -G '[0-9]*' | grep \"^$2\"))".to_owned(),
        Values::User => "COMPREPLY=($(compgen -u -- \"$2\"))".to_owned(),
        Values::OneOf(names) => words(names.join(" ")),
        Values::SetOf(names) => format!("_shunpike_list \"$2\" '{}'", set_of(names)),
        Values::Calls => "_shunpike_list \"$2\" \"$_shunpike_calls\"".to_owned(),
        Values::Signals => "_shunpike_list \"$2\" \"$_shunpike_signals\"".to_owned(),
        Values::Expression => "_shunpike_expression \"$2\"".to_owned(),
    })
}
