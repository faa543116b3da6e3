//! What becomes of the paths of calls, as data: it can be evaluated in the guest, where no module is
//! asked.

/// How the paths of calls are changed. It says what is certain: whoever follows it asks the module about
/// all else. That is what may leave the place at which it begins, by `..` or by a symbolic link, and what
/// is said here to be asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Redirection {
    /// Calls of the 64-bit ABI, by number.
    pub calls: Vec<(u64, Vec<PathArgument>)>,
    /// Calls of the 64-bit ABI, by number, about which the module is only asked where an argument leads to
    /// what may have a path.
    pub asked: Vec<(u64, AskedWhere)>,
    /// The places, of which the first that holds a path counts; the root is the last.
    pub places: Vec<PlaceRule>,
    /// Other names for the root directory, without a slash at their ends. Where there are any, the module
    /// is told what is opened by an absolute path ([`Module::opened`](crate::Module::opened)).
    pub aliases: Vec<Vec<u8>>,
    /// The names on the ways to places. A relative path that begins with one of them may lead into a
    /// place: the module is asked.
    pub names: Vec<Vec<u8>>,
    /// Symbolic links that the host has outside of places lead out of them, or nowhere: where the kernel
    /// finds something by a path that begins there, it is what the guest is to find.
    pub links_stay: bool,
}

/// Where a module is asked about a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskedWhere {
    /// Where this register is not 0.
    Pointer(u8),
    /// Where it leads to another pointer that is not 0.
    LeadsToPointer(u8),
    /// Where it leads to the address of a socket, of this family.
    Family {
        /// The register.
        register: u8,
        /// The family.
        family: u16,
    },
}

/// A path of the guest at which it sees something else than the host has there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceRule {
    /// The path, without a slash at its end.
    pub guest: Vec<u8>,
    /// What is there, in the same form.
    pub host: Vec<u8>,
    /// The module is asked about what may change it.
    pub read_only: bool,
    /// `..` leads from it where the kernel goes from what is there.
    pub parent_stays: bool,
    /// Modules are asked about whatever is there.
    pub asked: bool,
}

impl PlaceRule {
    /// A place at which the guest sees what the host has there.
    pub fn same(path: Vec<u8>) -> PlaceRule {
        PlaceRule {
            guest: path.clone(),
            host: path,
            read_only: false,
            parent_stays: true,
            asked: false,
        }
    }
}

/// A path among a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathArgument {
    /// The register that points to it, 0 to 5.
    pub register: u8,
    /// The register with the descriptor that it is relative to; `None`: it is the working directory.
    pub directory: Option<u8>,
    /// Whether a symbolic link is followed that is the last name.
    pub follows: When,
    /// Whether the call may change the file or its directory.
    pub writes: When,
    /// What it leads to is opened.
    pub opens: bool,
    /// The call reads a symbolic link: the module is asked about those of processes.
    pub reads_link: bool,
    /// The call changes nothing but what it tells the guest, has this one path, and is soon over: whoever
    /// follows these rules may make it twice.
    pub looks: bool,
    /// The module is asked unless nothing is there: then the call fails with `ENOENT`, whatever its other
    /// arguments are.
    pub unless_missing: bool,
}

/// With which arguments of a call something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// With none.
    Never,
    /// With all.
    Always,
    /// Where this register has one of these bits.
    IfBits(u8, u32),
    /// Where it has none of them.
    UnlessBits(u8, u32),
    /// As `open(2)` does it with the flags of this register.
    AsOpen(u8),
}
