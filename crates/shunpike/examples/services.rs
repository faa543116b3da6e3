//! A module outside of Shunpike: programs find services at paths of sockets that nobody listens on.
//!
//!     cargo run --example services -- /run/upper.sock socat - UNIX-CONNECT:/run/upper.sock
//!
//! `connect(2)` to that path is answered by a socket of ours: the program's own descriptor becomes one end of a
//! pair, and what it writes there comes back in capitals. Nothing is there on the host, and no read or write
//! of the program stops.
#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::thread;

use shunpike::contract::{
    About, CallSet, Capture, Failure, Guest, GuestAddr, Module, Narrowing, Phase, Verdict,
};
use shunpike::status::Status;
use shunpike::table::arch::x86_64::CONNECT;

/// The family of addresses that are paths.
const AF_UNIX: u16 = 1;

fn main() -> Status {
    let mut arguments = env::args_os().skip(1);
    let path = arguments.next().map(OsString::into_encoded_bytes);
    let command: Vec<OsString> = arguments.collect();
    let Some(path) = path.filter(|_| !command.is_empty()) else {
        eprintln!("usage: services PATH PROG [ARGS]");
        return Status::FAILURE;
    };
    run(path, &command).unwrap_or_else(|error| {
        eprintln!("services: {error}");
        Status::FAILURE
    })
}

/// Runs a command that finds the service at this path.
fn run(path: Vec<u8>, command: &[OsString]) -> Result<Status, Failure> {
    let module = Services { path };
    Ok(shunpike::run::with(vec![Box::new(module)], command, "services")?)
}

/// The module.
#[derive(Debug)]
struct Services {
    path: Vec<u8>,
}

impl Module for Services {
    fn name(&self) -> &'static str {
        "services"
    }

    fn claims(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        calls.insert(CONNECT.number.into());
        calls
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        vec![Narrowing { calls: self.claims(), about: vec![About::Family(AF_UNIX)] }]
    }

    fn explain(&self) -> Vec<String> {
        vec![format!("a service at {}", String::from_utf8_lossy(&self.path))]
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let address = call.bytes(Phase::Entry, GuestAddr(call.args[1]), call.args[2] as usize);
        // The path is behind the family, and may end with a NUL.
        let path = address.and_then(|address| address.get(2..)?.split(|&byte| byte == 0).next());
        if path != Some(&self.path) {
            return Ok(Verdict::pass());
        }
        let (ours, guests) = UnixStream::pair()?;
        thread::spawn(move || serve(ours));
        Ok(Verdict::replace(call.args[0] as i32, Rc::new(guests.into())))
    }
}

/// Sends back in capitals what comes.
fn serve(mut peer: UnixStream) -> io::Result<()> {
    let mut room = [0; 4096];
    loop {
        match peer.read(&mut room)? {
            0 => return Ok(()),
            len => peer.write_all(&room[..len].to_ascii_uppercase())?,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process;

    use super::*;

    #[test]
    fn a_program_talks_to_a_service_that_nobody_else_sees() {
        let place = env::temp_dir().join(format!("services-test-{}", process::id()));
        let (socket, said) = (place.with_extension("sock"), place.with_extension("said"));
        let script = "import socket, sys\n\
                      peer = socket.socket(socket.AF_UNIX)\n\
                      peer.settimeout(60)\n\
                      peer.connect(sys.argv[1])\n\
                      peer.sendall(b'hello')\n\
                      open(sys.argv[2], 'wb').write(peer.recv(5, socket.MSG_WAITALL))\n";
        let arguments = ["python3", "-c", script].map(OsString::from);
        let files = [socket.clone().into_os_string(), said.clone().into_os_string()];
        let command: Vec<OsString> = arguments.into_iter().chain(files).collect();
        let status = run(socket.as_os_str().as_encoded_bytes().to_vec(), &command);
        assert_eq!(status.expect("it runs"), Status::SUCCESS);
        assert_eq!(fs::read(&said).expect("it was written"), b"HELLO");
        assert!(!socket.exists());
        fs::remove_file(&said).expect("it is removed");
    }
}
