//! The programs that are measured.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::form::Form;
use super::guests::Guests;
use super::options::Options;

/// A row of the tables.
#[derive(Debug)]
pub struct Row {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is, for readers.
    pub about: &'static str,
    /// What is compared.
    pub metric: Metric,
    make: fn(&Scale, &Guests) -> Result<Guest, String>,
}

/// What is compared between the runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// The time from the start of the command to its end.
    Elapsed,
    /// The time that all threads took to start, which the guest prints, with the share of the
    /// slowest.
    Start,
}

/// A program with its arguments.
#[derive(Debug)]
pub struct Guest {
    /// What to execute.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs, if that matters.
    pub directory: Option<PathBuf>,
}

/// How much work a guest gets.
struct Scale {
    quick: bool,
    form: Form,
}

impl Scale {
    /// A count, or a tenth of it in the quick form.
    fn count(&self, full: u64) -> String {
        (if self.quick { full / 10 } else { full }).to_string()
    }
}

/// Every row that is a program to be timed.
pub const ALL: &[Row] = &[
    Row {
        name: "getppid",
        about: "getppid loop",
        metric: Metric::Elapsed,
        make: |scale, guests| guest(guests.getppid.as_ref(), [scale.count(100_000)]),
    },
    Row {
        name: "dd",
        about: "dd bs=1",
        metric: Metric::Elapsed,
        make: |scale, _| {
            // Two calls a byte. Where they pass untouched, more of them.
            let bytes = match scale.form {
                Form::Everything => 50_000,
                Form::Openat => 100_000,
            };
            let count = format!("count={}", scale.count(bytes));
            installed("dd", ["if=/dev/zero", "of=/dev/null", "bs=1", &count])
        },
    },
    Row {
        name: "find",
        about: "find /usr, 4 levels",
        metric: Metric::Elapsed,
        make: |scale, _| {
            let depth = if scale.quick { "3" } else { "4" };
            installed("find", ["/usr", "-maxdepth", depth])
        },
    },
    Row {
        name: "python",
        about: "python3, import json and ssl",
        metric: Metric::Elapsed,
        make: |_, guests| guest(guests.python.as_ref(), ["-c", "import json, ssl"]),
    },
    Row {
        name: "cc",
        about: "cc -O1 -c, one file",
        metric: Metric::Elapsed,
        make: |_, guests| {
            let compile = installed("cc", ["-O1", "-c", "-o", "/dev/null", "part0.c"])?;
            Ok(compile.within(guests.project.as_ref()?))
        },
    },
    Row {
        name: "cc-module",
        about: "cc -O2 -c, one file of 1,750 lines",
        metric: Metric::Elapsed,
        make: |_, guests| {
            let options = ["-O2", "-c", "-o", "/dev/null", "-x", "c", "module.inc"];
            Ok(installed("cc", options)?.within(guests.project.as_ref()?))
        },
    },
    Row {
        name: "make",
        about: "make -j2, 21 files",
        metric: Metric::Elapsed,
        make: |_, guests| {
            let make = installed("make", ["--silent", "--always-make", "-j2"])?;
            Ok(make.within(guests.project.as_ref()?))
        },
    },
    Row {
        name: "threads",
        about: "64 threads × getppid",
        metric: Metric::Elapsed,
        make: |scale, guests| {
            // Where they pass untouched, more of them: else only the threads' start is measured.
            let calls = match scale.form {
                Form::Everything => 1_000,
                Form::Openat => 10_000,
            };
            guest(guests.threads.as_ref(), ["64".to_owned(), scale.count(calls)])
        },
    },
    churn("churn-5", "start of 5 looping threads", |_, guests| guest(guests.churn.as_ref(), ["5"])),
    churn("churn-50", "start of 50 looping threads", |_, guests| {
        guest(guests.churn.as_ref(), ["50"])
    }),
    churn("churn-600", "start of 600 looping threads", |scale, guests| {
        guest(guests.churn.as_ref(), [if scale.quick { "200" } else { "600" }])
    }),
];

const fn churn(
    name: &'static str,
    about: &'static str,
    make: fn(&Scale, &Guests) -> Result<Guest, String>,
) -> Row {
    Row { name, about, metric: Metric::Start, make }
}

impl Row {
    /// What to run for this row, or why it cannot be.
    pub fn command(&self, form: Form, options: &Options, guests: &Guests) -> Result<Guest, String> {
        (self.make)(&Scale { quick: options.quick, form }, guests)
    }
}

impl Guest {
    /// The command of these words, with the program's behind them.
    pub fn behind(&self, mut words: Vec<OsString>) -> Command {
        words.push(self.program.clone().into());
        words.extend(self.args.iter().map(OsString::from));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("LC_ALL", "C");
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    fn within(mut self, directory: &Path) -> Guest {
        self.directory = Some(directory.to_owned());
        self
    }
}

/// The rows that were asked for.
pub fn selected(options: &Options) -> impl Iterator<Item = &'static Row> {
    ALL.iter().filter(|row| options.selects(row.name))
}

fn guest<A: Into<String>>(
    program: Result<&PathBuf, &String>,
    args: impl IntoIterator<Item = A>,
) -> Result<Guest, String> {
    Ok(Guest {
        program: program?.clone(),
        args: args.into_iter().map(Into::into).collect(),
        directory: None,
    })
}

fn installed<const N: usize>(program: &str, args: [&str; N]) -> Result<Guest, String> {
    match Command::new(program).arg("--version").output() {
        Ok(_) => guest(Ok(&PathBuf::from(program)), args),
        Err(error) => Err(format!("cannot run {program}: {error}")),
    }
}
