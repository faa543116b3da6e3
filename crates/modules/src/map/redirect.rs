//! What guests may do with paths without asking.

use contract::{Arch, AskedWhere, PathArgument, PlaceRule, Redirection, When};
use table::Id;
use table::arch::x86_64 as id;

use super::guard::WITHOUT_PATH;
use super::{ADDRESS_BEHIND_SOCKET, AF_UNIX, MESSAGE, MapModule, WITH_ADDRESS};
use crate::paths::{Access, Does, Links, PathArg, Plain, path_calls};

/// Calls of which more has to be known than where they lead, or that are too rare to count.
const ASKED: [Id; 10] = [
    id::EXECVEAT,
    id::CHDIR,
    id::CHROOT,
    id::PIVOT_ROOT,
    id::MOUNT,
    id::UMOUNT2,
    id::MOVE_MOUNT,
    id::OPEN_TREE,
    id::SWAPON,
    id::SWAPOFF,
];

/// Calls that can be made twice.
const LOOKING: [Id; 12] = [
    id::STAT,
    id::LSTAT,
    id::NEWFSTATAT,
    id::STATX,
    id::ACCESS,
    id::FACCESSAT,
    id::FACCESSAT2,
    id::STATFS,
    id::GETXATTR,
    id::LGETXATTR,
    id::LISTXATTR,
    id::LLISTXATTR,
];

/// `W_OK` of `access(2)`.
const W_OK: u32 = 2;

impl MapModule {
    /// The map, as rules.
    pub(super) fn rules_for_paths(&self) -> Redirection {
        let told = WITHOUT_PATH.iter().chain([&id::STATFS]);
        let where_read_only = told.filter(|_| self.map.has_read_only());
        let asked: Vec<&Id> = ASKED.iter().chain(where_read_only).collect();
        let asked = |number: u64| asked.iter().any(|id| u64::from(id.number) == number);
        let calls = path_calls::all_of(Arch::X86_64).filter(|(number, _)| !asked(*number));
        let calls = calls.filter_map(|(number, paths)| {
            let arguments: Option<Vec<_>> = paths
                .iter()
                .map(|path| {
                    let is = |id: Id| u64::from(id.number) == number;
                    let reads_link = is(id::READLINK) || is(id::READLINKAT);
                    let looks = LOOKING.into_iter().any(is);
                    // Who searches for a program tries one path after the other.
                    let unless_missing = is(id::EXECVE);
                    Some(PathArgument { reads_link, looks, unless_missing, ..argument(path)? })
                })
                .collect();
            Some((number, arguments?))
        });
        let place = |(guest, host, access): (&Plain, &Plain, Access)| PlaceRule {
            parent_stays: self.map.parent_stays(guest, host),
            guest: guest.raw().to_vec(),
            host: host.raw().to_vec(),
            read_only: access == Access::ReadOnly,
            asked: false,
        };
        Redirection {
            calls: calls.collect(),
            asked: asked_about_addresses(),
            places: self.map.all_places().map(place).collect(),
            aliases: self.map.aliases().iter().map(|alias| alias.raw().to_vec()).collect(),
            names: self.map.names().to_vec(),
            links_stay: self.links_stay,
        }
    }
}

/// A path as a rule has it, of a call that does nothing particular; `None`: what decides does not stand in
/// registers.
fn argument(path: &PathArg) -> Option<PathArgument> {
    let bits = |bits: u64| u32::try_from(bits).ok();
    let follows = match path.links {
        Links::Followed => When::Always,
        Links::Kept | Links::Named => When::Never,
        Links::KeptIf(register, flags) => When::UnlessBits(register, bits(flags)?),
        Links::FollowedIf(register, flags) => When::IfBits(register, bits(flags)?),
        Links::Opened(register) => When::AsOpen(register),
        Links::OpenedAs(_) => return None,
    };
    let writes = match (path.does, path.links) {
        (Does::Looks | Does::Mounts(_), _) => When::Never,
        (Does::Asks(register), _) => When::IfBits(register, W_OK),
        (Does::Opens, Links::Opened(register)) => When::AsOpen(register),
        _ => When::Always,
    };
    let (register, directory) = (path.register, path.dirfd);
    let opens = path.does == Does::Opens;
    Some(PathArgument {
        register,
        directory,
        follows,
        writes,
        opens,
        reads_link: false,
        looks: false,
        unless_missing: false,
    })
}

/// Where the module is asked about the addresses of sockets, which may have a path for a name.
fn asked_about_addresses() -> Vec<(u64, AskedWhere)> {
    let named = [id::BIND, id::CONNECT].map(|call| {
        let family = AskedWhere::Family { register: ADDRESS_BEHIND_SOCKET, family: AF_UNIX };
        (call, family)
    });
    let messages =
        [id::SENDMSG, id::RECVMSG].map(|call| (call, AskedWhere::LeadsToPointer(MESSAGE)));
    let with_address = WITH_ADDRESS.map(|(call, at)| (call, AskedWhere::Pointer(at)));
    let all = named.into_iter().chain(messages).chain(with_address);
    all.map(|(call, asked)| (u64::from(call.number), asked)).collect()
}
