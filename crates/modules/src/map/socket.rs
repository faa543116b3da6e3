//! Sockets that have a path for a name (`unix(7)`).

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use contract::{Answer, Argument, Capture, Guest, GuestAddr, Phase, Reply, Verdict, Write};
use table::arch::x86_64 as id;

use super::MapModule;
use super::caller::OfCall;
use crate::paths::{Errno, HostTree, Last, Plain, name_of, see};

/// Where the path begins in a `sockaddr_un`, and how many bytes it may have.
const PATH_OFFSET: usize = 2;
const PATH_LEN: usize = 108;
const AF_UNIX: [u8; PATH_OFFSET] = [1, 0];

/// So many directories with names too long for a socket's address are held open.
const HELD: usize = 64;

/// Directories that are held open, so that there is a short name for what is in them: as files of the
/// supervisor, in `/proc`.
#[derive(Debug, Default)]
pub(super) struct Directories(VecDeque<(Plain, File)>);

impl Directories {
    /// A name for this file of the host that is short, unless its last part is long.
    fn short(&mut self, host: &Plain) -> io::Result<Vec<u8>> {
        let mut directory = host.clone();
        directory.pop();
        let place = self.0.iter().position(|(held, _)| *held == directory);
        let file = match place {
            Some(place) => &self.0[place].1,
            None => {
                let mut options = OpenOptions::new();
                let file =
                    options.read(true).custom_flags(libc::O_PATH).open(directory.as_path())?;
                self.0.truncate(HELD - 1);
                self.0.push_front((directory.clone(), file));
                &self.0[0].1
            }
        };
        let short = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let rest = host.below(&directory).unwrap_or_default();
        Ok([short.as_bytes(), rest].concat())
    }

    /// The file of the host that has this short name.
    fn long(&self, name: &[u8]) -> Option<Plain> {
        self.0.iter().find_map(|(directory, file)| {
            let short = format!("/proc/{}/fd/{}/", std::process::id(), file.as_raw_fd());
            let rest = name.strip_prefix(short.as_bytes())?;
            let mut host = directory.clone();
            host.push(rest);
            Some(host)
        })
    }
}

impl MapModule {
    /// A call that names a socket, by the address in this register and its length in the next.
    pub(super) fn name_socket(
        &mut self,
        guest: &mut dyn Guest,
        call: &Capture,
        register: u8,
    ) -> Verdict {
        let (at, len) = (call.args[usize::from(register)], call.args[usize::from(register) + 1]);
        let is_bound = u64::from(id::BIND.number) == call.arch.native_number(call.number);
        match self.address(guest, GuestAddr(at), len as u32, is_bound) {
            Ok(None) => Verdict::pass(),
            Ok(Some(address)) => {
                let len = Argument::value(register + 1, address.len() as u64);
                Verdict::with(vec![Argument::bytes(register, address), len])
            }
            Err(errno) => Verdict::error(errno.0),
        }
    }

    /// What the kernel is to be given for the address of a socket; `None`: the same.
    pub(super) fn address(
        &mut self,
        guest: &mut dyn Guest,
        at: GuestAddr,
        len: u32,
        is_bound: bool,
    ) -> Result<Option<Vec<u8>>, Errno> {
        let Some(text) = path_at(guest, at, len) else { return Ok(None) };
        let last = if is_bound { Last::Name } else { Last::Follow };
        let tree = HostTree::of(guest.process(), guest.tid());
        let caller = OfCall::new(&self.map, guest, &self.processes);
        let seen = see(&self.map, &tree, &caller, &text, last)?;
        let name = name_of(&seen, &caller, &text);
        if let Some(name) = name.as_ref().filter(|_| is_bound) {
            self.may_make(&tree, name)?;
        }
        let Some(mut path) = seen.path else { return Ok(None) };
        if path.len() >= PATH_LEN {
            let short = name.and_then(|name| self.sockets.short(&self.map.host(&name)).ok());
            path = short.filter(|short| short.len() < PATH_LEN).ok_or(Errno::ENAMETOOLONG)?;
        }
        Ok(Some(address_of(&path)))
    }

    /// Behind a call that tells the name of a socket: the guest's name. The register points to where the
    /// address is, the next one to its length.
    pub(super) fn socket_name(
        &self,
        guest: &mut dyn Guest,
        call: &Capture,
        register: usize,
    ) -> Option<Answer> {
        let result = call.success()?;
        let (at, len_at) = (GuestAddr(call.args[register]), GuestAddr(call.args[register + 1]));
        let room = call.bytes(Phase::Entry, len_at, 4)?.try_into().map_or(0, u32::from_le_bytes);
        let writes = self.renamed(guest, at, (len_at, room))?.into();
        Some(Answer { result: Reply::Value(result as u64), writes })
    }

    /// The guest's name in place of the kernel's for a socket, if it is another: what is to be written.
    /// There was so much room, and the length is where that is told.
    pub(super) fn renamed(
        &self,
        guest: &mut dyn Guest,
        at: GuestAddr,
        (len_at, room): (GuestAddr, u32),
    ) -> Option<[Write; 2]> {
        let mut len = [0; 4];
        guest.read(len_at, &mut len).ok()?;
        let len = Some(u32::from_le_bytes(len)).filter(|&len| len <= room)?;
        let kernels = path_at(guest, at, len)?;
        let host = self.sockets.long(&kernels).or_else(|| Plain::of(&kernels))?;
        let name = self.map.guest(&host)?;
        if name == host {
            return None;
        }
        let mut address = address_of(name.as_bytes());
        let len = address.len() as u32;
        address.truncate(room as usize);
        let len = Write { at: len_at, bytes: len.to_le_bytes().to_vec() };
        Some([Write { at, bytes: address }, len])
    }
}

/// The address of a socket with this path.
fn address_of(path: &[u8]) -> Vec<u8> {
    [&AF_UNIX, path, &[0]].concat()
}

/// The path in a socket's address; `None` where it has none.
fn path_at(guest: &mut dyn Guest, at: GuestAddr, len: u32) -> Option<Vec<u8>> {
    let len = len as usize;
    if !(PATH_OFFSET + 1..=PATH_OFFSET + PATH_LEN).contains(&len) {
        return None;
    }
    let mut bytes = vec![0; len];
    guest.read(at, &mut bytes).ok()?;
    let path = bytes.strip_prefix(&AF_UNIX)?;
    let end = path.iter().position(|&byte| byte == 0).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_vec())
}
