//! `shunpike explain`: what the table says of a call, in words.
//!
//! * [`words`] says what a value is;
//! * [`shape`] says how it is shown.
//!
//! Both follow the descriptions from which captures are planned and decoded, so they cannot say
//! anything else than what a trace shows.

mod shape;
#[cfg(test)]
mod tests;
mod words;

use std::fmt::Write as _;

use table::arch::{i386, x86_64};
use table::{Call, Classes, Kind, Note, Source};

use crate::wrap::wrap;

/// Longest line.
const WIDTH: usize = 100;
/// How far the parts of a value stand to the right of it.
const STEP: usize = 2;

/// What the value that a kind depends on is called, and what it is.
#[derive(Clone, Copy)]
enum Around<'a> {
    Call(&'a Call),
    Struct(&'a table::Layout),
}

impl Around<'_> {
    fn subject(self, source: Source) -> (&'static str, Option<Kind>) {
        match (self, source) {
            (Around::Call(call), Source::Arg(register)) => (0..call.args.len())
                .find(|&place| call.register(place) == usize::from(register))
                .map_or(("another argument", None), |place| {
                    (call.args[place].name, Some(call.args[place].kind))
                }),
            (Around::Struct(layout), Source::Field(index)) => layout
                .fields
                .get(usize::from(index))
                .map_or(("another field", None), |field| (field.name, Some(field.kind))),
            (Around::Struct(_), Source::Arg(_)) => ("an argument of the call", None),
            (Around::Call(_), Source::Field(_)) => ("another field", None),
        }
    }
}

/// All that is known of a call. Of what depends on a value, only the case that `value` names.
pub fn call(call: &Call, value: Option<&str>) -> String {
    let mut page = Page { text: String::new(), value };
    let of_32_bits = i386::calls().find(|(_, of_i386)| of_i386.name == call.name);
    let _ = write!(page.text, "{}: system call {}", call.name, call.number);
    if let Some((number, _)) = of_32_bits {
        let _ = write!(page.text, ", {number} of 32-bit programs");
    }
    page.text.push('\n');
    page.heading("Shown as");
    page.paragraph(&shape::line(call, value));
    if !call.args.is_empty() {
        page.heading("Arguments");
    }
    let width = call.args.iter().map(|arg| arg.name.len()).max().unwrap_or(0);
    for arg in call.args {
        page.value(STEP, (arg.name, width), &arg.kind, Around::Call(call));
    }
    page.heading("Result");
    page.result(call);
    page.heading("Classes");
    let classes = classes(call);
    page.paragraph(if classes.is_empty() { "none" } else { &classes });
    let _ = writeln!(page.text, "\nMore: man 2 {}", call.name);
    page.text
}

/// The values, by name, on which arguments of a call depend.
pub fn values(call: &Call) -> Vec<String> {
    let around = Around::Call(call);
    let of = |kind: &Kind| match kind {
        Kind::Select { on, cases, .. } => {
            let subject = around.subject(*on).1;
            let names = cases.iter().map(|(value, _)| words::value_name(subject.as_ref(), *value));
            names.flat_map(|all| all.split(" or ").map(str::to_owned).collect::<Vec<_>>()).collect()
        }
        _ => Vec::new(),
    };
    call.args.iter().flat_map(|arg| of(&arg.kind)).collect()
}

/// The calls of a class, with its name as users write it.
pub fn class(name: &str, class: Classes) -> String {
    let names: Vec<_> = x86_64::calls()
        .filter(|call| call.classes.intersects(class))
        .map(|call| call.name)
        .collect();
    let mut page = Page { text: String::new(), value: None };
    let _ = writeln!(page.text, "%{name}: a class of {} system calls\n", names.len());
    page.paragraph(&names.join(" "));
    page.text
}

/// The classes of a call, as users write them.
fn classes(call: &Call) -> String {
    let mut names = Vec::new();
    let mut seen = Classes::NONE;
    for (name, class) in Classes::NAMES {
        // The first name of a class is enough.
        if call.classes.intersects(*class) && !seen.intersects(*class) {
            names.push(format!("%{name}"));
            seen = seen.or(*class);
        }
    }
    names.join(" ")
}

/// The text so far.
struct Page<'a> {
    text: String,
    /// Which case to show of what depends on a value.
    value: Option<&'a str>,
}

impl Page<'_> {
    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.text, "\n{heading}");
    }

    fn paragraph(&mut self, text: &str) {
        for line in wrap(text, WIDTH - STEP) {
            let _ = writeln!(self.text, "{:STEP$}{line}", "");
        }
    }

    /// A name, padded to this width, what stands for it in words, and its parts below.
    fn value(&mut self, indent: usize, name: (&str, usize), kind: &Kind, around: Around<'_>) {
        let kind = words::wanted_case(kind, around, self.value);
        self.entry(indent, name, &words::phrase(kind, around));
        let parts = words::parts(kind, around);
        let width = parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
        for part in &parts {
            self.value(indent + STEP, (&part.name, width), part.kind, part.around);
        }
    }

    fn entry(&mut self, indent: usize, (name, width): (&str, usize), text: &str) {
        let column = if width == 0 { indent } else { indent + width + 2 };
        let mut left = format!("{:indent$}{name}", "");
        for line in wrap(text, WIDTH - column) {
            let _ = writeln!(self.text, "{left:column$}{line}");
            left.clear();
        }
    }

    fn result(&mut self, call: &Call) {
        if call.ret.never {
            return self.paragraph("does not return");
        }
        let around = Around::Call(call);
        self.value(STEP, ("", 0), &call.ret.kind, around);
        match call.ret.note {
            Note::None => {}
            Note::Meaning(_, kind) | Note::MeaningOfRead(_, kind) => {
                self.value(STEP, ("meaning", 7), &kind, around)
            }
            Note::MeaningBy { on, cases } => {
                let (subject, kind) = around.subject(on);
                let name = |value| words::value_name(kind.as_ref(), value);
                let told: Vec<_> = cases
                    .iter()
                    .map(|(value, _, kind)| (name(*value), kind))
                    .filter(|(name, _)| self.value.is_none_or(|wanted| words::names(name, wanted)))
                    .collect();
                if !told.is_empty() {
                    self.paragraph(&format!("with a meaning that depends on {subject}:"));
                }
                let width = told.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                for (name, kind) in told {
                    self.value(2 * STEP, (&name, width), kind, around);
                }
            }
            Note::After(args) | Note::Beside(args) | Note::Labelled(_, args) => {
                self.paragraph("and behind it, in parentheses:");
                let width = args.iter().map(|arg| arg.name.len()).max().unwrap_or(0);
                for arg in args {
                    self.value(2 * STEP, (arg.name, width), &arg.kind, around);
                }
            }
        }
    }
}
