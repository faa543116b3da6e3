//! Newer snapshots of programs that have one.

use std::os::fd::AsRawFd;
use std::time::Duration;

use engine::rewind::{End, Guest, Point};

use crate::memory::{assert_same_memory, memory_of};
use crate::rewinding::can_rewind;
use crate::streams::Streams;
use crate::tree::{TREE, tree_of};
use crate::{AREA, LIMIT, python};

/// Long enough for some changes.
const WHILE: Duration = Duration::from_millis(20);

#[test]
fn each_is_all_that_the_program_was_then() {
    if !can_rewind() {
        return;
    }
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 1000 } else { 10 };
    let mut streams = Streams::new();
    let mut guest = python(&streams, AREA);
    streams.give("random.seed(7)\nwhile True: change()");
    for round in 0..rounds {
        for _ in 0..round % 3 {
            assert_eq!(guest.run(Some(WHILE)).unwrap(), End::TimedOut, "{}", streams.written());
        }
        guest.snapshot(&[]).unwrap();
        let before = memory_of(guest.pid());
        for _ in 0..3 {
            assert_eq!(guest.run(Some(WHILE)).unwrap(), End::TimedOut, "{}", streams.written());
            guest.rewind().unwrap();
            assert_same_memory(&before, guest.pid(), round);
        }
    }
}

/// A tree of which a part has ended, and which has another process and another thread.
const CHANGED: &str = "
to.write('''gate.set();;local[1]=1;;to.write(\"os._exit(33)\\\\n\");;tell.write(f'{os.waitpid(third, 0)[1] >> 8}\\\\n');;os._exit(22)\\n''')
said = back.readline().strip() + back.read()
threading.Thread(target=threading.Event().wait, daemon=True).start()
fresh, to, back = child()
if fresh == 0:
    serve(back, to, ';;')
    os._exit(5)
area[0:4] = b'four'
print('ready', flush=True)
while not (text := os.pread(0, 9999, 0)).startswith(b'#go'): time.sleep(0.001)
exec(text)
";

#[test]
fn a_tree_that_has_changed_is_captured_again() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program("/usr/bin/python3", &["-S", "-c", TREE])).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    guest.snapshot(&[]).unwrap();
    for _ in 0..2 {
        streams.give(CHANGED);
        while streams.written() != "ready\n" {
            assert_eq!(guest.run(Some(WHILE)).unwrap(), End::TimedOut, "{}", streams.written());
        }
        guest.rewind().unwrap();
    }
    streams.give(CHANGED);
    while streams.written() != "ready\n" {
        assert_eq!(guest.run(Some(WHILE)).unwrap(), End::TimedOut, "{}", streams.written());
    }
    guest.snapshot(&[]).unwrap();
    let tree = tree_of(guest.pid());
    assert_eq!(tree.len(), 2);
    let before: Vec<_> = tree.iter().map(|pid| memory_of(*pid)).collect();
    for round in 0..5 {
        streams.give(
            "#go
print(said, os.waitpid(second, 0)[1] >> 8, bytes(area[0:4]), flush=True)
area[0:4] = b'then'
to.write('''os._exit(6)\\n''')
print(os.wait() == (fresh, 6 << 8), flush=True)
try: os.wait()
except ChildProcessError: os._exit(4)
",
        );
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(4), "{}", streams.written());
        assert_eq!(streams.written(), "33 22 b'four'\nTrue\n", "in round {round}");
        guest.rewind().unwrap();
        assert_eq!(tree_of(guest.pid()), tree);
        for (pid, before) in tree.iter().zip(&before) {
            assert_same_memory(before, *pid, round);
        }
    }
}
