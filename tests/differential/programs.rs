//! The programs to compare, and what is reached with each.

/// A program to compare.
pub struct Program<'a> {
    pub name: &'a str,
    /// What a shell does before, in the empty folder in which the program will run.
    pub setup: &'a str,
    pub command: &'a [&'a str],
    /// The options of both tracers.
    pub options: &'a [&'a str],
    pub order: Order,
    /// The least share of equal lines, in percent.
    pub share: f64,
    /// What has to be installed besides the command.
    pub needs: &'a [&'a str],
}

/// Whether two runs make the same calls in the same order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
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
pub const LEAST_SHARE: f64 = 99.5;

/// The programs, and what is reached.
#[rustfmt::skip]
pub const PROGRAMS: &[Program<'static>] = &[
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
pub const STRESSORS: &[&str] = &[
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
