//! Trees of processes.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use engine::rewind::{End, Guest, Point};
use kernel::signal;

use crate::LIMIT;
use crate::memory::{assert_same_memory, memory_of};
use crate::rewinding::can_rewind;
use crate::streams::Streams;

/// Python: three processes with four threads each, which do what they are told. The first two
/// processes are told by pipes, and the last by the second.
pub const TREE: &str = "
import mmap, os, sys, threading, signal, time
threading.stack_size(1 << 18)
area = mmap.mmap(-1, 4 * 4096)
area[0:5] = b'first'
word = os.memfd_create('word')
os.ftruncate(word, 4096)
word = mmap.mmap(word, 4096)
word[0:4] = b'memf'
local = bytearray(b'x' * 50_000)
gate = threading.Event()
def threads():
    for _ in range(3): threading.Thread(target=gate.wait, daemon=True).start()
def child(*close):
    down, up = os.pipe(), os.pipe()
    pid = os.fork()
    if pid:
        os.close(down[0]); os.close(up[1])
        return pid, os.fdopen(down[1], 'w', buffering=1), os.fdopen(up[0])
    for other in close: other.close()
    os.close(down[1]); os.close(up[0])
    return 0, os.fdopen(up[1], 'w', buffering=1), os.fdopen(down[0])
def serve(told, tell, separator):
    for line in told: exec(line.replace(separator, chr(10)))
pid, to, back = child()
second = pid
if pid == 0:
    told, tell = back, to
    pid, to, back = child(told, tell)
    third = pid
    if pid == 0:
        threads()
        to.write('ready\\n')
        serve(back, to, '::')
        os._exit(30)
    threads()
    back.readline()
    tell.write('ready\\n')
    serve(told, tell, ';;')
    os._exit(20)
threads()
back.readline()
exec(sys.stdin.read())
os._exit(10)
";

/// What the tree does in a run; `ROUND` is its number.
const RUNS: [&str; 5] = [
    // All end, each with threads that are ended, and is waited for.
    "
to.write('''gate.set();;local[9]=ROUND;;to.write(\"area[0:3]=b'3rd'::word[0:1]=b'3'::word.close()::gate.set()::os._exit(33)\\\\n\");;tell.write(f'{os.waitpid(third, 0)[1] >> 8}\\\\n');;os._exit(22)\\n''')
print(back.readline().strip(), os.waitpid(-1, 0)[1] >> 8, back.read(), bytes(area[0:5]), bytes(word[0:4]), flush=True)
try: os.wait()
except ChildProcessError: print('nobody', flush=True)
os._exit(ROUND)
",
    // New processes and threads, some of which stay.
    "
t = threading.Thread(target=lambda: local.__setitem__(5, 7)); t.start(); t.join()
threading.Thread(target=threading.Event().wait, daemon=True).start()
mine = os.fork()
if mine == 0: area[4096:4099] = b'new'; os._exit(5)
to.write('''a=os.fork();;if a == 0: signal.pause();;tell.write('forked\\\\n')\\n''')
print(back.readline().strip(), os.waitpid(mine, 0)[1] >> 8, bytes(area[4096:4099]), local[5], flush=True)
",
    // The first goes, and the others would stay.
    "
to.write('''area[0:6]=b'second';;tell.write('done\\\\n')\\n''')
print(back.readline().strip(), bytes(area[0:6]), flush=True)
",
    // Signals kill, and are told of.
    "
told = []
signal.signal(signal.SIGCHLD, lambda number, frame: told.append(number))
os.kill(second, signal.SIGTERM)
while not told: time.sleep(0.001)
print(os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT).si_status, flush=True)
print(os.waitpid(second, os.WNOHANG) == (second, 15), repr(back.read()), flush=True)
try: to.write('x\\n')
except BrokenPipeError: print('broken', flush=True)
",
    // Who waits is woken; what is in a pipe is gone in the next run.
    "
to.write('''tell.write('left in the pipe\\\\n');;time.sleep(0.01);;os._exit(21)\\n''')
print(os.wait() == (second, 21 << 8), flush=True)
",
];

/// What python prints when it is started anew, and its status. What it leaves behind is ended.
fn fresh(script: &str) -> (String, i32) {
    let mut streams = Streams::new();
    streams.give(script);
    let [input, output, error] = streams.copies();
    let mut command = Command::new("/usr/bin/python3");
    let command = command.args(["-S", "-c", TREE]).process_group(0);
    let mut child = command.stdin(input).stdout(output).stderr(error).spawn().unwrap();
    let status = child.wait().unwrap();
    let _ = signal::send(-(child.id() as i32), signal::KILL);
    (streams.written(), status.code().unwrap())
}

/// A process and those that it has made.
pub fn tree_of(pid: i32) -> Vec<i32> {
    let mut all = vec![pid];
    for task in fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let children = fs::read_to_string(task.unwrap().path().join("children")).unwrap();
        let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
        all.extend(children.flat_map(tree_of));
    }
    all
}

fn count_threads(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

#[test]
fn three_processes_with_four_threads_each() {
    if !can_rewind() {
        return;
    }
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 200 } else { 4 };
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program("/usr/bin/python3", &["-S", "-c", TREE])).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    guest.snapshot(&[]).unwrap();
    let tree = tree_of(guest.pid());
    assert_eq!(tree.iter().map(|pid| count_threads(*pid)).collect::<Vec<_>>(), [4, 4, 4]);
    let before: Vec<_> = tree.iter().map(|pid| memory_of(*pid)).collect();
    for round in 0..rounds * RUNS.len() {
        let run = RUNS[round % RUNS.len()].replace("ROUND", &(round % 100).to_string());
        streams.give(&run);
        let end = guest.run(Some(LIMIT)).unwrap();
        let (printed, status) = fresh(&run);
        assert_eq!(streams.written(), printed, "in round {round}");
        assert_eq!(end, End::Exited(status), "in round {round}");
        guest.rewind().unwrap();
        assert_eq!(tree_of(guest.pid()), tree, "in round {round}");
        for (pid, before) in tree.iter().zip(&before) {
            assert_eq!(count_threads(*pid), 4, "in round {round}");
            assert_same_memory(before, *pid, round as u64);
        }
    }
}
