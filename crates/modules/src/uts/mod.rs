//! `uts`: the names that `uname(2)` tells, and that `gethostname(3)` and `getdomainname(3)` take from
//! there.

mod files;

use std::io;

use contract::{
    About, Answer, Arch, CallSet, Capture, Failure, Guest, GuestAddr, Module, Narrowing,
    Redirection, Reply, Verdict, Write,
};
use table::Id;
use table::arch::x86_64;

use files::Files;
pub use files::Make;

/// How long a name of `struct new_utsname` is, with its NUL, in bytes (`__NEW_UTS_LEN + 1`).
const FIELD_LEN: usize = 65;
/// The names of `uname(2)`, in its order.
const FIELDS: usize = 6;
const NODE_NAME: usize = 1;
const DOMAIN_NAME: usize = 5;
/// `EFAULT`, `EINVAL` and `EPERM` of `errno(3)`.
const EFAULT: u16 = 14;
const EINVAL: u16 = 22;

/// The names that guests are to see; `None`: the machine's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// `sysname`: `Linux`.
    pub system: Option<String>,
    /// `nodename`: the host's name.
    pub host: Option<String>,
    /// `release`: `6.18.0`.
    pub release: Option<String>,
    /// `version`: of the kernel's build.
    pub version: Option<String>,
    /// `machine`: `x86_64`.
    pub machine: Option<String>,
    /// `domainname`: the NIS domain.
    pub domain: Option<String>,
}

/// The module.
#[derive(Debug)]
pub struct Uts {
    names: [Option<Vec<u8>>; FIELDS],
    files: Option<Files>,
}

/// What is wrong with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadName(String);

impl std::fmt::Display for BadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the name '{}' has more than 64 bytes, or a NUL", self.0)
    }
}

impl std::error::Error for BadName {}

/// The calls, with what they set or tell.
const CALLS: [Id; 3] = [x86_64::UNAME, x86_64::SETHOSTNAME, x86_64::SETDOMAINNAME];

impl Uts {
    /// Guests see these names.
    ///
    /// # Errors
    /// One of them is too long for the kernel.
    pub fn new(names: Names) -> Result<Uts, BadName> {
        let Names { system, host, release, version, machine, domain } = names;
        let mut fields = [const { None }; FIELDS];
        for (field, name) in
            fields.iter_mut().zip([system, host, release, version, machine, domain])
        {
            let Some(name) = name else { continue };
            if name.len() >= FIELD_LEN || name.contains('\0') {
                return Err(BadName(name));
            }
            *field = Some(name.into_bytes());
        }
        Ok(Uts { names: fields, files: None })
    }

    /// The same, told by `/proc/sys/kernel` too: what guests open there is made by this, an empty file.
    #[must_use]
    pub fn with_files(self, make: Make) -> Uts {
        Uts { files: Some(Files::new(make)), ..self }
    }

    /// Takes over the names that guests have written to files.
    fn look(&mut self) -> io::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        for (field, name) in self.names.iter_mut().enumerate() {
            if let Some(written) = files.written(field)? {
                *name = Some(written);
            }
        }
        Ok(())
    }

    /// A guest opens one of the files.
    fn open(&mut self, field: usize, flags: i32) -> Result<Verdict, Failure> {
        self.look()?;
        let name = self.names[field].as_deref();
        match &mut self.files {
            Some(files) if name.is_some() || flags & libc::O_ACCMODE != libc::O_RDONLY => {
                files.hand(field, name, flags)
            }
            _ => Ok(Verdict::pass()),
        }
    }

    /// The calls that may open a file.
    fn opening(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        for arch in [Arch::X86_64, Arch::I386].into_iter().filter(|_| self.files.is_some()) {
            let numbers = files::OPENING.iter().filter_map(|(id, _)| arch.number_of(*id));
            numbers.for_each(|number| calls.insert_of(arch, number));
        }
        calls
    }

    /// The call of another number than the one that is described, if it is one of ours.
    fn call_of(call: &Capture) -> u64 {
        call.arch.native_number(call.number)
    }

    /// `sethostname(2)` and `setdomainname(2)`: the guest changes its own name, for all guests.
    fn set(
        &mut self,
        guest: &mut dyn Guest,
        field: usize,
        call: &Capture,
    ) -> Result<Verdict, Failure> {
        let len = call.args[1] as i32;
        let Some(len) = usize::try_from(len).ok().filter(|len| *len < FIELD_LEN) else {
            return Ok(Verdict::error(EINVAL));
        };
        let mut name = vec![0; len];
        if guest.read(GuestAddr(call.args[0]), &mut name).is_err() {
            return Ok(Verdict::error(EFAULT));
        }
        if let Some(files) = &self.files {
            files.put(field, &name)?;
        }
        self.names[field] = Some(name);
        Ok(Verdict::answer(Answer::of(Reply::Value(0))))
    }
}

impl Module for Uts {
    fn name(&self) -> &'static str {
        "uts"
    }

    fn claims(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        for arch in [Arch::X86_64, Arch::I386] {
            for number in CALLS.iter().filter_map(|id| arch.number_of(*id)) {
                calls.insert_of(arch, number);
            }
        }
        calls.union(self.opening())
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        let about = vec![About::Path(files::DIRECTORY.to_vec())];
        vec![Narrowing { calls: self.opening(), about }]
    }

    fn redirection(&self) -> Option<Redirection> {
        self.files.as_ref().map(|_| files::rules())
    }

    fn explain(&self) -> Vec<String> {
        const WHAT: [&str; FIELDS] =
            ["the system", "the host", "the release", "the version", "the machine", "the domain"];
        let named = WHAT.iter().zip(&self.names).filter_map(|(what, name)| {
            Some(format!("{what} is called {}", String::from_utf8_lossy(name.as_ref()?)))
        });
        named.collect()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let number = Uts::call_of(call);
        if number == x86_64::SETHOSTNAME.number.into() {
            return self.set(guest, NODE_NAME, call);
        }
        if number == x86_64::SETDOMAINNAME.number.into() {
            return self.set(guest, DOMAIN_NAME, call);
        }
        if number != x86_64::UNAME.number.into() {
            return match Files::about_to_open(guest, call) {
                Some((field, flags)) => self.open(field, flags),
                None => Ok(Verdict::pass()),
            };
        }
        Ok(Verdict::pass().and_behind())
    }

    /// The kernel has told its names: those that are to be others are written over them.
    fn behind(
        &mut self,
        _guest: &mut dyn Guest,
        call: &Capture,
    ) -> Result<Option<Answer>, Failure> {
        if call.success().is_none() {
            return Ok(None);
        }
        self.look()?;
        let start = GuestAddr(call.args[0]);
        let writes = self.names.iter().enumerate().filter_map(|(field, name)| {
            let mut bytes = name.clone()?;
            bytes.resize(FIELD_LEN, 0);
            Some(Write { at: start.checked_add((field * FIELD_LEN) as u64)?, bytes })
        });
        Ok(Some(Answer { result: Reply::Value(0), writes: writes.collect() }))
    }
}

#[cfg(test)]
mod tests;
