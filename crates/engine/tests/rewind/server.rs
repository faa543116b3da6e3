//! A server with threads of its own, rewound to where it waits for its clients.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{io, thread};

use engine::rewind::{End, Guest, Point};

use crate::LIMIT;
use crate::rewinding::can_rewind;
use crate::streams::Streams;

const SERVER: &str = "/usr/bin/redis-server";
/// What a client asks for. It makes data of several kinds, and would find those of a former run.
const ASKED: &str = "INCR n\r\nRPUSH list c a b\r\nSORT list ALPHA\r\nSADD set x\r\nAPPEND text abc\r\n\
    GET text\r\nSET gone 1 PX 1\r\nEVAL \"return redis.call('incrby', 'n', 41)\" 0\r\nDBSIZE\r\n\
    CONFIG SET maxmemory 9mb\r\nCLIENT ID\r\nECHO end\r\n";

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn options(socket: &Path) -> Vec<&str> {
    let socket = socket.to_str().unwrap();
    ["--save", "", "--appendonly", "no", "--port", "0", "--unixsocket", socket].into()
}

/// What the server behind this socket answers. Then it ends.
fn ask(socket: &Path) -> io::Result<String> {
    let mut client = UnixStream::connect(socket)?;
    client.set_read_timeout(Some(LIMIT))?;
    client.write_all(ASKED.as_bytes())?;
    let mut answer = String::new();
    let mut lines = BufReader::new(&client);
    while !answer.ends_with("\r\nend\r\n") && lines.read_line(&mut answer)? > 0 {}
    (&client).write_all(b"SHUTDOWN NOSAVE\r\n")?;
    // A server that ends answers no more; one that is rewound leaves this client.
    client.read_to_end(&mut Vec::new())?;
    Ok(answer)
}

/// What a server that is started anew answers.
fn fresh(folder: &Path) -> String {
    let socket = folder.join("fresh");
    let mut command = Command::new(SERVER);
    let mut child = command.args(options(&socket)).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while UnixStream::connect(&socket).is_err() && begun.elapsed() < LIMIT {
        thread::yield_now();
    }
    let answer = ask(&socket).unwrap();
    assert!(child.wait().unwrap().success());
    answer
}

#[test]
fn a_server_answers_as_one_that_is_started_anew() {
    if !can_rewind() {
        return;
    }
    if !Path::new(SERVER).exists() {
        println!("skipped: there is no {SERVER} here");
        return;
    }
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 1000 } else { 20 };
    let folder = scratch("rewound-server");
    // The first connection of it was that by which it was seen to listen.
    let expected = fresh(&folder);
    assert!(expected.contains("abc"), "{expected}");

    let socket = folder.join("rewound");
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program(SERVER, &options(&socket))).unwrap();
    guest.run_to(&Point::Call(libc::SYS_epoll_wait as u64, 0)).unwrap();
    guest.snapshot(&["descriptors".to_owned()]).unwrap();
    // The server takes its socket's name away in each run.
    let kept = folder.join("kept");
    fs::hard_link(&socket, &kept).unwrap();
    for round in 0..rounds {
        streams.give("");
        let socket = kept.clone();
        let client = thread::spawn(move || {
            drop(UnixStream::connect(&socket).unwrap());
            ask(&socket).unwrap()
        });
        let end = guest.run(Some(LIMIT)).unwrap();
        assert_eq!(end, End::Exited(0), "in round {round}: {}", streams.written());
        guest.rewind().unwrap();
        assert_eq!(client.join().unwrap(), expected, "in round {round}");
    }
}
