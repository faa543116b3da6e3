//! The table of flags, and what is printed from it.

use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

use super::commands::{Program, SUBCOMMANDS};
use super::complete::SHELLS;
use super::flags::{Flag, Of, Values};
use super::{help, man};

/// The helps of the subcommands that have flags.
fn helps() -> Vec<String> {
    Of::ALL.map(|of| help::with_flags(&Program::new(None), of)).to_vec()
}

/// The flags of all subcommands.
fn all() -> impl Iterator<Item = &'static Flag> {
    Of::ALL.into_iter().flat_map(Of::flags)
}

/// What is printed, each with a name for messages.
fn printed() -> Vec<(&'static str, String)> {
    let mut printed = vec![("help", helps().concat()), ("man", man::page())];
    printed.extend(SHELLS.iter().map(|shell| (shell.name, (shell.script)())));
    printed
}

#[test]
fn no_two_flags_share_a_name() {
    for of in Of::ALL {
        let mut seen = HashSet::new();
        for flag in of.flags() {
            let names = flag.longs().map(|long| format!("--{long}"));
            let short = flag.short.into_iter().chain(flag.deprecated);
            let names = names.chain(short.map(|short| format!("-{short}")));
            for name in names.chain(flag.qualifiers.iter().map(|name| format!("-e {name}"))) {
                assert!(seen.insert(name.clone()), "{name}");
            }
        }
    }
}

#[test]
fn every_flag_is_printed_everywhere() {
    for (what, text) in printed() {
        let text = match what {
            "man" => text.replace("\\-", "-").replace("\\fB", " ").replace("\\fR", " "),
            "fish" => text.replace(" -l ", " --").replace(" -s ", " -"),
            _ => text,
        };
        let words: HashSet<&str> =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
        for flag in all() {
            let short = flag.short.map(|short| format!("-{short}"));
            for name in short.into_iter().chain([format!("--{}", flag.long)]) {
                assert!(words.contains(name.as_str()), "{name} in {what}");
            }
        }
    }
}

#[test]
fn every_subcommand_is_printed_everywhere() {
    let overview = ("help", help::overview());
    for (what, text) in printed().into_iter().skip(1).chain([overview]) {
        for subcommand in SUBCOMMANDS {
            assert!(text.contains(subcommand.name), "{} in {what}", subcommand.name);
        }
    }
}

#[test]
fn help_fits_a_hundred_columns() {
    for text in helps().into_iter().chain([help::overview()]) {
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn completions_offer_the_values_of_enumerations_and_the_classes() {
    for (what, text) in printed().into_iter().skip(2) {
        for flag in all() {
            let (Values::OneOf(names) | Values::SetOf(names)) = flag.values else { continue };
            for name in names {
                assert!(text.contains(name), "{what}: {name} of --{}", flag.long);
            }
        }
        for word in ["%file", "%%stat", "openat", "SIGINT", "trace="] {
            assert!(text.contains(word), "{what}: {word}");
        }
    }
}

/// What bash offers for the last of these words.
fn bash_offers(words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = (SHELLS[0].script)();
    let ask = format!(
        "compopt() {{ :; }}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_shunpike\nprintf '%s\\n' \
         \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1
    );
    let mut bash = Command::new("bash")
        .args(["--norc", "-u"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash starts");
    let mut input = bash.stdin.take().expect("its input is a pipe");
    input.write_all((script + &ask).as_bytes()).expect("bash reads");
    drop(input);
    let output = bash.wait_with_output().expect("bash ends");
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes() {
    // Readline hands on words broken at each equals sign.
    let cases: [(&[&str], &[&str]); 19] = [
        (&["shunpike", "tr"], &["trace"]),
        (&["shunpike", "run", "--expl"], &["--explain"]),
        (&["shunpike", "run", "--attac"], &[""]),
        (&["shunpike", "completions", "z"], &["zsh"]),
        (&["shunpike", "explain", "openat2"], &["openat2"]),
        (&["shunpike", "trace", "--summary-w"], &["--summary-wall-clock"]),
        (&["shunpike", "trace", "--color", "=", "al"], &["always"]),
        (&["shunpike", "trace", "--mechanism", "pt"], &["ptrace"]),
        (&["shunpike", "trace", "-e", "tra"], &["trace=", "trace-fds="]),
        (&["shunpike", "trace", "-e", "trace", "=", "%cl"], &["%clock"]),
        (&["shunpike", "trace", "-f", "-e", "trace", "=", "read,openat2"], &["read,openat2"]),
        (&["shunpike", "trace", "--trace", "=", "!%mem"], &["!%memory"]),
        (&["shunpike", "trace", "-e", "signal", "=", "SIGUSR1,SIGHU"], &["SIGUSR1,SIGHUP"]),
        (&["shunpike", "trace", "-I", "nev"], &["never", "never_tstp"]),
        (&["shunpike", "trace", "-fo", "x", "--toll", "ls", "--colo"], &[""]),
        (&["shunpike", "rewind", "--at-sy"], &["--at-symbol"]),
        (&["shunpike", "rewind", "-n", "5", "--at", "openat2"], &["openat2"]),
        (&["shunpike", "rewind", "--allow", "=", "locks,tim"], &["locks,timers"]),
        (&["shunpike", "rewind", "-t", "5", "-j", "2", "--inp"], &["--input", "--input-path"]),
    ];
    for (words, expected) in cases {
        assert_eq!(bash_offers(words), expected, "{words:?}");
    }
}
