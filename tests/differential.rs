//! Real programs under the installed strace and under Shunpike: the same lines.
//!
//! Each program runs once under `strace -f -o` and once under `shunpike trace -f -o`, in folders
//! that look the same and, where the kernel allows it, at the same addresses. What differs from run
//! to run becomes a word; then the processes are compared one by one, in the order in which they
//! were made. The share of equal lines must be at least what the table below says for it: raise it
//! when it rises.
//!
//! The guests of `guests/compared` make calls with arguments that real programs do not give; their
//! lines are compared under several options. Those of `guests/answered` are told that their calls have
//! succeeded. The calls of `guests/injected` are tampered with in each form that there is.
//!
//! `SHUNPIKE_DIFF=1 cargo test --test differential` also prints the differing lines, by call, the
//! most frequent call first. A difference that is meant to be stands in known-differences.txt,
//! with its reason.
#![forbid(unsafe_code)]

mod harness;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use regex_lite::Regex;

use harness::compile::{self, Variant};
use harness::diff::{self, Change};
use harness::launch::{self, End};
use harness::normalise::{self, Normaliser};
use harness::tools;
use harness::trace::{self, Trace};
use harness::tracer::{self, Tracer};

/// A program to compare.
struct Program<'a> {
    name: &'a str,
    /// What a shell does before, in the empty folder in which the program will run.
    setup: &'a str,
    command: &'a [&'a str],
    /// The options of both tracers.
    options: &'a [&'a str],
    order: Order,
    /// The least share of equal lines, in percent.
    share: f64,
    /// What has to be installed besides the command.
    needs: &'a [&'a str],
}

/// Whether two runs make the same calls in the same order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// They do: line by line.
    Same,
    /// They do not (threads, chance): the set of the lines of all processes. How often a line comes
    /// does not count.
    Any,
}

use Order::{Any, Same};

const fn program(
    name: &'static str,
    setup: &'static str,
    command: &'static [&'static str],
    order: Order,
    share: f64,
) -> Program<'static> {
    Program { name, setup, command, options: &[], order, share, needs: &[] }
}

/// Where chance has a part: the least share of lines that are equal or known not to be, in percent.
const LEAST_SHARE: f64 = 99.5;

/// How often programs are compared at most: in what runs side by side chance has a part.
const ATTEMPTS: usize = 3;

/// The programs, and what is reached.
#[rustfmt::skip]
const PROGRAMS: &[Program<'static>] = &[
    program("true", "", &["true"], Same, 100.0),
    program("ls", "", &["ls", "-la", "/usr"], Same, 100.0),
    program("ls-recursive", "", &["ls", "-lR", "/usr/share/doc"], Same, 100.0),
    program("cat", SOME_TEXT, &["cat", "text", "nonexistent"], Same, 100.0),
    program("cp", SOME_TEXT, &["cp", "-a", "text", "copy"], Same, 100.0),
    program("mv", SOME_TEXT, &["mv", "text", "moved"], Same, 100.0),
    program("rm", "mkdir -p a/b && touch a/b/c a/d", &["rm", "-rv", "a"], Same, 100.0),
    program("dd", "", &["dd", "if=/dev/zero", "of=zeros", "bs=4k", "count=20", "status=none"], Same, 100.0),
    program("touch", SOME_TEXT, &["touch", "-d", "2001-02-03", "text"], Same, 100.0),
    program("chmod", SOME_TEXT, &["chmod", "-v", "u+x", "text"], Same, 100.0),
    program("ln", SOME_TEXT, &["ln", "-s", "text", "link"], Same, 100.0),
    program("mkdir", "", &["mkdir", "-p", "a/b/c"], Same, 100.0),
    program("stat", SOME_TEXT, &["stat", "-f", "text"], Same, 100.0),
    program("df", "", &["df", "/proc", "/"], Same, 100.0),
    program("id", "", &["id"], Same, 100.0),
    program("date", "", &["date", "-d", "2001-02-03"], Same, 100.0),
    program("uname", "", &["uname", "-a"], Same, 100.0),
    program("sleep", "", &["sleep", "0.01"], Same, 100.0),
    program("timeout", "", &["timeout", "5", "true"], Same, 100.0),
    program("nproc", "", &["nproc"], Same, 100.0),
    program("find", "", &["find", "/usr/share/doc", "-name", "copyright", "-newer", "/etc/passwd"], Same, 100.0),
    program("grep", SOME_TEXT, &["grep", "-r", "line", "."], Same, 100.0),
    program("sed", SOME_TEXT, &["sed", "-i", "s/a/b/", "text"], Same, 100.0),
    program("awk", SOME_TEXT, &["awk", "{ n += length($0) } END { print n }", "text"], Same, 100.0),
    program("sort", SOME_TEXT, &["sort", "-r", "-o", "sorted", "text"], Same, 100.0),
    program("tar", SOME_TEXT, &["tar", "cf", "archive.tar", "text"], Same, 100.0),
    program("tar-gzip", SOME_TEXT, &["tar", "czf", "archive.tar.gz", "text"], Same, 100.0),
    program("gzip", SOME_TEXT, &["gzip", "-k", "text"], Same, 100.0),
    program("sha256sum", SOME_TEXT, &["sha256sum", "text"], Same, 100.0),
    program("diff", SOME_TEXT, &["diff", "text", "/dev/null"], Same, 100.0),
    program("sh-pipe", SOME_TEXT, &["sh", "-c", "sort text | uniq -c | head -3; exit 3"], Any, LEAST_SHARE),
    program("sh-loop", "", &["sh", "-c", A_LOOP], Same, 100.0),
    program("sh-redirect", "", &["sh", "-c", A_SCRIPT], Same, 100.0),
    program("bash", "", &["bash", "-c", "x=$(echo a b); echo ${x//a/c} | cat"], Any, LEAST_SHARE),
    program("make", A_PROJECT, &["make"], Same, 100.0),
    program("gcc", A_PROJECT, &["gcc", "-O1", "-c", "one.c"], Same, 100.0),
    program("ld", A_PROJECT, &["gcc", "one.c", "two.c", "main.c", "-o", "program"], Same, 100.0),
    program("git-log", A_REPOSITORY, &["git", "log", "--stat"], Same, 100.0),
    program("git-status", A_REPOSITORY, &["git", "status"], Same, 100.0),
    program("git-commit", A_REPOSITORY, &["env", "GIT_COMMITTER_DATE=2001-02-03T04:05:06Z", "git", "commit", "-q", "--date=2001-02-03T04:05:06Z", "--allow-empty", "-m", "again"], Same, 100.0),
    program("python", "", &["/usr/bin/python3", "-c", "import json, ssl, socket; print(json.dumps([1]))"], Same, 100.0),
    program("python-subprocess", "", PYTHON_PROCESS, Same, 100.0),
    program("python-sockets", "", &["/usr/bin/python3", "-c", LOOPBACK], Same, 100.0),
    program("python-threads", "", &["/usr/bin/python3", "-c", "import threading as t; [t.Thread(target=print).start() for _ in range(4)]"], Any, LEAST_SHARE),
    program("python-mmap", "", &["/usr/bin/python3", "-c", "import mmap, select, signal; m = mmap.mmap(-1, 8192); select.poll().poll(1); signal.alarm(0)"], Same, 100.0),
    program("perl", "", &["perl", "-MPOSIX", "-e", "print POSIX::getpid() > 0, `echo child`"], Same, 100.0),
    program("openssl", SOME_TEXT, &["openssl", "dgst", "-sha256", "text"], Same, 100.0),
    program("sqlite", "", &["sqlite3", "base", "create table t(a); insert into t values(1); select * from t;"], Same, 100.0),
    program("curl", "", &["curl", "-s", "http://127.0.0.1:1/"], Any, LEAST_SHARE),
    program("ip-address", "", &["ip", "address"], Same, LEAST_SHARE),
    program("ip-route", "", &["ip", "route"], Same, LEAST_SHARE),
    program("mount", "mkdir -p here", &["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=4k,ro", "none", "here"], Same, LEAST_SHARE),
    program("sshd", "mkdir -p /run/sshd || true", &["/usr/sbin/sshd", "-t"], Same, LEAST_SHARE),
    program("node", "", &["node", "-e", "0"], Any, LEAST_SHARE),
    program("go-version", "", &["go", "version"], Any, LEAST_SHARE),
    program("go-build", A_GO_PROGRAM, &["go", "build", "hello.go"], Any, LEAST_SHARE),
    program("java", "", &["java", "-version"], Any, LEAST_SHARE),
    program("ss", "", &["ss", "-tuln"], Same, 100.0),
    Program { needs: &["curl"], ..program("curl-loopback", "echo page > page", &["/usr/bin/python3", "-c", SERVE_ONCE], Any, LEAST_SHARE) },
    Program { needs: &["redis-server", "redis-cli"], ..program("redis", "", &["sh", "-c", REDIS], Any, LEAST_SHARE) },
    Program { needs: &["dbus-daemon"], ..program("dbus-daemon", "", &["sh", "-c", DBUS], Any, LEAST_SHARE) },
    program("ssh-keygen", "", &["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], Same, 100.0),
    program("tar-extract", A_TAR, &["tar", "xzf", "archive.tar.gz"], Any, 100.0),
    program("mount-bind", "mkdir -p here there", &["unshare", "-m", "sh", "-c", "mount --bind here there; umount there; findmnt / || true"], Same, LEAST_SHARE),
    program("ip-link", "", &["unshare", "-n", "sh", "-c", "ip link set lo up; ip link add d type dummy; ip address add 10.1.1.1/24 dev d; ip -s link"], Same, LEAST_SHARE),
    program("losetup", AN_IMAGE, &["sh", "-c", "losetup -l; losetup -f; blkid -p image; file image"], Same, LEAST_SHARE),
    program("acl", SOME_TEXT, &["sh", "-c", "setfacl -m u:1000:rw text; getfacl text; setcap cap_net_raw+ep text; getcap text"], Same, LEAST_SHARE),
    program("setpriv", "", &["sh", "-c", "setpriv -d; setpriv --no-new-privs --securebits=+noroot --inh-caps=-all true; capsh --print"], Same, LEAST_SHARE),
    program("unshare", "", &["sh", "-c", "unshare -imnpuCTf --mount-proc true; unshare -Ur id; nsenter -t $$ -m -u -i -n true"], Same, LEAST_SHARE),
    program("prlimit", "", &["sh", "-c", "prlimit; chrt -b 0 true; chrt -m; taskset -c 0 true; ionice -c2 -n3 true; nice -n 2 true"], Same, LEAST_SHARE),
    program("nc", "", &["sh", "-c", "nc -z 127.0.0.1 1; nc -U nonexistent; nc -u -w1 127.0.0.1 1 </dev/null"], Same, LEAST_SHARE),
    program("archives", SOME_TEXT, &["sh", "-c", "xz -k text; bzip2 -k text; xz -l text.xz; tar cf a.tar text; tar tf a.tar"], Any, LEAST_SHARE),
    program("binutils", A_PROJECT, &["sh", "-c", "gcc -c one.c; ar rcs l.a one.o; objdump -d one.o; nm one.o; readelf -a one.o"], Same, LEAST_SHARE),
    Program { options: &["-X", "raw"], ..program("python-raw", "", PYTHON_PROCESS, Same, LEAST_SHARE) },
    Program { options: &["-P", "/dev/null", "-P", "/usr/bin/true", "-y"], ..program("python-paths", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-P", ".git/index", "-P", "file1", "-P", "/etc"], ..program("git-paths", A_REPOSITORY, &["git", "status"], Same, 100.0) },
    Program { options: &["-k"], ..program("sort-stacks", SOME_TEXT, &["sort", "-r", "-o", "sorted", "text"], Same, 100.0) },
    Program { options: &["-k"], ..program("cp-stacks", SOME_TEXT, &["cp", "-a", "text", "copy"], Same, 100.0) },
    Program { options: COUNTED, ..program("git-counts", A_REPOSITORY, &["git", "status"], Same, 100.0) },
    Program { options: COUNTED, ..program("python-counts", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: COUNTED, ..program("sh-counts", "", &["sh", "-c", A_SCRIPT], Same, 100.0) },
    Program { options: &["--decode-pids=comm"], ..program("sh-commands", "", &["sh", "-c", A_LOOP], Same, 100.0) },
    Program { options: &["-T", "-tt"], ..program("sh-times", "", &["sh", "-c", A_SCRIPT], Same, 100.0) },
    Program { options: &["-e", "trace=%file"], ..program("python-class", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-e", "trace=%desc"], ..program("python-class", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-e", "trace=%process"], ..program("python-class", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-e", "trace=%signal"], ..program("python-class", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-e", "trace=%memory,%creds,%ipc"], ..program("python-class", "", PYTHON_PROCESS, Same, 100.0) },
    Program { options: &["-e", "trace=%network,%clock,%pure"], ..program("python-class", "", &["/usr/bin/python3", "-c", LOOPBACK], Same, 100.0) },
    Program { options: &["-e", "trace=%%stat,%%statfs"], ..program("ls-class", "", &["ls", "-la", "/usr"], Same, 100.0) },
    Program { options: &["-z", "-e", "trace=!%memory"], ..program("sh-successful", "", &["sh", "-c", A_SCRIPT], Same, 100.0) },
    Program { options: &["-yy"], ..program("python-pairs", "", &["/usr/bin/python3", "-c", PAIRS], Same, 100.0) },
];

/// Stressors of stress-ng(1) that end soon, and are the same from run to run.
#[rustfmt::skip]
const STRESSORS: &[&str] = &[
    "cap", "chmod", "chown", "copy-file", "daemon", "dup", "env", "eventfd", "fallocate", "flock", "fork", "getdent",
    "locka", "lockf", "lockofd", "mincore", "mknod", "msg", "msync", "nice", "open", "personality",
    "rename", "rlimit", "schedpolicy", "seek", "sendfile", "sigpending", "sigsegv", "splice", "sysinfo", "vfork",
    "vm-splice", "xattr",
];

const SOME_TEXT: &str =
    "for i in 1 2 3 4 5 6 7 8 9; do echo line $i a b c; done > text; touch -d 2001-02-03 text";

const A_LOOP: &str = "for i in 1 2 3; do (echo $i; true); done; trap 'echo end' EXIT";

const A_SCRIPT: &str = "echo a > f; read x < f; ls nonexistent 2>/dev/null || kill -TERM $$";

const PYTHON_PROCESS: &[&str] =
    &["/usr/bin/python3", "-c", "import subprocess; subprocess.run(['true'])"];

/// A table of calls, in whose order nothing is chance. The agent measures no other times.
const COUNTED: &[&str] = &["-c", "-w", "-U", "name,calls,errors", "-S", "name"];

const AN_IMAGE: &str = "truncate -s 8M image";

const A_PROJECT: &str = "
    echo 'int one(void) { return 1; }' > one.c
    echo 'int two(void) { return 2; }' > two.c
    printf '#include <stdio.h>\nint one(void), two(void);\nint main(void) { printf(\"%d\", one() + two()); }' > main.c
    printf 'program: one.o two.o main.o\n\tgcc -o $@ $^\n' > Makefile";

const A_REPOSITORY: &str = "
    export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'
    git init -q . && git config user.name Guest && git config user.email guest@example.org
    git config gc.auto 0
    for i in 1 2 3; do echo $i > file$i; touch -d 2001-02-03 file$i; git add .; git commit -qm \"commit $i\"; done";

const A_TAR: &str = "for i in 1 2 3; do echo $i > f$i; touch -d 2001-02-03 f$i; done; tar czf archive.tar.gz f1 f2 f3; rm f1 f2 f3";

/// A page from a server on the loopback that serves once.
const SERVE_ONCE: &str = "
import http.server, subprocess
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
curl = subprocess.Popen(['curl', '-s', 'http://127.0.0.1:%d/page' % server.server_port])
server.handle_request()
curl.wait()
";

/// A server that is started, asked and stopped.
const REDIS: &str = "redis-server --port 0 --unixsocket $PWD/socket --save '' >log & server=$!
    while sleep 0.2; do test -S socket && break; done
    redis-cli -s socket set key value; kill $server; wait";

const DBUS: &str =
    "dbus-daemon --session --nofork --nopidfile --address=unix:path=$PWD/bus & server=$!
    while sleep 0.2; do test -S bus && break; done; kill $server; wait";

const A_GO_PROGRAM: &str = r#"printf 'package main\nfunc main() { println("hello") }\n' > hello.go
    go build hello.go"#;

/// Sockets whose other end is gone, and one that has two protocols.
const PAIRS: &str = "
import socket
a, b = socket.socketpair()
a.send(b'x'); b.recv(1); a.close(); b.recv(1); b.close()
socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
";

const LOOPBACK: &str = "
import socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
client.sendall(b'hello')
assert peer.recv(16) == b'hello'
peer.shutdown(socket.SHUT_RDWR)
a, b = socket.socketpair()
socket.send_fds(a, [b'x'], [0])
socket.recv_fds(b, 4, 1)
";

fn main() {
    let programs = PROGRAMS
        .iter()
        .map(|program| Trial::ignorable_test(program.name, move || compare_installed(program)));
    let stressors = STRESSORS.iter().map(|stressor| {
        Trial::ignorable_test(format!("stress-{stressor}"), move || compare_stressor(stressor))
    });
    let trials = programs.chain(stressors).chain(guest_trials());
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    print!("{}", TOTALS.shown());
    conclusion.exit();
}

/// Compares a program if it is installed.
fn compare_installed(program: &Program<'_>) -> Result<Completion, Failed> {
    let missing = [program.command[0]]
        .iter()
        .chain(program.needs)
        .find(|tool| tools::find(tool).is_none())
        .map(|tool| format!("{tool} is not installed"));
    match tracer::no_oracle().map(str::to_owned).or(missing) {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => compare(program).map(|()| Completion::Completed).map_err(Failed::from),
    }
}

/// Compares one round of a stressor of stress-ng(1).
fn compare_stressor(stressor: &str) -> Result<Completion, Failed> {
    let (one, rounds) = (format!("--{stressor}"), format!("--{stressor}-ops"));
    compare_installed(&Program {
        name: &format!("stress-{stressor}"),
        setup: "",
        command: &["stress-ng", "-q", "--no-rand-seed", &one, "1", &rounds, "1"],
        options: &[],
        order: Any,
        share: LEAST_SHARE,
        needs: &[],
    })
}

/// What all comparisons of a run found.
struct Totals {
    comparisons: AtomicUsize,
    lines: AtomicUsize,
    different: AtomicUsize,
    unexplained: AtomicUsize,
}

static TOTALS: Totals = Totals {
    comparisons: AtomicUsize::new(0),
    lines: AtomicUsize::new(0),
    different: AtomicUsize::new(0),
    unexplained: AtomicUsize::new(0),
};

impl Totals {
    fn add(&self, lines: usize, different: usize, unexplained: usize) {
        self.comparisons.fetch_add(1, Relaxed);
        self.lines.fetch_add(lines, Relaxed);
        self.different.fetch_add(different, Relaxed);
        self.unexplained.fetch_add(unexplained, Relaxed);
    }

    fn shown(&self) -> String {
        let [comparisons, lines, different, unexplained] =
            [&self.comparisons, &self.lines, &self.different, &self.unexplained]
                .map(|number| number.load(Relaxed));
        format!(
            "{comparisons} comparisons, {lines} lines, {:.3} % equal; of {different} others \
             {unexplained} are not in known-differences.txt\n",
            equal(lines, different)
        )
    }
}

/// The share of equal lines, in percent.
fn equal(lines: usize, different: usize) -> f64 {
    100.0 * (1.0 - different as f64 / lines.max(1) as f64)
}

/// What a value's look depends on.
const LOOKS: &[&[&str]] = &[
    &[],
    &["-v"],
    &["-X", "raw"],
    &["-X", "verbose"],
    &["-e", "raw=all"],
    &["-e", "verbose=none"],
    &["-s", "5", "-xx"],
    &["-y"],
];

/// The same of calls that strace shows by their 32-bit form, `ipc(2)` and its like, where constants or
/// arguments stay numbers.
const I386_LOOKS: &[&[&str]] = &[&[], &["-v"], &["-s", "5", "-xx"], &["-y"]];

/// What calls are tampered with: each form of `-e inject=` and `-e fault=`.
#[rustfmt::skip]
const TAMPERED: &[&[&str]] = &[
    &["-e", "inject=chdir:error=ENOENT"],
    &["-e", "inject=chdir:error=EPERM:when=3"],
    &["-e", "inject=chdir:error=22:when=2+"],
    &["-e", "inject=chdir:error=EIO:when=2+2"],
    &["-e", "inject=chdir:error=4095:when=2..4"],
    &["-e", "inject=chdir:retval=0:when=1..5+2"],
    &["-e", "inject=chdir:retval=0x7f:when=3..3"],
    &["-e", "inject=getuid:retval=1000"],
    &["-e", "inject=getuid:retval=4294967295:when=2"],
    &["-e", "inject=umask:retval=077:when=1"],
    &["-e", "inject=umask:error=EBUSY"],
    &["-e", "inject=mmap:retval=0x1000:when=20+"],
    &["-e", "inject=openat:error=EMFILE"],
    &["-e", "inject=openat:retval=77"],
    &["-e", "inject=openat:error=ENOENT:when=3"],
    &["-e", "inject=read:retval=3"],
    &["-e", "inject=read:retval=100:when=2"],
    &["-e", "inject=read:error=EINTR:when=1+2"],
    &["-e", "inject=read,write:error=EAGAIN"],
    &["-e", "inject=%file:error=EACCES:when=4+"],
    &["-e", "inject=%desc:retval=0:when=9+3"],
    &["-e", "inject=/^ch:error=ELOOP:when=2"],
    &["-e", "inject=chdir:signal=SIGUSR1"],
    &["-e", "inject=chdir:signal=USR1:when=2..3"],
    &["-e", "inject=chdir:signal=10:error=EPERM:when=5"],
    &["-e", "inject=getppid:signal=SIGUSR1:retval=5"],
    &["-e", "inject=chdir:signal=SIGURG:when=2+3"],
    &["-e", "inject=chdir:delay_enter=100:when=2"],
    &["-e", "inject=chdir:delay_exit=1ms:when=1+3"],
    &["-e", "inject=chdir:delay_enter=50us:delay_exit=50us"],
    &["-e", "inject=chdir:delay_enter=1000ns:error=EPERM"],
    &["-e", "inject=getuid:delay_exit=1:retval=7"],
    &["-e", "inject=chdir:poke_enter=@arg1=2f00"],
    &["-e", "inject=chdir:poke_enter=@arg1=2f746d7000:when=3"],
    &["-e", "inject=read:poke_exit=@arg2=4142"],
    &["-e", "inject=read:poke_exit=@arg2=4142:when=2+"],
    &["-e", "inject=read:retval=4:poke_exit=@arg2=41424344"],
    &["-e", "inject=getcwd:retval=3:poke_exit=@arg1=2f6100"],
    &["-e", "inject=getcwd:poke_enter=@arg1=4142:when=1"],
    &["-e", "inject=read:poke_enter=@arg2=5a5a5a:poke_exit=@arg2=58:when=1"],
    &["-e", "inject=chdir:syscall=getpid:signal=USR1"],
    &["-e", "inject=chdir:retval=5:syscall=getuid:when=2"],
    &["-e", "inject=chdir:error=EPERM:syscall=geteuid:when=2"],
    &["-e", "inject=chdir:delay_enter=1:syscall=getppid"],
    &["-e", "inject=nanosleep:error=EINTR"],
    &["-e", "inject=nanosleep:retval=0"],
    &["-e", "inject=fstat:retval=0"],
    &["-e", "inject=fstat:error=EBADF"],
    &["-e", "inject=?nosuch,chdir:error=EPERM"],
    &["-e", "inject=chdir:poke_exit=@arg1=2f:syscall=getuid:when=2"],
    &["-e", "inject=chdir:error=EPERM:when=2", "-e", "inject=chdir:delay_exit=1:when=3+"],
    &["-e", "trace=chdir,read", "-e", "inject=chdir,getuid:retval=1:when=2+"],
    &["-e", "fault=chdir"],
    &["-e", "fault=chdir:error=EXDEV:when=2"],
    &["-e", "fault=chdir:when=3+"],
    &["-e", "fault=getuid:when=1..2"],
    &["-e", "fault=openat,read:error=EIO:when=3"],
];

/// Looks at calls that are answered without being made.
const ANSWERED: &[&[&str]] = &[
    &["-e", "inject=ioctl,bpf:retval=0"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v", "-X", "raw"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v", "-X", "verbose"],
    &["-e", "inject=ioctl,bpf:error=EINVAL", "-v"],
];

/// A trial for each guest of these folders with each look.
fn guest_trials() -> impl Iterator<Item = Trial> {
    let folders = [
        ("compared", Variant::Dynamic, LOOKS),
        ("compared_i386", Variant::I386, I386_LOOKS),
        ("injected", Variant::Dynamic, TAMPERED),
        ("answered", Variant::Dynamic, ANSWERED),
    ];
    folders.into_iter().flat_map(|(folder, variant, looks)| {
        let sources = tools::files(&format!("guests/{folder}"), "c");
        sources.into_iter().flat_map(move |source| {
            let program = Arc::new(OnceLock::new());
            looks
                .iter()
                .map(move |options| guest_trial(source.clone(), variant, options, program.clone()))
        })
    })
}

/// A trial of a guest with these options; of those that run side by side one builds the program.
fn guest_trial(
    source: PathBuf,
    variant: Variant,
    options: &'static [&'static str],
    program: Arc<OnceLock<Result<PathBuf, String>>>,
) -> Trial {
    let look = if options.is_empty() { "plain".to_owned() } else { options.join(" ") };
    let kind = if variant == Variant::I386 { "i386-" } else { "" };
    let name = format!("guest-{kind}{}", tools::stem(&source));
    Trial::ignorable_test(format!("{name} {look}"), move || {
        match tracer::no_oracle().map(str::to_owned).or_else(|| variant.missing()) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => program
                .get_or_init(|| compile::c(&source, variant))
                .as_ref()
                .map_err(String::clone)
                .and_then(|program| compare_guest(&name, program, options))
                .map(|()| Completion::Completed)
                .map_err(Failed::from),
        }
    })
}

fn compare_guest(name: &str, program: &Path, options: &[&str]) -> Result<(), String> {
    let guest = program.to_str().ok_or("the target folder's name is not UTF-8")?;
    let command = &[guest][..];
    compare(&Program { name, setup: "", command, options, order: Same, share: 100.0, needs: &[] })
}

/// Compares a program, and again when too few lines are equal: a line that one of the tracers lacks is
/// lacking each time.
fn compare(program: &Program<'_>) -> Result<(), String> {
    let mut outcome = compare_once(program);
    for _ in 1..ATTEMPTS {
        if outcome.is_ok() {
            break;
        }
        outcome = compare_once(program);
    }
    outcome
}

/// Runs a program under strace, and under Shunpike with and without stops; where calls are tampered
/// with, by two stops and by one too. Fails when too few lines are equal.
fn compare_once(program: &Program<'_>) -> Result<(), String> {
    let oracle = run(program, Tracer::Strace)?;
    if program.options.iter().any(|option| option.contains(':') || option.starts_with("fault=")) {
        compare_with(program, &oracle, Tracer::Ptrace)?;
        compare_with(program, &oracle, Tracer::Sysemu)?;
    }
    compare_with(program, &oracle, Tracer::Seccomp)?;
    match tracer::no_agent() {
        None => compare_with(program, &oracle, Tracer::Agent),
        Some(reason) => {
            println!("{} agent: skipped: {reason}", program.name);
            Ok(())
        }
    }
}

fn compare_with(
    program: &Program<'_>,
    oracle: &[Vec<String>],
    tracer: Tracer,
) -> Result<(), String> {
    let ours = run(program, tracer)?;
    let mut different = differences(program, oracle, &ours);
    let all = larger_side(&different);
    let known = known_differences(program, tracer)?;
    different.retain(|change| !known.iter().any(|pattern| pattern.is_match(change.line())));
    let unexplained = larger_side(&different);

    let lines = match program.order {
        Same => oracle.iter().map(Vec::len).sum(),
        Any => set(oracle).len(),
    };
    TOTALS.add(lines, all, unexplained);
    let share = equal(lines, unexplained);
    // One write, so that reports of programs that run side by side stay apart.
    let name = format!("{} {}", program.name, tracer.name());
    let mut report = format!(
        "{name}: {lines} lines, {:.2} % equal, {share:.2} % with what is known\n",
        equal(lines, all)
    );
    if std::env::var_os("SHUNPIKE_DIFF").is_some() {
        report += &by_call(&different);
    }
    print!("{report}");
    if share < program.share {
        let shown = diff::shown(&different, 30);
        return Err(format!(
            "{share:.2} % of {lines} lines are equal or known not to be, {} % must be; \
             - strace, + {}:\n{shown}",
            program.share,
            tracer.name()
        ));
    }
    Ok(())
}

/// The normalised lines of each process, in the order in which they were made. SIGCHLD's lines
/// come last: when a signal arrives is chance.
fn run(program: &Program<'_>, tracer: Tracer) -> Result<Vec<Vec<String>>, String> {
    // The folder's name is the same for both, since programs print it.
    let folder = tools::empty_scratch(&format!(
        "programs/{}{}",
        program.name,
        program.options.concat().replace('/', "_")
    ));
    let error = |error: std::io::Error| format!("{}: {error}", tracer.name());
    let mut setup = Command::new("sh");
    setup.args(["-ec", program.setup]);
    let outcome = launch::run(setup, &folder, "").map_err(error)?;
    if outcome.end != End::Exited(0) {
        return Err(format!("the setup fails: {outcome:?}"));
    }
    let output = folder.with_extension(tracer.name());
    let mut command = tracer.following(&output, program.options);
    command.args(program.command);
    let outcome = launch::run(launch::with_fixed_addresses(command), &folder, "").map_err(error)?;
    if outcome.end == End::TimedOut {
        return Err(format!("{} hangs: {outcome:?}", tracer.name()));
    }
    let text = launch::read_lossy(&output)
        .map_err(|error| format!("{}: no trace: {error}: {outcome:?}", tracer.name()))?;
    if program.options.contains(&"-c") {
        return Ok(vec![text.lines().map(str::to_owned).collect()]);
    }
    let trace = Trace::parse(&text).map_err(|error| format!("{}: {error}", tracer.name()))?;
    let normaliser = Normaliser::new(&trace);
    let line = |line: &String| match program.order {
        Same => normaliser.line(line),
        Any => normalise::without_numbers_of_chance(&normaliser.line(line)),
    };
    let mut tasks = Vec::new();
    for task in &trace.tasks {
        let lines = task.lines.iter().map(line);
        let (signals, mut lines): (Vec<_>, Vec<_>) =
            lines.partition(|line| line.starts_with("--- SIGCHLD "));
        lines.extend(signals);
        tasks.push(lines);
    }
    Ok(tasks)
}

/// How many lines differ: a line that is another is on both sides.
fn larger_side(changes: &[Change]) -> usize {
    let missing = changes.iter().filter(|change| matches!(change, Change::Missing(_))).count();
    missing.max(changes.len() - missing)
}

/// The lines that only one side has.
fn differences<'a>(
    program: &Program<'_>,
    oracle: &'a [Vec<String>],
    ours: &'a [Vec<String>],
) -> Vec<Change<'a>> {
    let borrowed = |lines: &'a [String]| lines.iter().map(String::as_str).collect::<Vec<_>>();
    match program.order {
        Same => {
            let tasks = oracle.len().max(ours.len());
            let task = |side: &'a [Vec<String>], index| {
                side.get(index).map(|lines: &Vec<String>| borrowed(lines)).unwrap_or_default()
            };
            (0..tasks)
                .flat_map(|index| diff::changes(&task(oracle, index), &task(ours, index)))
                .collect()
        }
        Any => diff::set_changes(&set(oracle), &set(ours)),
    }
}

fn set(tasks: &[Vec<String>]) -> BTreeSet<&str> {
    tasks.iter().flatten().map(String::as_str).collect()
}

/// The changes grouped by call, the most frequent call first.
fn by_call(changes: &[Change]) -> String {
    let mut calls: HashMap<&str, Vec<Change>> = HashMap::new();
    for change in changes {
        let call = trace::call_name(change.line()).unwrap_or("signals and exits");
        calls.entry(call).or_default().push(*change);
    }
    let mut calls: Vec<_> = calls.into_iter().collect();
    calls.sort_by_key(|(call, changes)| (std::cmp::Reverse(changes.len()), *call));
    let mut text = String::new();
    for (call, changes) in calls {
        let shown = diff::shown(&changes, 20);
        write!(text, "  {call}: {}\n{shown}", changes.len()).expect("writing to a string");
    }
    text
}

/// The patterns of the lines that do not count for a program: those of known-differences.txt.
fn known_differences(program: &Program<'_>, tracer: Tracer) -> Result<Vec<Regex>, String> {
    let file = tools::tests().join("known-differences.txt");
    let text = launch::read_lossy(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let entries = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut patterns = Vec::new();
    if !launch::can_fix_addresses() {
        // How often malloc asks for the end of the heap depends on where the heap begins.
        patterns.push(Regex::new(r"^brk\(").expect("constant"));
    }
    for entry in entries {
        let (name, pattern) =
            entry.split_once(' ').ok_or_else(|| format!("known-differences.txt: {entry}"))?;
        let (of, by) = name.split_once('/').unwrap_or((name, tracer.name()));
        let with_options = format!("{}{}", program.name, program.options.concat());
        let family = program.name.split_once('-').map_or("", |(family, _)| family);
        let is_of = [program.name, &with_options, "*"].contains(&of)
            || of.strip_suffix("-*") == Some(family);
        if is_of && by == tracer.name() {
            patterns.push(Regex::new(pattern).map_err(|error| format!("{pattern}: {error}"))?);
        }
    }
    Ok(patterns)
}
