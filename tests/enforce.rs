//! `shunpike run --deny --enforce`: hostile guests do not get at what is forbidden, and what is not
//! forbidden is as natively.
#![forbid(unsafe_code)]

mod harness;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::compile::{self, Variant};
use harness::launch::{self, End, Outcome};
use harness::place::{grow, told};
use harness::{tools, tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// So many times does a guest try what only a race can win.
const ROUNDS: &str = "20000";
const MANY_ROUNDS: &str = "100000";

/// What guests win natively only by a race: it is said who has won, and nothing follows from it. The names
/// of others begin with `race: `.
const RACES: [&str; 8] =
    ["open", "openat", "stat", "link", "turned link", "race", "while moved", "while exchanged"];

/// How they are run: a name and options.
const WAYS: [(&str, &[&str]); 3] = [
    ("seccomp", &[]),
    ("ptrace", &["--mechanism=ptrace"]),
    ("traced", &["--trace=%file", "--output=/dev/null"]),
];

/// Commands of a shell whose output is as natively.
const PROGRAMS: &[(&str, &[&str], &str)] = &[
    ("calls", &["python3"], "X=$X /usr/bin/python3 $T/calls.py"),
    (
        "names",
        &[],
        "cd a/b && pwd && cd ../.. && cat a/../f l/f ./a//f; ls -l . l/; readlink l; stat -c %N l; \
         ln -s f s; cat s; mv s a/t; cat a/t; mkdir -p n/m; rmdir n/m n; cp -r a k; rm -r k; ls nothing; \
         umask 077; : > new; stat -c %a new; mkfifo p; (echo through > p &); cat p; chmod 600 f; \
         stat -c %a f; touch -d @7 f; stat -c %Y f; exit 5",
    ),
    ("named files", &["python3"], "/usr/bin/python3 $T/named.py"),
    ("named under filters", &["gcc"], "gcc -o named $T/filtered.c && ./named"),
    (
        "copies",
        &["tar"],
        "ln -s none l2; mkfifo p; tar cf t.tar l2 p a l && mkdir o && tar xpf t.tar -C o && \
         cp -a o o2 && mv o2 o/in && find . -printf '%p %y %m %l\\n' | sort && rm -r o && ls",
    ),
    ("links of processes", &[], "readlink /proc/self/exe; cat /dev/fd/0 < f; cat /proc/self/comm"),
    (
        "git",
        &["git"],
        "git init -q r && cd r && echo 1 > f && git add f && git -c user.name=a -c user.email=a@b \
         commit -qm m && git clone -q . ../r2 && git -C ../r2 log --format=%s",
    ),
    (
        "terminals",
        &["python3"],
        "/usr/bin/python3 -c 'import os,pty
child, terminal = pty.fork()
if child == 0: os.write(os.open(\"/dev/tty\", os.O_RDWR), b\"mine\"); os._exit(0)
print(os.read(terminal, 9)); os.wait()
if os.fork() == 0:
  os.setsid()
  try: os.open(\"/dev/tty\", os.O_RDWR)
  except OSError as error: print(error)
else: os.wait()'",
    ),
    ("build", &["gcc"], "echo 'int main(void) { return 5; }' > m.c; gcc -o m m.c && ./m"),
    (
        "names of sockets",
        &["python3"],
        "mkdir d; /usr/bin/python3 -c 'import socket as s
for path in \"s\", \"d/s\":
  a=s.socket(s.AF_UNIX); a.bind(path); a.listen(); b=s.socket(s.AF_UNIX); b.connect(path)
  print(a.getsockname(), b.getpeername())
'; stat -c %F d/s",
    ),
    (
        "sockets",
        &["python3"],
        "/usr/bin/python3 -c 'import socket as s; a=s.socket(s.AF_UNIX); a.bind(\"s\"); a.listen(); \
         b=s.socket(s.AF_UNIX); b.connect(\"s\"); b.send(b\"by name\"); print(a.accept()[0].recv(9))'",
    ),
];

type Test = fn() -> Result<(), Failed>;

/// What needs python3.
const BY_PYTHON: [(&str, Test); 3] = [
    ("inherited descriptors", inherited_descriptors),
    ("named files in a trace", named_files_in_a_trace),
    ("names beside rules about changes", names_beside_rules_about_changes),
];

fn main() {
    let mut trials = Vec::new();
    for source in tools::files("guests/hostile", "c") {
        let guest = tools::stem(&source).to_owned();
        let name = format!("{guest} natively");
        trials.push(Trial::test(name, {
            let source = source.clone();
            move || wins_natively(&source)
        }));
        for (way, options) in WAYS {
            let source = source.clone();
            trials.push(Trial::test(format!("{guest} {way}"), move || {
                wins_nothing(&source, way, options)
            }));
        }
    }
    for (way, options) in WAYS {
        trials.push(Trial::test(format!("refused calls are told {way}"), move || {
            refused_calls_are_told(way, options)
        }));
    }
    trials.push(Trial::ignorable_test("mounted twice", mounted_twice));
    for (name, test) in BY_PYTHON {
        trials.push(Trial::ignorable_test(name, move || match tools::find("python3") {
            Some(_) => test().map(|()| Completion::Completed),
            None => Ok(Completion::ignored_with("there is no python3")),
        }));
    }
    for (name, needs, command) in PROGRAMS {
        for (way, options) in WAYS {
            trials.push(Trial::ignorable_test(format!("{name} {way}"), move || {
                let missing = needs.iter().find(|tool| tools::find(tool).is_none());
                match missing {
                    Some(tool) => Ok(Completion::ignored_with(format!("there is no {tool}"))),
                    None => as_natively(&format!("{name}-{way}"), command, options)
                        .map(|()| Completion::Completed),
                }
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A directory as a hostile guest expects it.
fn field(name: &str, source: &Path) -> Result<(PathBuf, PathBuf), Failed> {
    let folder = tools::empty_scratch(&format!("enforce-{name}"));
    for directory in ["open", "secret"] {
        fs::create_dir_all(folder.join(directory))?;
    }
    fs::write(folder.join("open/file"), "open to all\n")?;
    fs::write(folder.join("secret/file"), "SECRET\n")?;
    fs::copy("/bin/echo", folder.join("secret/program"))?;
    fs::copy("/bin/echo", folder.join("alone"))?;
    fs::hard_link(folder.join("alone"), folder.join("open/alone"))?;
    Ok((fs::canonicalize(folder)?, compile::c(source, Variant::Dynamic)?))
}

fn wins_natively(source: &Path) -> Result<(), Failed> {
    let (folder, program) = field(&format!("{}-natively", tools::stem(source)), source)?;
    let mut command = Command::new(program);
    command.arg(ROUNDS);
    let outcome = launch::run(command, &folder, "")?;
    let lost: BTreeSet<&str> = attempts(&outcome, "lost ").collect();
    let lost: Vec<&&str> = lost.iter().filter(|name| !is_race(name)).collect();
    if outcome.end != End::Exited(0) || !lost.is_empty() {
        return Err(format!("natively too it cannot do {lost:?}: {outcome:?}").into());
    }
    Ok(())
}

fn is_race(name: &str) -> bool {
    RACES.contains(&name) || name.starts_with("race: ")
}

fn wins_nothing(source: &Path, way: &str, options: &[&str]) -> Result<(), Failed> {
    let guest = tools::stem(source);
    let (folder, program) = field(&format!("{guest}-{way}"), source)?;
    let secret = folder.join("secret");
    // What guests are to change they have to reach.
    let (rule, other) =
        if guest == "changes" { ("@write:", "@write:{}/absent/file") } else { ("", "{}/alone") };
    let other = other.replace("{}", &folder.display().to_string());
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { MANY_ROUNDS } else { ROUNDS };
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").args(options).arg("--enforce");
    // It is written where the guest can reach it.
    run.arg("--report=report").arg(format!("--deny={rule}{}=EACCES", secret.display()));
    run.arg(format!("--deny={other}=EACCES")).arg(program).arg(rounds);
    let outcome = launch::run(run, &folder, "")?;
    let won: Vec<&str> = attempts(&outcome, "won ").collect();
    let whole = outcome.end == End::Exited(0) && attempts(&outcome, "lost ").count() > 0;
    if !won.is_empty() || !whole {
        return Err(format!("it has won {won:?}: {outcome:?}").into());
    }
    let mut left: Vec<_> = fs::read_dir(&secret)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<std::io::Result<_>>()?;
    left.sort();
    if fs::read(secret.join("file"))? != b"SECRET\n" || left != ["file", "program"] {
        return Err(format!("it has changed what is secret: {left:?}").into());
    }
    Ok(())
}

/// Where files are only kept from changes, to name them costs nothing, whatever the flags are.
fn names_beside_rules_about_changes() -> Result<(), Failed> {
    const NAMES: &str = "import os
for flags in 0, os.O_RDWR, os.O_TRUNC: os.open('l', os.O_PATH | os.O_NOFOLLOW | flags)";
    let folder = grow("enforced-names");
    let mut run = Command::new(tracer::shunpike());
    run.args(["run", "--enforce", "--report=/dev/null"]);
    run.arg(format!("--deny=@write:{}", folder.display()));
    run.args(["/usr/bin/python3", "-c", NAMES]);
    match launch::run(run, &folder, "")? {
        Outcome { end: End::Exited(0), .. } => Ok(()),
        outcome => Err(format!("{outcome:?}").into()),
    }
}

/// A trace tells of what enforcement answers as of calls that were made.
fn named_files_in_a_trace() -> Result<(), Failed> {
    const NAMES: &str = "import os
for name in 'f', 'none':
  try: os.open(name, os.O_PATH)
  except OSError: pass";
    let folder = grow("enforced-traced-names");
    let mut run = Command::new(tracer::shunpike());
    run.args(["run", "--enforce", "--report=/dev/null", "--deny=/no/such/file"]);
    run.args(["--trace=openat", "--output=calls", "/usr/bin/python3", "-c", NAMES]);
    let outcome = launch::run(run, &folder, "")?;
    let calls = fs::read_to_string(folder.join("calls"))?;
    let named: Vec<&str> = calls
        .lines()
        .filter(|line| line.contains("O_PATH"))
        .filter_map(|line| line.split_once(", \"")?.1.split_once("= "))
        .map(|(_, result)| result)
        .collect();
    let are_told = matches!(named[..], [fd, "-1 ENOENT (No such file or directory)"]
        if fd.parse::<i32>().is_ok());
    if outcome.end != End::Exited(0) || !are_told {
        return Err(format!("{outcome:?}\n{named:?}").into());
    }
    Ok(())
}

/// What is refused whatever its arguments are is counted, also what no 64-bit program of today calls.
fn refused_calls_are_told(way: &str, options: &[&str]) -> Result<(), Failed> {
    const RULE: &str = "getppid,setxattrat=EIO";
    const UNKNOWN: &str = "it is newer than what is known here";
    const ABSENT: &str = "Function not implemented";
    let folder = tools::empty_scratch(&format!("enforce-refused-{way}"));
    let program = compile::c(&tools::tests().join("guests/refused/calls.c"), Variant::Dynamic)?;
    let natively = launch::run(Command::new(&program), &folder, "")?;
    let (i386, others) = if natively.stdout.ends_with("i386: killed\n") {
        eprintln!("32-bit calls are left out: the kernel has none");
        ("killed", 1)
    } else {
        ("-38", 2)
    };
    // Before the filter is asked a rule's module answers.
    let (newer, why) =
        if way == "seccomp" { (ABSENT, UNKNOWN) } else { ("Input/output error", RULE) };
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").args(options).args(["--enforce", "--report=report"]);
    run.arg(format!("--deny={RULE}")).arg(program);
    let outcome = launch::run(run, &folder, "")?;
    let report = fs::read_to_string(folder.join("report"))?;
    let said = format!(
        "getppid: -1 Input/output error\ngetppid: -1 Input/output error\nnewer: -1 {newer}\n\
         newest: -1 {ABSENT}\nx32: -1 {ABSENT}\ni386: {i386}\n"
    );
    let told = format!(
        "refused: {others} x getpid, by 32-bit and x32 calls are not there\n\
         refused: 2 x getppid, by {RULE}\nrefused: 1 x setxattrat, by {why}\n\
         refused: 1 x a call, by {UNKNOWN}\n"
    );
    let lines = |text: &str| text.lines().map(String::from).collect::<BTreeSet<_>>();
    let is_told = lines(&report) == lines(&told);
    if outcome.end != End::Exited(0) || outcome.stdout != said || !is_told {
        return Err(format!("{outcome:?}\n{report}").into());
    }
    Ok(())
}

/// What is forbidden has another name by a bind mount, whole or in part.
fn mounted_twice() -> Result<Completion, Failed> {
    if !tools::find("unshare").is_some_and(|_| {
        let made = Command::new("unshare").args(["-m", "true"]).output();
        made.is_ok_and(|made| made.status.success())
    }) {
        return Ok(Completion::ignored_with("this user cannot make a mount namespace"));
    }
    let folder = fs::canonicalize(tools::empty_scratch("enforce-mounted"))?;
    for directory in ["secret/in", "whole", "part"] {
        fs::create_dir_all(folder.join(directory))?;
    }
    for file in ["secret/file", "secret/in/file"] {
        fs::write(folder.join(file), "SECRET\n")?;
    }
    let mounted = "mount --bind secret whole && mount --bind secret/in part && exec \"$@\"";
    let reads = "cat whole/file part/file whole/in/file; echo over";
    for (enforced, expected) in [(false, "SECRET\nSECRET\nSECRET\nover\n"), (true, "over\n")] {
        let mut command = Command::new("unshare");
        command.args(["-m", "--propagation", "private", "sh", "-c", mounted, "sh"]);
        if enforced {
            command.arg(tracer::shunpike()).args(["run", "--enforce", "--report=/dev/null"]);
            command.arg(format!("--deny={}/secret", folder.display()));
        }
        command.args(["sh", "-c", reads]);
        let outcome = launch::run(command, &folder, "")?;
        if outcome.stdout != expected {
            return Err(format!("enforced: {enforced}: {outcome:?}").into());
        }
    }
    Ok(Completion::Completed)
}

/// Descriptors that only name files are read and looked at by an empty path.
fn inherited_descriptors() -> Result<(), Failed> {
    let folder = grow("enforced-inherited");
    let script = tools::tests().join("guests/places/descriptors.py");
    let with = |options: &[&str]| {
        let mut command = Command::new("/usr/bin/python3");
        command.arg(&script);
        if !options.is_empty() {
            command.arg(tracer::shunpike()).arg("run").args(options);
        }
        command.arg("/usr/bin/python3").arg(&script);
        launch::run(command, &folder, "")
    };
    let expected = with(&[])?;
    let got = with(&["--enforce", "--deny=/no/such/file", "--report=/dev/null"])?;
    let told = |outcome: &Outcome| told(outcome, &[folder.to_str().expect("a plain name")]);
    if told(&expected) != told(&got) {
        return Err(format!("natively:\n{expected:?}\nenforced:\n{got:?}").into());
    }
    Ok(())
}

fn attempts<'a>(outcome: &'a Outcome, how: &'a str) -> impl Iterator<Item = &'a str> {
    outcome.stdout.lines().filter_map(move |line| line.strip_prefix(how))
}

fn as_natively(name: &str, command: &str, options: &[&str]) -> Result<(), Failed> {
    let place = format!("enforced-{}", name.replace(' ', "-"));
    let natively = grow(&format!("{place}-natively"));
    let expected = launch::run(shell(command, &natively), &natively, "")?;
    let folder = grow(&place);
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").args(options).args(["--enforce", "--deny=/no/such/file", "--report=/dev/null"]);
    run.arg("sh").args(shell(command, &folder).get_args());
    let got = launch::run(run, &folder, "")?;
    let told = |outcome: &Outcome, folder: &Path| {
        without_times(&told(outcome, &[folder.to_str().expect("a plain name")]))
    };
    let (expected, got) = (told(&expected, &natively), told(&got, &folder));
    if expected != got {
        return Err(format!("natively:\n{expected}\nenforced:\n{got}").into());
    }
    Ok(())
}

/// A command with the names of the tests' folders put in.
fn shell(command: &str, folder: &Path) -> Command {
    let guests = tools::tests().join("guests/places");
    let command = command.replace("$T", &guests.display().to_string());
    let command = command.replace("$X", &folder.display().to_string());
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]);
    shell
}

/// `ls -l` tells when, of files that two runs make one after the other.
fn without_times(text: &str) -> String {
    let times = regex_lite::Regex::new("[0-9]{2}:[0-9]{2}").expect("a pattern");
    times.replace_all(text, "TIME").into_owned()
}
