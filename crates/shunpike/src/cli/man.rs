//! The manual page, in roff with the `man` macros: see `man(7)`.

use std::fmt::Write;

use super::commands::SUBCOMMANDS;
use super::flags::{Flag, Of, REWIND, Value};
use super::help::{EXIT_STATUS, NO_SANDBOX};

const DESCRIPTION: &str = "Shunpike runs an unmodified program and shows the system calls that it \
     makes, with their arguments and results, and the signals that it receives. It spends as few \
     crossings between the program and the tracer as it can; --toll prints how many.\n\n\
     shunpike trace takes the options of strace(1) with strace's meaning. Called by the name \
     strace, the program takes them without a subcommand.";

const RUN: &str = "shunpike run has these options, and most of those above: how the program is \
     started, how its calls are intercepted, and, with --trace, what is shown of them.";

const REWOUND: &str = "shunpike rewind runs a program up to a point, such as where it reads its \
     input, and returns it to that point as often as is wanted: memory, registers, descriptors and \
     their places in files, signal handlers. What the program writes to files, sends or starts is not \
     undone. A run that does what cannot be undone has the program started anew; the summary tells \
     how often. For each run there is a line: how the program ended, how long the run took, a hash \
     and the length of what it wrote. The exit status is 0, however the runs have ended.";

const EXAMPLES: &[(&str, &str)] = &[
    ("shunpike trace ls", "Show every system call of ls on stderr."),
    (
        "shunpike trace -f -o make.trace -e trace=%file make",
        "Follow all processes of make, and write those calls that take a path to a file.",
    ),
    ("shunpike trace -c -p \"$(pidof nginx)\"", "Count the calls of running processes."),
    ("shunpike run --hostname=elsewhere uname -n", "Run a program that sees another host name."),
    (
        "shunpike rewind --input=corpus -- jq .",
        "Have jq parse each file of a folder, without starting it anew.",
    ),
    ("shunpike trace --toll -e openat python3 -c 0", "Show what tracing cost."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If set and not empty, no colours are used unless --color asks for them."),
    ("STRACE_COLORS", "If set and empty, the same."),
    ("TERM", "If unset, empty or dumb, the same."),
];

/// The page.
pub(super) fn page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(
        ".TH SHUNPIKE 1 \"\" \"shunpike {version}\" \"User Commands\"\n\
         .SH NAME\nshunpike \\- watch the system calls of a program\n.SH SYNOPSIS\n"
    );
    for (nth, subcommand) in SUBCOMMANDS.iter().enumerate() {
        let line_break = if nth == 0 { "" } else { ".br\n" };
        let _ = writeln!(page, "{line_break}.B shunpike {}", subcommand.name);
        if !subcommand.synopsis.is_empty() {
            let _ = writeln!(page, "{}", escape(subcommand.synopsis));
        }
    }
    page.push_str(".SH DESCRIPTION\n");
    paragraphs(&mut page, DESCRIPTION, ".PP");
    page.push_str(".SH SUBCOMMANDS\n");
    for subcommand in SUBCOMMANDS {
        tagged(&mut page, &bold(subcommand.name), &format!("{}.", sentence(subcommand.help)));
    }
    page.push_str(".SH OPTIONS\nThese are the options of\n.BR \"shunpike trace\" .\n");
    for (title, flags) in Of::Trace.categories() {
        let _ = writeln!(page, ".SS {title}");
        for flag in flags {
            tagged(&mut page, &forms(flag), &about(flag));
        }
    }
    page.push_str(".SH OPTIONS OF RUN\n");
    paragraphs(&mut page, RUN, ".PP");
    paragraphs(&mut page, NO_SANDBOX, ".PP");
    for flag in Of::Run.flags().filter(|flag| flag.only == Some(Of::Run)) {
        tagged(&mut page, &forms(flag), &about(flag));
    }
    page.push_str(".SH OPTIONS OF REWIND\n");
    paragraphs(&mut page, REWOUND, ".PP");
    for category in REWIND {
        let _ = writeln!(page, ".SS {}", category.title);
        for flag in category.flags {
            tagged(&mut page, &forms(flag), &about(flag));
        }
    }
    page.push_str(".SH EXIT STATUS\n");
    paragraphs(&mut page, EXIT_STATUS, ".PP");
    page.push_str(".SH ENVIRONMENT\n");
    for (name, about) in ENVIRONMENT {
        tagged(&mut page, &bold(name), about);
    }
    page.push_str(".SH EXAMPLES\n");
    for (command, about) in EXAMPLES {
        tagged(&mut page, &bold(command), about);
    }
    page.push_str(".SH SEE ALSO\n.BR strace (1),\n.BR ptrace (2),\n.BR seccomp (2)\n");
    page
}

/// What a flag does: the line of `--help`, then the rest.
fn about<O>(flag: &Flag<O>) -> String {
    let mut about = format!("{}.", sentence(flag.help));
    if !flag.long_help.is_empty() {
        about.push(' ');
        about.push_str(flag.long_help);
    }
    about
}

/// Every way to write a flag, with its value.
fn forms<O>(flag: &Flag<O>) -> String {
    let mut forms = Vec::new();
    if let Some(short) = flag.short {
        forms.push(match flag.value {
            Value::Always(value) => format!("{} {}", bold(&format!("-{short}")), italic(value)),
            _ => bold(&format!("-{short}")),
        });
    }
    for long in flag.longs() {
        let name = bold(&format!("--{long}"));
        forms.push(match flag.value {
            Value::Never => name,
            Value::Always(value) | Value::LongOnly(value) => format!("{name}={}", italic(value)),
            Value::LongMaybe(value) => format!("{name}[={}]", italic(value)),
        });
    }
    if let Value::Always(value) | Value::LongOnly(value) | Value::LongMaybe(value) = flag.value {
        for qualifier in flag.qualifiers {
            forms.push(format!("{}={}", bold(&format!("-e {qualifier}")), italic(value)));
        }
    }
    forms.join(", ")
}

/// A tag with its text.
fn tagged(page: &mut String, tag: &str, text: &str) {
    let _ = writeln!(page, ".TP\n{tag}");
    paragraphs(page, text, ".IP");
}

/// Paragraphs, parted by this request.
fn paragraphs(page: &mut String, text: &str, request: &str) {
    for (nth, paragraph) in text.split("\n\n").enumerate() {
        if nth > 0 {
            let _ = writeln!(page, "{request}");
        }
        let _ = writeln!(page, "{}", escape(paragraph));
    }
}

fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", escape(text))
}

fn italic(text: &str) -> String {
    format!("\\fI{}\\fR", escape(text))
}

/// Text that roff takes literally.
fn escape(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    match escaped.starts_with('.') {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}

/// The text with a capital in front.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
