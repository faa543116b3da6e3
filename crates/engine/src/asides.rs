//! What is looked up of calls beside their arguments and results: why a virtual processor has returned,
//! which namespaces have been made.

use std::os::unix::ffi::OsStrExt;

use contract::{Aside, Capture, GuestAddr, Namespace, Phase, Tid};
use kernel::proc;
use kernel::proc::mappings::mappings;
use kernel::proc::{namespaces, pid_namespaces};
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use table::arch::x86_64;

use crate::session::Session;

/// `KVM_RUN` of `linux/kvm.h`.
const KVM_RUN: u64 = 0xae80;
/// Where `exit_reason` is in `struct kvm_run`.
const EXIT_REASON: u64 = 8;

/// The kinds of namespaces in the order in which they are told, their flags for `clone(2)`, and where
/// one is found that `unshare(2)` has made.
const KINDS: [(&str, u64, &str); 8] = [
    ("cgroup", libc::CLONE_NEWCGROUP as u64, "cgroup"),
    ("ipc", libc::CLONE_NEWIPC as u64, "ipc"),
    ("mnt", libc::CLONE_NEWNS as u64, "mnt"),
    ("net", libc::CLONE_NEWNET as u64, "net"),
    // These are only for what the process makes next.
    ("pid", libc::CLONE_NEWPID as u64, "pid_for_children"),
    ("time", 0x80, "time_for_children"),
    ("user", libc::CLONE_NEWUSER as u64, "user"),
    ("uts", libc::CLONE_NEWUTS as u64, "uts"),
];

/// What is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asides {
    /// Why virtual processors return.
    pub vcpu_exits: bool,
    /// The namespaces that calls make.
    pub namespaces: bool,
}

impl Session {
    /// Adds to a call that has succeeded what is to be looked up of it.
    pub(crate) fn note_aside(&mut self, tid: Tid, stopped: &Ptraced<Stopped>, value: i64) {
        let wanted = self.options.asides;
        if wanted == Asides::default() {
            return;
        }
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        let call = &mut tracee.call;
        let number = call.arch.native_number(call.number);
        let is = |id: table::Id| number == u64::from(id.number);
        if wanted.vcpu_exits && is(x86_64::IOCTL) && call.args[1] == KVM_RUN {
            call.aside = vcpu_exit(tid, call.args[0] as i32, stopped).map(Aside::VcpuExit);
        } else if wanted.namespaces && is(x86_64::UNSHARE) {
            call.aside = made(call.args[0], |(.., file)| namespaces::inode(tid.0, file));
        } else if wanted.namespaces && (is(x86_64::CLONE) || is(x86_64::CLONE3)) {
            let child = child(tid, value as i32);
            let flags = clone_flags(call, is(x86_64::CLONE3));
            call.aside = made(flags, |(kind, ..)| namespaces::inode(child?, kind));
        }
    }
}

/// Why the virtual processor behind a descriptor has returned: it tells in memory that is mapped from
/// the same file.
fn vcpu_exit(tid: Tid, fd: i32, stopped: &Ptraced<Stopped>) -> Option<u32> {
    let vcpu = proc::descriptor(tid.0, fd).ok()?;
    let mapped = mappings(tid.0).ok()?;
    let run = mapped.iter().find(|mapping| mapping.name == vcpu.as_os_str().as_bytes())?;
    stopped.peek(run.range.start + EXIT_REASON).ok().map(|word| word as u32)
}

/// What a thread has made, by our id.
fn child(maker: Tid, id: i32) -> Option<i32> {
    let namespace = pid_namespaces::of(maker.0)?;
    let own = pid_namespaces::of(std::process::id() as i32)?;
    if namespace == own { Some(id) } else { pid_namespaces::find(namespace, id) }
}

fn clone_flags(call: &Capture, in_memory: bool) -> u64 {
    if !in_memory {
        return call.args[0];
    }
    let flags = call.bytes(Phase::Entry, GuestAddr(call.args[0]), 8);
    flags.and_then(|flags| flags.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// The namespaces of these flags that can be looked at, if there is any.
fn made(flags: u64, inode: impl Fn(&(&str, u64, &str)) -> Option<u64>) -> Option<Aside> {
    let wanted = KINDS.iter().filter(|(_, flag, _)| flags & flag != 0);
    let found: Vec<Namespace> =
        wanted.filter_map(|kind| Some(Namespace { kind: kind.0, inode: inode(kind)? })).collect();
    (!found.is_empty()).then_some(Aside::Namespaces(found))
}
