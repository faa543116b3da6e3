//! What the kernel tells guests of their own directories and files, by the guests' names.

use contract::{Answer, Capture, Guest, GuestAddr, Reply, Verdict, Write};

use super::caller::{DELETED, OfCall, before_removal};
use super::{MapModule, read_path};
use crate::paths::{Caller, Errno, HostTree, Link, Met, Plain, Tree, link, path_calls};

/// What it writes before the working directory of a process whose root is not above it.
const UNREACHABLE: &[u8] = b"(unreachable)";

impl MapModule {
    /// `getcwd(2)`.
    pub(super) fn getcwd(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        let caller = OfCall::new(&self.map, guest, &self.processes);
        let Some((host, name)) = caller.working() else { return Verdict::pass() };
        if before_removal(&host).is_some() {
            return Verdict::pass();
        }
        let mut bytes = match caller.below_root(&name) {
            Some(name) if name == host => return Verdict::pass(),
            Some(name) => name.as_bytes().to_vec(),
            None => [UNREACHABLE, name.as_bytes()].concat(),
        };
        bytes.push(0);
        if call.args[1] < bytes.len() as u64 {
            return Verdict::error(Errno::ERANGE.0);
        }
        let result = Reply::Value(bytes.len() as u64);
        let writes = vec![Write { at: GuestAddr(call.args[0]), bytes }];
        Verdict::answer(Answer { result, writes })
    }

    /// `readlink(2)` and `readlinkat(2)`: the text of an ordinary link is the guest's already.
    pub(super) fn readlink(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        let args = path_calls::of(call.arch, call.number);
        let register = args.first().map_or(0, |arg| usize::from(arg.register));
        let text = read_path(guest, call, call.args[register]).unwrap_or_default();
        let file = self.file(guest, call, &text).map(|(_, host)| host);
        let Some(host) = file.filter(|host| link(host) == Some(Link::Magic)) else {
            return self.paths(guest, call);
        };
        let caller = OfCall::new(&self.map, guest, &self.processes);
        let tree = HostTree::of(guest.process(), guest.tid());
        let Ok(Met::Link(kernels)) = tree.look(&host) else { return self.paths(guest, call) };
        let Some(mut bytes) = guests_text(&caller, &host, &kernels) else {
            return self.paths(guest, call);
        };
        let room = call.args[register + 2] as u32 as i32;
        if bytes == kernels || room <= 0 {
            return self.paths(guest, call);
        }
        bytes.truncate(room as usize);
        let result = Reply::Value(bytes.len() as u64);
        let writes = vec![Write { at: GuestAddr(call.args[register + 1]), bytes }];
        Verdict::answer(Answer { result, writes })
    }
}

/// What a guest is to read in a link of `/proc/PID`, in which the kernel has this text. `None`: it leads to
/// no file that the guest could name.
fn guests_text(caller: &OfCall, host: &Plain, kernels: &[u8]) -> Option<Vec<u8>> {
    let path = Plain::of(kernels)?;
    let (path, end) = match before_removal(&path) {
        Some(name) => (name, DELETED),
        None => (path, &b""[..]),
    };
    let name = match caller.link_name(host) {
        Some(name) => name,
        None => caller.name(&path)?,
    };
    let name = caller.below_root(&name).unwrap_or(name);
    Some([name.as_bytes(), end].concat())
}
