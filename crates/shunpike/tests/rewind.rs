//! `shunpike rewind`: what real programs do from their point on is what they do when they are started
//! anew.
#![forbid(unsafe_code)]

#[path = "../../../tests/harness/rewinding.rs"]
mod rewinding;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rewinding::can_rewind;

/// Programs and what they read.
const PROGRAMS: [(&[&str], &str); 9] = [
    (&["cat"], "one\ntwo\n"),
    // Four processes, three of which end before the first one does.
    (&["sh", "-c", "cat | sort | uniq -c; exit 5"], "one\ntwo\none\n"),
    (&["sh"], "cd /; x=$(echo a | tr a b); echo $x; exit 3"),
    (
        &["sqlite3"],
        "create table t(a); insert into t values(1),(2); select sum(a), count(*) from t;",
    ),
    (&["jq", "-c", ".a"], r#"{"a": [1, {"b": null}]}"#),
    (&["xmllint", "--format", "-"], "<a><b c='1'>x</b><d/></a>"),
    // It has threads, which end in each run, and waits by epoll.
    (
        &["node", "-"],
        "setTimeout(() => console.log([...Array(9).keys()].map(x => x * x).join()), 1);",
    ),
    (
        &["perl"],
        "my %h = map { $_ => $_ ** 2 } 1..50; print join ' ', map { $h{$_} } sort keys %h;",
    ),
    (
        &["/usr/bin/python3", "-"],
        "import json, threading\nt = threading.Thread(target=print, args=[1])\n\
        t.start(); t.join()\nprint(len(json.dumps(list(range(1000)))))",
    ),
];

fn runs() -> u64 {
    if std::env::var_os("SHUNPIKE_SOAK").is_some() { 1000 } else { 50 }
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).exists())
}

/// Has a command read this.
fn with_input(command: &mut Command, input: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn rewind() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shunpike"));
    command.arg("rewind");
    command
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn each_run_is_as_a_fresh_one() {
    if !can_rewind() {
        return;
    }
    let folder = scratch("rewind-fresh");
    for (program, input) in PROGRAMS {
        if !is_there(program[0]) {
            eprintln!("skipped: there is no {} here", program[0]);
            continue;
        }
        let fresh = with_input(Command::new(program[0]).args(&program[1..]), input);
        let records = folder.join("records");
        let mut command = rewind();
        command.args(["-q", "-n", &runs().to_string()]).arg("--json").arg(&records);
        let output = with_input(command.arg("--").args(program), input);
        assert!(output.status.success(), "{program:?}: {output:?}");
        let expected = format!(
            ",\"status\":{},\"time_ns\":~,\"stdout\":{{\"len\":{},\"hash\":\"{:016x}\"}},",
            fresh.status.code().unwrap(),
            fresh.stdout.len(),
            hash(&fresh.stdout),
        );
        let (before, after) = expected.split_once('~').unwrap();
        let records = fs::read_to_string(&records).unwrap();
        assert_eq!(records.lines().count() as u64, runs(), "{program:?}");
        for line in records.lines() {
            assert!(line.contains(before) && line.contains(after), "{program:?}: {line}");
        }
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(summary.contains("        1  starts of the program"), "{program:?}: {summary}");
    }
}

#[test]
fn a_server_is_rewound_to_where_it_reads_its_configuration() {
    if !can_rewind() || !is_there("redis-server") {
        return;
    }
    let mut command = rewind();
    command.args(["-q", "-n", &runs().to_string(), "--", "redis-server", "-"]);
    let output = with_input(&mut command, "port nothing\n");
    let summary = String::from_utf8(output.stdout).unwrap();
    // The text that it prints tells the time.
    assert!(summary.contains(&format!("{:>9}  status 1\n", runs())), "{summary}");
    assert!(summary.contains("        1  starts of the program"), "{summary}");
}

#[test]
fn a_pipeline_whose_process_becomes_another_program_is_started_anew() {
    if !can_rewind() {
        return;
    }
    let mut command = rewind();
    command.args(["-q", "-n", "5", "--", "sh", "-c", "(read x; exec cat) | cat"]);
    let summary = String::from_utf8(with_input(&mut command, "one\ntwo\n").stdout).unwrap();
    for line in [
        "5  status 0",
        "1  different outputs",
        "4  of them since it has started to run another program",
    ] {
        assert!(summary.contains(&format!("{line}\n")), "{summary}");
    }
}

#[test]
fn each_file_is_given_to_a_run() {
    if !can_rewind() {
        return;
    }
    let folder = scratch("rewind-files");
    for (name, content) in [("a", "exit 1"), ("b", "exit 2"), ("c", "kill -9 $$"), ("d", "exit 4")]
    {
        File::create(folder.join(name)).unwrap().write_all(content.as_bytes()).unwrap();
    }
    let output = rewind().arg("-i").arg(&folder).args(["--", "sh"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = text.lines().take(4).map(words).collect();
    for (line, (end, name)) in
        lines.iter().zip([("1", "a"), ("2", "b"), ("killed by SIGKILL", "c"), ("4", "d")])
    {
        assert!(line.join(" ").contains(end) && line.join(" ").ends_with(name), "{line:?}");
    }
    assert!(text.contains("        2  starts of the program"), "{text}");
    assert!(text.contains("since it was killed"), "{text}");

    let path = folder.join("a");
    let named = path.to_str().unwrap();
    // By its whole name, from the working directory, and from its folder, which gzip opens first.
    for (program, end) in
        [(["sh", named].as_slice(), 1), (&["sh", "a"], 1), (&["gzip", "-c", named], 0)]
    {
        let mut command = rewind();
        command.args(["-n", "3", "-t", "60", "--input-path"]).arg(&path).arg("--").args(program);
        let output = command.current_dir(&folder).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(&format!("        3  status {end}")), "{program:?}: {text}{said}");
    }
}

/// Programs that know the size of their input before they read it, and what is said of that.
const MEASURING: [(&[&str], &str); 7] = [
    (&["git", "hash-object", "--stdin"], "returns to before that ("),
    (&["tail", "-c", "3"], "returns to before that ("),
    // Told a size of 0 both read to the end.
    (
        &["perl", "-e", "$s = -s STDIN; read STDIN, $b, $s || 1 << 30; print length $b"],
        "returns to before that (",
    ),
    (
        &["node", "-e", "console.log(require('fs').readFileSync(0).length)"],
        "returns to before that (",
    ),
    (&["cat"], "makes no difference"),
    (&["python3", "-c", "import sys; print(len(sys.stdin.read()))"], "makes no difference"),
    // It does not read what it is told.
    (&["wc", "-c"], ""),
];

/// A folder with inputs of several sizes, one of them larger than what a call reads.
fn inputs_of_many_sizes(name: &str) -> PathBuf {
    let folder = scratch(name);
    let large = "0123456789\n".repeat(20_000);
    for (name, content) in [("a", "one"), ("b", ""), ("c", large.as_str()), ("d", "one\ntwo\n")] {
        fs::write(folder.join(name), content).unwrap();
    }
    folder
}

#[test]
fn inputs_of_other_sizes_give_what_they_give_a_fresh_program() {
    if !can_rewind() {
        return;
    }
    let folder = inputs_of_many_sizes("rewind-sizes");
    let records = scratch("rewind-sizes-records").join("records");
    for (program, said) in MEASURING.into_iter().filter(|(program, _)| is_there(program[0])) {
        let mut command = rewind();
        command.args(["-q", "-n", "8", "-i"]).arg(&folder).arg("--json").arg(&records);
        let output = command.arg("--").args(program).output().unwrap();
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && summary.contains(said), "{program:?}: {summary}");
        let text = fs::read_to_string(&records).unwrap();
        assert_eq!(text.lines().count(), 8, "{program:?}");
        for (line, name) in text.lines().zip(["a", "b", "c", "d"].iter().cycle()) {
            let input = File::open(folder.join(name)).unwrap();
            let fresh = Command::new(program[0]).args(&program[1..]).stdin(input).output().unwrap();
            let (status, stdout) = (fresh.status.code().unwrap(), &fresh.stdout);
            let status = format!(",\"status\":{status},");
            let stdout = format!("{{\"len\":{},\"hash\":\"{:016x}\"}}", stdout.len(), hash(stdout));
            assert!(line.contains(&status) && line.contains(&stdout), "{program:?} {name}: {line}");
            // It was started with the first one.
            let told = line.contains(",\"told_size\":3,");
            assert_eq!(told, said == "makes no difference" && *name != "a", "{program:?}: {line}");
        }
    }
}

/// The summary of runs of Perl, which asks for the size of its input before it reads some of it.
fn asking(folder: &Path, options: &[&str], script: &str) -> String {
    let mut command = rewind();
    command.args(["-q", "-i"]).arg(folder).args(options).args(["--", "perl", "-e"]);
    let output = command.arg(format!("$s = -s STDIN; sysread STDIN, $b, 64; {script}")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_cut_off_when_it_is_tried_is_not_known_to_be_harmless() {
    if !can_rewind() || !is_there("perl") {
        return;
    }
    let folder = inputs_of_many_sizes("rewind-cut-off");
    let script = "sleep 1000 if length $b == 64; print 'short'";
    let summary = asking(&folder, &["-t", "200ms"], script);
    assert!(summary.contains("returns to before that ("), "{summary}");
}

#[test]
fn runs_by_which_inputs_are_tried_are_told() {
    if !can_rewind() || !is_there("perl") {
        return;
    }
    let folder = inputs_of_many_sizes("rewind-tried");
    let count = scratch("rewind-tried-count").join("count");
    let script = format!("open F, '>>', '{}'; syswrite F, 'x'; print length $b", count.display());
    let summary = asking(&folder, &["-t", "60"], &script);
    // The first start tells that it asks, and each of the three others runs each input.
    let said = "it was started 4 times more and run 12 times more,";
    assert!(summary.contains("makes no difference") && summary.contains(said), "{summary}");
    assert_eq!(fs::read(&count).unwrap().len(), 4 + 12);
    // With one input there is nothing to try, and with two only these are.
    for (runs, done) in [("1", 1), ("2", 2 + 4)] {
        fs::remove_file(&count).unwrap();
        let summary = asking(&folder, &["-t", "60", "-n", runs], &script);
        assert_eq!(fs::read(&count).unwrap().len(), done, "{summary}");
    }
}

#[test]
fn what_other_processes_write_after_the_first_has_ended_is_a_part_of_the_run() {
    if !can_rewind() {
        return;
    }
    let runs = |options: &[&str], script: &str| {
        let mut command = rewind();
        command.args(["-q", "-n", "5"]).args(options).args(["--", "bash", "-c", script]);
        String::from_utf8(with_input(&mut command, "some\nmore\n").stdout).unwrap()
    };
    let folder = scratch("rewind-late");
    let records = folder.join("records");
    // It writes when the end of a pipe tells that the first process has ended.
    let script = "read x; exec 4> >(cat > /dev/null; echo late $x); exit 3";
    let summary = runs(&["--json", records.to_str().unwrap()], script);
    assert!(summary.contains("5  status 3") && summary.contains(" 1  starts of"), "{summary}");
    let expected = format!("\"stdout\":{{\"len\":10,\"hash\":\"{:016x}\"}}", hash(b"late some\n"));
    let text = fs::read_to_string(&records).unwrap();
    assert!(text.lines().all(|line| line.contains(&expected)), "{text}");
    // Who has closed its outputs is not waited for; who has not is, for a while, unless it is not wanted.
    let summary = runs(&["-t", "60"], "read x; sleep 1000 > /dev/null 2>&1 & exit 3");
    assert!(summary.contains("5  status 3"), "{summary}");
    let summary = runs(&["-t", "5", "-n", "1"], "read x; sleep 1000 & exit 3");
    assert!(summary.contains("1  out of time"), "{summary}");
    assert!(summary.contains("In 1 of the runs that were out of time"), "{summary}");
    // Who kills the first process when it has ended changes nothing of how it has.
    let script = "read x; exec 4> >(cat > /dev/null; kill -9 $$; echo late $x); exit 3";
    let summary = runs(&["-t", "60", "--json", records.to_str().unwrap()], script);
    assert!(summary.contains("5  status 3") && summary.contains("4  of them since"), "{summary}");
    let text = fs::read_to_string(&records).unwrap();
    assert!(text.lines().all(|line| line.contains(&expected)), "{text}");
    let summary = runs(&["-t", "60", "--first-only"], "read x; sleep 1000 & exit 3");
    assert!(summary.contains("5  status 3"), "{summary}");
}

#[test]
fn a_point_behind_a_question_for_the_size_is_warned_of() {
    if !can_rewind() {
        return;
    }
    let folder = inputs_of_many_sizes("rewind-told");
    let records = scratch("rewind-told-records").join("records");
    let mut command = rewind();
    command.args(["-q", "--at=write", "-i"]).arg(&folder).arg("--json").arg(&records);
    let output = command.args(["--", "wc", "-c"]).output().unwrap();
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("and 3 runs were told another one's"), "{summary}");
    let (_, at) = summary.split_once("--at=").expect("a way out");
    let at = at.split_once(' ').unwrap().0;
    let text = fs::read_to_string(&records).unwrap();
    let told: Vec<bool> = text.lines().map(|line| line.contains(",\"told_size\":3,")).collect();
    assert_eq!(told, [false, true, true, true], "{text}");
    // There it is right.
    let mut command = rewind();
    command.args(["-q", &format!("--at={at}"), "-i"]).arg(&folder).args(["--", "wc", "-c"]);
    let summary = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(summary.contains("4  different outputs") && !summary.contains("Warning"), "{summary}");
    // Nor is there a warning where each run is the first one since a start.
    if is_there("perl") {
        let summary = asking(&folder, &["--at=write"], "syswrite STDOUT, $s; kill 9, $$");
        assert!(summary.contains("4  starts of") && !summary.contains("Warning"), "{summary}");
    }
}

#[test]
fn a_point_behind_a_read_is_warned_of() {
    if !can_rewind() {
        return;
    }
    let folder = scratch("rewind-read");
    for (name, content) in [("a", "one\n"), ("b", "two\n"), ("c", "six\n")] {
        fs::write(folder.join(name), content).unwrap();
    }
    let records = scratch("rewind-read-records").join("records");
    let path = scratch("rewind-read-path").join("input");
    let path = path.to_str().unwrap();
    let script = "read x; echo $x";
    let programs: [(&[&str], &[&str]); 2] = [
        (&[], &["sh", "-c", script]),
        (&["--input-path", path], &["sh", "-c", &format!("exec < {path}; {script}")]),
    ];
    for (options, program) in programs {
        let runs = |at: &str| {
            let mut command = rewind();
            command.args(["-q", "-n", "6", "-t", "60", at, "-i"]).arg(&folder).args(options);
            let output = command.arg("--json").arg(&records).arg("--").args(program).output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        let summary = runs("--at=write");
        assert!(summary.contains("and 4 runs were given another one"), "{summary}");
        let text = fs::read_to_string(&records).unwrap();
        let misread: Vec<bool> = text.lines().map(|line| line.contains("read_another")).collect();
        assert_eq!(misread, [false, true, true, false, true, true], "{text}");
        let (_, at) = summary.split_once("--at=").expect("a way out");
        let summary = runs(&format!("--at={}", at.split_once(' ').unwrap().0));
        assert!(summary.contains("3  different") && !summary.contains("Warning"), "{summary}");
    }
}

#[test]
fn who_reads_its_lines_no_more_ends_it() {
    if !can_rewind() {
        return;
    }
    let count = scratch("rewind-unseen").join("count");
    let mut command = rewind();
    command.args(["-n", "1000000", "--at=umask", "--", "sh", "-c"]);
    command.arg(format!("umask 0; echo >> {}", count.display()));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("  status 0 "), "{line}");
    assert!(child.wait().unwrap().success());
    assert!((1..1_000_000).contains(&fs::metadata(&count).unwrap().len()));
}

#[test]
fn an_input_has_one_line_whatever_it_is_called() {
    if !can_rewind() {
        return;
    }
    let folder = scratch("rewind-names");
    fs::write(folder.join("a\n\"b\""), "exit 1").unwrap();
    let output = rewind().arg("-i").arg(&folder).args(["--", "sh"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().next().unwrap().ends_with(r#"/a\u000a\"b\"""#), "{text}");
}

/// Python: runs a program under a filter that refuses one call with `EPERM`.
const SANDBOX: &str = "
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
number = int(sys.argv[1])
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', 4, ctypes.addressof(code)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
";

#[test]
fn what_a_sandbox_refuses_is_named() {
    if !can_rewind() {
        return;
    }
    // kcmp, pidfd_getfd, process_vm_writev, userfaultfd
    for (number, name) in
        [("312", "kcmp"), ("438", "pidfd_getfd"), ("311", "writev"), ("323", "userfaultfd")]
    {
        let sandboxed = |arguments: &[&str]| {
            let mut command = Command::new("/usr/bin/python3");
            command.args(["-S", "-c", SANDBOX, number, env!("CARGO_BIN_EXE_shunpike")]);
            with_input(command.args(arguments), "x")
        };
        let output = sandboxed(&["rewind", "--", "cat"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(name) && said.contains("a sandbox that permits it"), "{said}");
        let doctor = String::from_utf8(sandboxed(&["doctor"]).stdout).unwrap();
        let told = doctor.split("(shunpike rewind)").nth(1).unwrap();
        let told: String = told.lines().take(3).collect();
        assert!(told.trim_start().starts_with("NO") && told.contains(name), "{doctor}");
        // The rest works.
        let traced = sandboxed(&["trace", "-f", "-e", "trace=execve", "cat"]);
        assert!(traced.status.success() && traced.stdout == b"x", "{traced:?}");
    }
}

#[test]
fn a_run_that_writes_without_end_is_ended() {
    if !can_rewind() {
        return;
    }
    let records = scratch("rewind-flood").join("records");
    let mut command = rewind();
    command.args(["-n2", "-t60", "--at-start", "--json"]).arg(&records).args(["cat", "/dev/zero"]);
    let text = String::from_utf8(with_input(&mut command, "").stdout).unwrap();
    for line in ["2  too much output", "1  different outputs", "1  starts of the program"] {
        assert!(text.contains(&format!("          {line}\n")), "{text}");
    }
    let records = fs::read_to_string(&records).unwrap();
    let told = r#""too_much_output":1"#;
    assert_eq!(records.matches(told).count(), 2, "{records}");
}

#[test]
fn a_summary_is_printed_when_it_is_asked_to_stop() {
    if !can_rewind() {
        return;
    }
    const SIGTERM: i32 = 15;
    let folder = scratch("rewind-stopped");
    fs::write(folder.join("1"), "exit 3").unwrap();
    // Short runs without end, and one that hangs.
    for second in ["exit 3", "while :; do :; done"] {
        fs::write(folder.join("2"), second).unwrap();
        let mut command = rewind();
        command.args(["-n1000000000", "-t1000", "-i"]).arg(&folder);
        let command = command.arg("sh").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        lines.read_line(&mut text).unwrap();
        assert!(text.contains("status 3"), "{text}");
        kernel::signal::send(child.id() as i32, SIGTERM).unwrap();
        lines.read_to_string(&mut text).unwrap();
        assert!(text.contains("1  starts of the program\n"), "{text}");
        assert_eq!(child.wait().unwrap().signal(), Some(SIGTERM));
    }
}

#[test]
fn what_cannot_be_done_is_said_with_a_way_out() {
    if !can_rewind() {
        return;
    }
    let cases: [(&[&str], &[&str]); 15] = [
        (&["--", "true"], &["ended before", "status 0", "--at-start"]),
        (&["cat", "/dev/zero"], &["has not come to the point", "than 256 MiB", "--at-start"]),
        (&["--at", "nothing", "true"], &["invalid --at argument", "name of a system call"]),
        (&["--at-symbol=nothing", "true"], &["no function is called 'nothing'", "stripped"]),
        (&["--input=/nowhere", "cat"], &["Can't open '/nowhere'", "No such file"]),
        (&["-j0", "cat"], &["invalid -j argument: '0'", "from 1 to 1024"]),
        (&["-j2", "--input-path=x", "cat", "x"], &["one path", "leave out -j"]),
        (&["-n0", "cat"], &["invalid -n argument: '0'", "from 1"]),
        (&["-t0", "cat"], &["invalid -t argument: '0'", "above 0"]),
        (
            &["-i/dev/null", "--input-path=/nowhere/x", "cat", "/nowhere/x"],
            &["Can't write '/nowhere/x'"],
        ),
        (&["--input-path=/nowhere/x", "true"], &["no call of it has named", "--input-path"]),
        (&["--at=fsync", "true"], &["ended before", "--at-start"]),
        (&["sh", "-c", "echo why >&2; exit 7"], &["status 7", "The program has written:\nwhy\n"]),
        (
            &[
                "/usr/bin/python3",
                "-c",
                "import socket, sys; s = socket.socket(); sys.stdin.read()",
            ],
            &["its descriptor 3 is a socket", "--at-start", "--allow=descriptors"],
        ),
        (&[], &["must have PROG"]),
    ];
    for (arguments, expected) in cases {
        let output = with_input(rewind().args(arguments), "");
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        for words in expected {
            assert!(said.contains(words), "{arguments:?}: {said}");
        }
    }
}
