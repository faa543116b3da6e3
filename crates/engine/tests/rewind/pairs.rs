//! Pairs of sockets, and the flags of files.

use engine::rewind::{End, Error, Guest, Irreversible, Obstacle, Point};
use std::os::fd::AsRawFd;

use crate::rewinding::can_rewind;
use crate::streams::Streams;
use crate::{LIMIT, python};

#[test]
fn an_event_loop_wakes_itself_in_each_run() {
    if !can_rewind() {
        return;
    }
    const PREPARE: &str = "
import asyncio
loop = asyncio.new_event_loop()
";
    const RUN: &str = "
async def main():
    print(await loop.run_in_executor(None, lambda: 'woken'), flush=True)
    await asyncio.sleep(0.001)
loop.run_until_complete(main())
if ROUND % 2: loop.close()
else: loop._csock.send(b'left')
os._exit(3)
";
    let mut streams = Streams::new();
    let mut guest = python(&streams, &format!("{PREPARE}\nimport os"));
    for round in 0..10 {
        streams.give(&RUN.replace("ROUND", &round.to_string()));
        let end = guest.run(Some(LIMIT)).unwrap();
        assert_eq!(end, End::Exited(3), "in round {round}: {}", streams.written());
        assert_eq!(streams.written(), "woken\n", "in round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn a_pair_of_sockets_is_as_it_was() {
    if !can_rewind() {
        return;
    }
    const PREPARE: &str = "
import fcntl, os, select, socket
one, other = socket.socketpair()
other.setblocking(False)
waits = select.epoll()
waits.register(other, select.EPOLLIN)
def state(end):
    try: return end.recv(9)
    except BlockingIOError: return 'nothing'
def whole():
    closed = [fcntl.fcntl(end, fcntl.F_GETFD) for end in (one, other)]
    return state(other), waits.poll(0), closed, one.getblocking(), os.get_blocking(one.fileno())
";
    // What is done to it; what there is then.
    const RUNS: [(&str, &str); 6] = [
        ("one.send(b'left')", "b'left' 1"),
        ("one.close(); other.close(); other, one = socket.socketpair(); one.send(b'y')", "b'y' 0"),
        ("one.close()", "b'' 1"),
        ("one.shutdown(socket.SHUT_WR)", "b'' 1"),
        ("os.dup2(0, one.fileno()); one.detach()", "b'' 1"),
        ("other.setblocking(True); one.send(b'x'); one.setblocking(False)", "b'x' 1"),
    ];
    let mut streams = Streams::new();
    let mut guest = python(&streams, PREPARE);
    for round in 0..3 {
        for (run, expected) in RUNS {
            let script = format!(
                "print(*whole())\n{run}\nready = len(waits.poll(0))\nprint(state(other), ready)"
            );
            streams.give(&script);
            let end = guest.run(Some(LIMIT)).unwrap();
            assert_eq!(end, End::Exited(0), "{run} in round {round}: {}", streams.written());
            let expected = format!("nothing [] [1, 1] True True\n{expected}\n");
            assert_eq!(streams.written(), expected, "{run} in round {round}");
            guest.rewind().unwrap();
        }
    }
}

#[test]
fn what_was_left_in_a_pair_is_gone_where_no_descriptor_is_touched() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, "import os, socket\none, other = socket.socketpair()");
    const RUN: &str = "one.send(b'a'); print(other.recv(9), flush=True)
one.send(b'left'); other.send(b'right'); os._exit(0)";
    // For more rounds than it takes until descriptors are not compared any more.
    for round in 0..16 {
        streams.give(RUN);
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{}", streams.written());
        assert_eq!(streams.written(), "b'a'\n", "in round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn processes_that_talk_by_a_pair_find_it_empty_in_each_run() {
    if !can_rewind() {
        return;
    }
    const PREPARE: &str = "
import os, socket
one, other = socket.socketpair()
if os.fork() == 0:
    one.close()
    while said := other.recv(9): other.send(said.upper())
    os._exit(0)
other.close()
";
    let mut streams = Streams::new();
    let mut guest = python(&streams, PREPARE);
    let mut run = |guest: &mut Guest, script: &str| {
        streams.give(&format!("{script}\nos._exit(4)"));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(4), "{}", streams.written());
        (streams.written(), guest.rewind())
    };
    for round in 0..12 {
        let (written, rewound) =
            run(&mut guest, "one.send(b'a'); print(one.recv(9), flush=True)\none.send(b'left')");
        assert_eq!(written, "b'A'\n", "in round {round}");
        rewound.unwrap();
    }
    let (_, rewound) = run(&mut guest, "one.close()");
    assert!(
        matches!(rewound, Err(Error::Irreversible(Irreversible::Socket))),
        "it was closed: {rewound:?}"
    );
}

#[test]
fn a_pair_in_which_something_waits_is_refused() {
    if !can_rewind() {
        return;
    }
    for prepare in ["one.send(b'x')", "one.close()"] {
        let prepare = format!(
            "import os, socket, sys\none, other = socket.socketpair()\n{prepare}\nsys.stdin.read()"
        );
        let streams = Streams::new();
        let program = streams.program("/usr/bin/python3", &["-S", "-c", &prepare]);
        let mut guest = Guest::start(program).unwrap();
        guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
        let refused = guest.snapshot(&[]);
        let Err(Error::Obstacles(list)) = &refused else { panic!("{prepare}: {refused:?}") };
        let is_socket = |obstacle: &Obstacle| matches!(obstacle, Obstacle::Descriptor(_, what) if what == "a socket");
        assert!(list.iter().all(is_socket), "{prepare}: {refused:?}");
    }
}

#[test]
fn the_flags_of_files_are_put_back() {
    if !can_rewind() {
        return;
    }
    let mut streams = Streams::new();
    let mut guest = python(&streams, "import fcntl, os");
    for _ in 0..4 {
        streams.give(
            "print(hex(fcntl.fcntl(1, fcntl.F_GETFL)), flush=True)
fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)
os._exit(0)",
        );
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{}", streams.written());
        assert_eq!(streams.written(), "0x8002\n");
        guest.rewind().unwrap();
    }
}
