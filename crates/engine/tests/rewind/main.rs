//! Programs are rewound.
#![forbid(unsafe_code)]

mod dropped;
mod guests;
mod memory;
mod newer;
mod pairs;
#[path = "../../../../tests/harness/rewinding.rs"]
mod rewinding;
mod server;
mod states;
mod streams;
mod symbols;
mod tree;
mod writers;
mod written_pages;

use std::os::fd::AsRawFd;
use std::time::Duration;

use engine::rewind::{End, Error, Guest, Irreversible, Point};
use kernel::placement::Cpus;

use memory::{assert_same_memory, memory_of, stay_on_one_processor};
use rewinding::can_rewind;
use streams::Streams;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_shell_runs_each_script_from_before_its_first_read() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program("/bin/sh", &[])).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    guest.snapshot(&[]).unwrap();
    for round in 0..100 {
        streams.give(&format!(
            "x=${{x:-fresh}}{round}; cd /usr; umask 0; echo $x; exit {}",
            round % 7
        ));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(round % 7));
        assert_eq!(streams.written(), format!("fresh{round}\n"));
        guest.rewind().unwrap();
    }
    streams.give("kill -SEGV $$");
    assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Killed(libc::SIGSEGV));
    guest.rewind().unwrap();
    streams.give("while :; do :; done");
    assert_eq!(guest.run(Some(Duration::from_millis(20))).unwrap(), End::TimedOut);
    guest.rewind().unwrap();
    streams.give("pwd; umask; exit 3");
    assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(3));
    let here = std::env::current_dir().unwrap();
    assert!(streams.written().starts_with(&format!("{}\n00", here.display())));
}

/// Python before it reads the rest of its program.
fn python(streams: &Streams, prepare: &str) -> Guest {
    let prepare = format!("{prepare}\nimport sys\nexec(sys.stdin.read())");
    let program = streams.program("/usr/bin/python3", &["-S", "-c", &prepare]);
    let mut guest = Guest::start(program).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    stay_on_one_processor(guest.pid());
    guest.snapshot(&[]).unwrap();
    guest
}

/// Python: an area, and what changes it at random.
const AREA: &str = "
import ctypes, json, os, random, mmap, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mremap.restype = ctypes.c_void_p
libc.sbrk.restype = ctypes.c_void_p
libc.sbrk.argtypes = [ctypes.c_long]
for name in ('munmap', 'mprotect', 'madvise', 'mremap', 'memset'):
    getattr(libc, name).argtypes = [ctypes.c_void_p] + [ctypes.c_size_t] * 3
libc.mremap.argtypes += [ctypes.c_void_p]
PAGE, PAGES, AREA, OTHER = 4096, 64, 0x7300_0000, 0x7400_0000
sys.setrecursionlimit(20000)
KINDS = range(14)
text = open(sys.executable, 'rb')
HEAP = libc.sbrk(0)
assert libc.mmap(AREA, PAGES * PAGE, 3, 0x32, -1, 0) == AREA
for page in range(0, PAGES, 2):
    libc.memset(AREA + page * PAGE, page + 1, PAGE, 0)
libc.mprotect(AREA + 20 * PAGE, 8 * PAGE, 1, 0)
def change():
    first = random.randrange(PAGES)
    count = random.randrange(1, PAGES - first + 1)
    at, len = AREA + first * PAGE, count * PAGE
    what = random.choice(KINDS)
    if what == 0: libc.munmap(at, len, 0, 0)
    if what == 1: libc.mmap(at, len, 3, 0x32, -1, 0)
    if what == 2: libc.mprotect(at, len, random.choice([0, 1, 3]), 0)
    if what == 3: libc.madvise(at, len, 4, 0)
    if what == 4: libc.mremap(at, len, len + 8 * PAGE, 1, None)
    # To another place, over what is there; and some of it stays there.
    if what == 5: libc.mremap(at, len, len, 3, OTHER + random.randrange(8) * PAGE)
    # A file's, which is written to where it may be, and memory shared with children.
    if what == 6: libc.mmap(at, len, 3, 0x12, text.fileno(), PAGE * random.randrange(4))
    if what == 7: libc.mmap(at, len, 3, 0x31, -1, 0)
    # The heap's end, up to a limit, and the stack's.
    if what == 8 and libc.sbrk(0) - HEAP < 1000 * PAGE: libc.sbrk(PAGE * random.randrange(40))
    if what == 9:
        try: json.loads('[' * random.randrange(1000, 9000))
        except ValueError: pass
    if what == 10:
        child = os.fork()
        if child == 0:
            change()
            os._exit(0)
        os.waitpid(child, 0)
    # The kernel writes, and returns an error where it may not.
    if what >= 11:
        zero = os.open('/dev/urandom', os.O_RDONLY)
        libc.read(zero, ctypes.c_void_p(at), ctypes.c_size_t(len))
        os.close(zero)
";

#[test]
fn any_changes_of_mappings_are_undone() {
    if !can_rewind() {
        return;
    }
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 10_000 } else { 60 };
    let mut streams = Streams::new();
    let mut guest = python(&streams, AREA);
    let before = memory_of(guest.pid());
    for round in 0..rounds {
        streams.give(&format!("random.seed({round})\nfor _ in range(12): change()\nos._exit(4)"));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(4), "{}", streams.written());
        guest.rewind().unwrap();
        assert_same_memory(&before, guest.pid(), round);
    }
}

/// How many filters a process has.
fn filters(pid: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"))?;
    line.trim().parse().ok()
}

#[test]
fn a_program_that_did_the_same_in_each_run_does_something_else() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, AREA);
    let before = memory_of(guest.pid());
    let at_first = filters(guest.pid());
    for run in [
        "libc.memset(AREA + 4 * PAGE, 7, PAGE, 0)",
        "libc.memset(AREA + 6 * PAGE, 7, PAGE, 0)",
        "libc.madvise(AREA + 4 * PAGE, 8 * PAGE, 4, 0)",
        "libc.mmap(AREA, 8 * PAGE, 3, 0x32, -1, 0)",
        "libc.mprotect(AREA, 8 * PAGE, 0, 0)",
        "libc.munmap(AREA + 30 * PAGE, 8 * PAGE, 0, 0)",
        "os.read(0, 0); libc.pread(1, ctypes.c_void_p(AREA), ctypes.c_size_t(9), ctypes.c_long(0))",
    ] {
        // Until nothing but its hot pages is put back.
        for round in 0..12 {
            streams.give("libc.memset(AREA, 7, PAGE, 0)\nos._exit(5)");
            assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(5), "{}", streams.written());
            guest.rewind().unwrap();
            if round == 11 {
                assert_same_memory(&before, guest.pid(), round);
            }
        }
        if let (Some(then), Some(now)) = (at_first, filters(guest.pid())) {
            // One for what is mapped, one for descriptors.
            assert_eq!(now, then + 2, "it was never found to be quiet");
        }
        streams.give(&format!("{run}\nos._exit(6)"));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(6), "{}", streams.written());
        guest.rewind().unwrap();
        println!("{run}");
        assert_same_memory(&before, guest.pid(), 12);
    }
}

#[test]
fn a_program_that_closes_its_output_in_each_run_is_found_to_do_the_same() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, &format!("{AREA}\nimport signal"));
    let before = memory_of(guest.pid());
    let at_first = filters(guest.pid());
    const RUN: &str = "libc.memset(AREA, 7, PAGE, 0)
os.close(1)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
";
    for round in 0..12 {
        let other = match round {
            9 => "libc.madvise(AREA + 4 * PAGE, 8 * PAGE, 4, 0)",
            10 => "libc.memset(AREA + 6 * PAGE, 7, PAGE, 0)",
            _ => "",
        };
        streams.give(&format!("{RUN}{other}\nos._exit(5)"));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(5), "{}", streams.written());
        guest.rewind().unwrap();
        assert_same_memory(&before, guest.pid(), round);
    }
    if let (Some(then), Some(now)) = (at_first, filters(guest.pid())) {
        assert_eq!(now, then + 1, "only what is mapped is watched");
    }
}

/// What a program prints of its first descriptors.
const TELL: &str = "import fcntl, os
def tell():
    for fd in range(6):
        try: os.write(2, f'{fd} {os.readlink(f\"/proc/self/fd/{fd}\")} {fcntl.fcntl(fd, fcntl.F_GETFL):o}\\n'.encode())
        except OSError: pass
os.dup2(os.open('/dev/zero', os.O_RDWR), 5)";

#[test]
fn a_program_that_left_its_descriptors_alone_touches_them() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, TELL);
    let mut run = |guest: &mut Guest, script: &str| {
        streams.give(&format!("tell()\n{script}\nos._exit(5)"));
        let end = guest.run(Some(LIMIT)).unwrap();
        assert_eq!(end, End::Exited(5), "{script}: {}", streams.written());
        guest.rewind().unwrap();
        streams.written()
    };
    let at_first = run(&mut guest, "");
    // Its memory is watched before long, its descriptors only later.
    for _ in 0..5 {
        run(&mut guest, "");
    }
    let filters_then = filters(guest.pid());
    for touch in [
        "os.close(5)",
        "os.close(5); os.open('/dev/null', 0); os.open('/dev/null', 0)",
        "os.dup2(0, 5)",
        "os.dup2(0, 5, False)",
        "os.closerange(3, 6)",
        "fcntl.fcntl(5, fcntl.F_SETFL, os.O_NONBLOCK)",
        "os.set_blocking(5, False)",
        "os.waitpid(os.fork() or os.set_blocking(5, False) or os._exit(0), 0)",
        "import threading; t = threading.Thread(target=os.close, args=[5]); t.start(); t.join()",
        "os.open('/dev/null', 0); os.close(1)",
    ] {
        for _ in 0..10 {
            assert_eq!(run(&mut guest, "os.close(os.open('/dev/null', 0))"), at_first);
        }
        run(&mut guest, touch);
        assert_eq!(run(&mut guest, ""), at_first, "{touch}");
    }
    if let (Some(then), Some(now)) = (filters_then, filters(guest.pid())) {
        assert!(now > then, "its descriptors were compared in each round");
    }
}

#[test]
fn threads_and_processes_of_a_run_go() {
    if !can_rewind() {
        return;
    }
    const RUN: &str = "
import threading, subprocess, os, signal
found = []
threads = [threading.Thread(target=lambda n=n: found.append(n * n)) for n in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(found), subprocess.run(['echo', 'hi'], capture_output=True).stdout, flush=True)
stays = threading.Thread(target=threading.Event().wait, daemon=True)
stays.start()
child = os.fork()
if child == 0: signal.pause()
open('/dev/null'); os.chdir('/'); os.close(2)
os.kill(os.getpid(), signal.SIGKILL) if ROUND == 7 else os._exit(ROUND)
";
    let mut streams = Streams::new();
    let mut guest = python(&streams, "");
    for round in 0..8 {
        streams.give(&RUN.replace("ROUND", &round.to_string()));
        let end = guest.run(Some(LIMIT)).unwrap();
        assert_eq!(streams.written(), "[0, 1, 4, 9] b'hi\\n'\n");
        if round == 7 {
            assert_eq!(end, End::Killed(libc::SIGKILL));
            assert!(matches!(guest.rewind(), Err(Error::Irreversible(Irreversible::Killed))));
        } else {
            assert_eq!(end, End::Exited(round));
            guest.rewind().unwrap();
            let tasks = std::fs::read_dir(format!("/proc/{}/task", guest.pid())).unwrap();
            assert_eq!(tasks.count(), 1);
            let children = format!("/proc/{0}/task/{0}/children", guest.pid());
            assert_eq!(std::fs::read_to_string(children).unwrap_or_default(), "");
        }
    }
}

#[test]
fn after_a_32_bit_call_there_is_no_way_back() {
    if !can_rewind() {
        return;
    }
    // close(9) by int 0x80.
    const PREPARE: &str = "
import ctypes, mmap, os
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex('53b806000000bb09000000cd805bc3'))
close = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
os.dup2(0, 9)";
    let mut streams = Streams::new();
    let mut guest = python(&streams, PREPARE);
    for _ in 0..3 {
        streams.give("os._exit(os.fstat(9).st_nlink)");
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0));
        guest.rewind().unwrap();
    }
    streams.give("os._exit(5 if close() == 0 else 1)");
    match guest.run(Some(LIMIT)).unwrap() {
        End::Killed(libc::SIGSEGV) => return println!("skipped: this kernel has no 32-bit calls"),
        end => assert_eq!(end, End::Exited(5)),
    }
    assert!(matches!(guest.rewind(), Err(Error::Irreversible(Irreversible::OtherAbi))));
}

#[test]
fn a_thread_that_has_just_begun_begins_again() {
    if !can_rewind() {
        return;
    }
    // Its rseq(2) is the second: then it is before what it may do only once.
    const PROGRAM: &str = "
import threading
def work(): print('works', flush=True)
thread = threading.Thread(target=work)
thread.start(); thread.join()
";
    let mut streams = Streams::new();
    let program = streams.program("/usr/bin/python3", &["-S", "-c", PROGRAM]);
    let mut guest = Guest::start(program).unwrap();
    match guest.run_to(&Point::Call(libc::SYS_rseq as u64, 1)) {
        Err(Error::Ended { .. }) => return println!("skipped: this C library has no rseq(2)"),
        reached => reached.unwrap(),
    }
    guest.snapshot(&[]).unwrap();
    for round in 0..10 {
        streams.give("");
        let end = guest.run(Some(LIMIT)).unwrap();
        assert_eq!(end, End::Exited(0), "in round {round}: {}", streams.written());
        assert_eq!(streams.written(), "works\n", "in round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn a_thread_is_told_on_which_processor_it_runs() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, "import ctypes, os\nlibc = ctypes.CDLL(None)");
    let all = Cpus::of(0).unwrap().list();
    for round in 0..10 {
        let cpu = all[round % all.len()];
        Cpus::only(cpu).confine(guest.pid()).unwrap();
        streams.give("print(libc.sched_getcpu(), flush=True)\nos._exit(0)");
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{}", streams.written());
        assert_eq!(streams.written(), format!("{cpu}\n"), "in round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn who_asks_for_the_size_of_its_input_without_a_path_is_noted() {
    const PERL: &str = "/usr/bin/perl";
    if !can_rewind() || !std::path::Path::new(PERL).exists() {
        return;
    }
    // An older kernel refuses the first two: whether it has told the size is not looked at.
    for (call, arguments) in [
        (libc::SYS_statx, "0, 0, 0x1000, 0xfff, $b"),
        (libc::SYS_newfstatat, "0, 0, $b, 0x1000"),
        (libc::SYS_newfstatat, "0, $none, $b, 0x1000"),
    ] {
        let script = format!("$none = ''; $b = ' ' x 256; syscall {call}, {arguments}; <STDIN>");
        let mut streams = Streams::new();
        streams.give("one");
        let mut guest = Guest::start(streams.program(PERL, &["-e", &script])).unwrap();
        guest.note_input(streams.input.as_raw_fd()).unwrap();
        guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
        let asked = guest.asked_size().map(|asked| asked.call);
        assert_eq!(asked, Some(call as u64), "{arguments}");
    }
}

#[test]
fn the_signals_that_wait_are_those_of_the_snapshot() {
    if !can_rewind() {
        return;
    }
    const PREPARE: &str = "
import signal, os, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGUSR2, signal.SIGCHLD])
child = os.fork()
if child == 0: os._exit(3)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
os.kill(os.getpid(), signal.SIGUSR1)
signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
";
    // One more is left waiting, or none.
    const RUN: &str = "
print(sorted(map(int, signal.sigpending())))
told = signal.sigtimedwait([signal.SIGCHLD], 0)
print(told.si_pid == child, told.si_status)
print([signal.sigtimedwait([signal.SIGUSR1], 0) is not None for _ in range(3)], flush=True)
if WAITS: os.kill(os.getpid(), signal.SIGUSR2)
os._exit(os.waitpid(child, 0)[1] >> 8)
";
    let mut streams = Streams::new();
    let mut guest = python(&streams, PREPARE);
    for round in 0..6 {
        streams.give(&RUN.replace("WAITS", &(round % 2).to_string()));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(3), "{}", streams.written());
        assert_eq!(streams.written(), "[10, 17]\nTrue 3\n[True, True, False]\n", "round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn memory_that_is_shared_with_processes_of_its_own_is_put_back() {
    if !can_rewind() {
        return;
    }
    // The second page was written by a process that is gone, and never looked at by this one.
    const PREPARE: &str = "
import mmap, os
area = mmap.mmap(-1, 8 * 4096)
area[0:3] = b'one'
child = os.fork()
if child == 0: area[4096:4099] = b'two'; os._exit(0)
os.waitpid(child, 0)
";
    const RUN: &str = "
print(area[0:3], area[4096:4099], area[8192:8195], flush=True)
child = os.fork()
if child == 0: area[0:3] = area[4096:4099] = area[8192:8195] = b'new'; os._exit(0)
os.waitpid(child, 0)
assert area[4096:4099] == b'new'
if WRITES: area[8192:8195] = b'own'
if UNMAPS: area.close()
os._exit(3)
";
    let mut streams = Streams::new();
    let mut guest = python(&streams, PREPARE);
    for round in 0..8 {
        let run = RUN.replace("WRITES", &(round % 2).to_string());
        streams.give(&run.replace("UNMAPS", &(round / 2 % 2).to_string()));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(3), "{}", streams.written());
        assert_eq!(streams.written(), "b'one' b'two' b'\\x00\\x00\\x00'\n");
        guest.rewind().unwrap();
    }
}

#[test]
fn what_cannot_be_captured_is_named() {
    if !can_rewind() {
        return;
    }
    let streams = Streams::new();
    let prepare = "import socket\nkept = socket.socket()";
    let prepare = format!("{prepare}\nimport sys\nexec(sys.stdin.read())");
    let program = streams.program("/usr/bin/python3", &["-S", "-c", &prepare]);
    let mut guest = Guest::start(program).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    let refused = guest.snapshot(&[]).unwrap_err().to_string();
    assert!(refused.contains("its descriptor 3 is a socket"), "{refused}");

    let streams = Streams::new();
    let mut guest = Guest::start(streams.program("/bin/true", &[])).unwrap();
    let never = guest.run_to(&Point::Reads(streams.input.as_raw_fd()));
    assert!(matches!(never, Err(Error::Ended { end: End::Exited(0) })), "{never:?}");
}
