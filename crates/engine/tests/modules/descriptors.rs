//! What the supervisor has open becomes the guest's.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use contract::{
    About, Answer, Arch, CallSet, Capture, Failure, Guest, GuestAddr, Module, Narrowing, Verdict,
};
use table::arch::{i386, x86_64};

use crate::harness::{By, Decide, Heard, calls, nothing, run, same};

#[test]
fn a_file_of_the_supervisors_is_handed_out() {
    let files = Rc::new(RefCell::new(Vec::new()));
    let modules = || {
        let mut file = kernel::memory_file::create(c"handed").unwrap();
        file.write_all(b"one\ntwo\n").unwrap();
        files.borrow_mut().push(file.try_clone().unwrap());
        // One below sees no call that was answered so.
        let below: Decide = |_, call| match call.string(GuestAddr(call.args[1])) {
            Some(path) if path.starts_with(b"/handed") => panic!("it is asked"),
            _ => Ok(Verdict::pass()),
        };
        let below = By(calls(&[x86_64::OPENAT]), below, nothing, Heard::default());
        let socket = UnixDatagram::unbound().unwrap();
        let socket = Rc::new(File::from(OwnedFd::from(socket)));
        let hands = Hands { file: Rc::new(file), socket };
        vec![Box::new(hands) as Box<dyn Module>, Box::new(below) as _]
    };
    // Each opening has an offset of its own, programs and forks have what was opened before, and names and
    // modes of the guest's call do not count. Any call can give a descriptor.
    let script = "cat /handed /handed; exec 7<>/handed; read x <&7; echo $x; (read x <&7; echo $x); \
                  cat <&7; set -C; echo three >>/handed; sed -n 3p /handed; cd /; echo $PWD </handed; \
                  cat /handed-socket; umask";
    let (printed, complaints) = same(run(script, &modules));
    let refused = "cat: /handed-socket: No such device or address\n";
    let expected = format!("one\ntwo\none\ntwo\none\ntwo\nthree\n/\n{refused}0003\n");
    assert_eq!((printed, complaints), (expected, Vec::new()));
    for mut file in files.take() {
        let mut written = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut written).unwrap();
        assert_eq!(written, "one\ntwo\nthree\n");
    }
}

/// A module that hands out files.
#[derive(Debug)]
struct Hands {
    file: Rc<File>,
    socket: Rc<File>,
}

impl Module for Hands {
    fn name(&self) -> &'static str {
        "hands"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::OPENAT, x86_64::UMASK])
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        if call.number == u64::from(x86_64::UMASK.number) {
            return Ok(Verdict::hand(Rc::clone(&self.file), 0));
        }
        let file = match call.string(GuestAddr(call.args[1])) {
            Some(b"/handed") => &self.file,
            Some(b"/handed-socket") => &self.socket,
            _ => return Ok(Verdict::pass()),
        };
        Ok(Verdict::hand(Rc::clone(file), call.args[2] as u32).and_behind())
    }

    fn behind(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        let outcome = call.outcome.expect("it is over");
        assert!(call.number == u64::from(x86_64::OPENAT.number) && outcome.value != 0);
        Ok(None)
    }
}

/// A module that hands out its ends of sockets, on which something waits: for a file, and for a connection to
/// an Internet address.
#[derive(Debug)]
struct Sockets;

impl Sockets {
    /// The end of a socket of which the other has said this, and is closed.
    fn saying(text: &str) -> Rc<OwnedFd> {
        let (mut ours, guests) = UnixStream::pair().expect("a pair of sockets");
        ours.write_all(text.as_bytes()).expect("there is room");
        Rc::new(guests.into())
    }
}

impl Module for Sockets {
    fn name(&self) -> &'static str {
        "sockets"
    }

    fn claims(&self) -> CallSet {
        let mut claims = calls(&[x86_64::OPENAT, x86_64::CONNECT, x86_64::DUP2]);
        for id in [i386::OPEN, i386::OPENAT, i386::CONNECT] {
            claims.insert_of(Arch::I386, id.number.into());
        }
        claims
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        vec![Narrowing { calls: calls(&[x86_64::CONNECT]), about: vec![About::Family(2)] }]
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let path = |index: usize| call.string(GuestAddr(call.args[index])) == Some(b"/socket");
        let opened =
            |flags: u64| Verdict::share(Sockets::saying("opened\n"), flags as u32).and_behind();
        Ok(match call.arch.call(call.number).expect("it is known").name {
            "connect" => Verdict::replace(call.args[0] as i32, Sockets::saying("connected\n")),
            "dup2" if call.args[0] == 77 => Verdict::replace(99, Sockets::saying("nobody\n")),
            "openat" if path(1) => opened(call.args[2]),
            "open" if path(0) => opened(call.args[1]),
            _ => Verdict::pass(),
        })
    }

    fn behind(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        let outcome = call.outcome.expect("it is over");
        assert!(!outcome.failed, "{outcome:?}");
        Ok(None)
    }
}

#[test]
fn a_socket_of_the_supervisors_is_passed_on() {
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    // It is a socket, under the lowest number; nothing else is left open, and no signal blocked.
    let script = "open() { ls /proc/$$/fd; grep SigBlk /proc/$$/status; }; before=$(open); \
                  cat /socket; exec 7</socket; cat <&7; read x </socket; echo $x; \
                  readlink /proc/$$/fd/7 | cut -c1-7; exec 7<&-; (exec 7<&77) 2>/dev/null || echo none; \
                  [ \"$before\" = \"$(open)\" ] && echo same; \
                  sh -c 'exec </socket; ls -l /proc/$$/fd' | grep -c socket:";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(printed, "opened\nopened\nopened\nsocket:\nnone\nsame\n1\n");
}

#[test]
fn a_descriptor_of_the_guests_becomes_another() {
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    // Nobody listens there, and nobody is asked.
    let script = "exec bash -c 'open() { ls /proc/$$/fd; }; before=$(open); \
                  exec 5<>/dev/tcp/127.0.0.1/1; cat <&5; readlink /proc/$$/fd/5 | cut -c1-7; exec 5>&-; \
                  [ \"$before\" = \"$(open)\" ] && echo same'";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed.as_str(), complaints), ("connected\nsocket:\nsame\n", Vec::new()));
}

/// A 32-bit program that opens the socket by two calls, and connects one; with no library.
const NARROW: &str = r#"
static int call(int number, int a, int b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}
static void say(int fd) {
    char text[16], number = '0' + fd;
    call(4, 1, (int)text, call(3, fd, (int)text, 16));
    call(4, 1, (int)&number, 1);
    number = '0' + call(221, fd, 1, 0); /* whether it is closed on exec */
    call(4, 1, (int)&number, 1);
}
void _start(void) {
    static short address[8] = { 2 };
    say(call(5, (int)"/socket", 0, 0));
    say(call(295, -100, (int)"/socket", 02000000));
    int fd = call(359, 2, 1, 0);
    if (call(362, fd, (int)address, 16) == 0)
        say(fd);
    call(252, 0, 0, 0);
}"#;

/// Builds it; why that is not possible.
fn narrow_program() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("narrow.c"), folder.join("narrow"));
    std::fs::write(&source, NARROW).map_err(|error| error.to_string())?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-m32", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-fno-stack-protector"]);
    compiler.args(["-w", "-O1", "-o"]).arg(&program).arg(&source);
    let built = compiler.output().map_err(|error| format!("gcc: {error}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    Command::new(&program)
        .output()
        .map_err(|error| format!("the kernel has no 32-bit ABI: {error}"))?;
    Ok(program)
}

#[test]
fn sockets_are_passed_to_32_bit_programs() {
    let program = match narrow_program() {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    let (printed, complaints) = same(run(&program.display().to_string(), &modules));
    assert_eq!(printed, "opened\n30opened\n41connected\n50");
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn several_descriptors_are_not_handed_out_at_once() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::share(Sockets::saying("nothing"), 0));
        let claims = calls(&[x86_64::PIPE, x86_64::PIPE2]);
        vec![Box::new(By(claims, decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("(echo a | cat) 2>/dev/null || echo none", &modules));
    assert_eq!(printed, "none\n");
    assert!(complaints[0].contains("writes its descriptors to memory"), "{complaints:?}");
}
