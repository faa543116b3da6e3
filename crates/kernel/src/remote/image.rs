//! Code of ours comes into a guest: a memory file, mapped.
//!
//! The guest makes the file by borrowed code and stops before it maps the first part of it: either
//! since a filter of ours stops `mmap(2)`, or at an `int3`. Then the file gets its content, so that
//! the borrowed code can go on in the [`Stub`] that has been mapped, which makes the other calls.
//! Mapped but not yet sized would do no harm: only who looks into it would be stopped (`SIGBUS`).

use std::io;

use libc::c_int;

use super::{Call, Code, End, Failure, Leavings, Place, RemoteCalls, Stub, refused, result};
use crate::ptrace::{CodeSpot, Registers};
use crate::shared::SharedMemory;

/// A memory file for a guest.
#[derive(Clone, Copy, Debug)]
pub struct Image<'i> {
    /// Its size, in bytes.
    pub len: usize,
    /// What it holds at the beginning, by offsets.
    pub contents: &'i [(usize, &'i [u8])],
    /// What of it is mapped.
    pub parts: &'i [Part],
    /// Code in the first part, when that is mapped.
    pub stub: Stub,
    /// Where in the first part of the file there is room for as many calls as there are parts.
    pub room: usize,
    /// Whether a filter of ours stops `mmap(2)`.
    pub mmap_stops: bool,
}

/// A mapping of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its address. What is mapped there already is left alone, and the attempt fails.
    pub address: u64,
    /// Its size, in bytes.
    pub len: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// `PROT_*`.
    pub protection: c_int,
    /// `MAP_PRIVATE` or `MAP_SHARED`.
    pub kind: c_int,
}

impl Part {
    fn map(self, fd: c_int) -> Call {
        let flags = self.kind | libc::MAP_FIXED_NOREPLACE;
        Call::mmap(self.address, self.len, self.protection, flags, fd, self.offset)
    }
}

/// What has been done so far, and is to be undone if it does not succeed.
#[derive(Debug, Default)]
struct Done {
    fd: Option<c_int>,
    memory: Option<SharedMemory>,
    /// How many parts have been mapped.
    parts: usize,
}

/// Makes a memory file, and maps with the arguments that the supervisor sets meanwhile. If that
/// succeeds it goes on at `rbx`, else it stops.
#[rustfmt::skip]
const START: [u8; CodeSpot::LEN] = [
    0xb8, 0x3f, 0x01, 0x00, 0x00, // mov $memfd_create,%eax
    0x0f, 0x05,                   // syscall
    0x41, 0x89, 0xc0,             // mov %eax,%r8d
    0x90,                         // nop, or the int3 of STOP
    0xb8, 0x09, 0x00, 0x00, 0x00, // mov $mmap,%eax
    0x0f, 0x05,                   // syscall
    0x48, 0x39, 0xf8,             // cmp %rdi,%rax
    0x75, 0x02,                   // jne FAILED
    0xff, 0xe3,                   // jmp *%rbx
    0xcc,                         // int3
    b'a', b'g', b'e', b'n', b't', 0,
];
/// Where it stops before it maps, if no filter stops it there.
const STOP: u64 = 10;
/// Behind the `syscall` that maps.
const MAPPED: u64 = 18;
/// Where it stops if that has failed.
const FAILED: u64 = 25;
/// The file's name.
const NAME: u64 = 26;
const INT3: u8 = 0xcc;
const FILE_FLAGS: u64 = (libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) as u64;

impl RemoteCalls {
    /// Makes a memory file of the guest's, maps it there and here, and closes it there. From then
    /// on calls are made by its stub, unless the guest is to live on without us. If that fails, the guest is as it was. No other thread of
    /// the address space may run.
    ///
    /// # Errors
    /// [`Failure::Refused`] with what a call of the guest's or [`SharedMemory::of_guest`] failed
    /// with.
    ///
    /// # Panics
    /// Where the thread has a stub already, or the image no part.
    pub fn bring_in(&mut self, image: &Image<'_>) -> Result<SharedMemory, Failure> {
        let mut done = Done::default();
        assert!(!image.parts.is_empty(), "an image without parts");
        let outcome = match self.end {
            End::Breakpoint => self.map_in_one_go(image, &mut done),
            End::SyscallExit => self.map_one_by_one(image, &mut done),
        };
        match (outcome, done.memory.take()) {
            (Ok(()), Some(memory)) => {
                if let Place::Borrowed(spot) = &self.place {
                    spot.put_back(self.tracee()?)?;
                    self.place = Place::Stub(image.stub);
                }
                Ok(memory)
            }
            (Err(Failure::Refused(error)), _) => {
                self.undo(image, &done)?;
                Err(Failure::Refused(error))
            }
            (Err(failure), _) => Err(failure),
            (Ok(()), None) => Err(refused(libc::EBADF)),
        }
    }

    fn map_in_one_go(&mut self, image: &Image<'_>, done: &mut Done) -> Result<(), Failure> {
        let stopped = self.make_file(image, done)?;
        let fd = stopped.r8 as c_int;
        let filled = if fd < 0 {
            Err(io::Error::from_raw_os_error(-fd))
        } else {
            done.fd = Some(fd);
            self.fill(image, fd)
        };
        match filled {
            Ok(memory) => done.memory = Some(memory),
            Err(error) => {
                // Out of the call that was about to be made.
                let end = self.spot().at() + FAILED;
                self.tracee()?.set_registers(&Registers { rip: end, ..self.outside_call() })?;
                self.run_to(&[end], None)?;
                return Err(Failure::Refused(error));
            }
        }
        self.map_parts(image, &stopped, done)
    }

    /// Has the guest make the file, up to before it maps the first part.
    fn make_file(&mut self, image: &Image<'_>, done: &mut Done) -> Result<Registers, Failure> {
        let at = self.spot().at();
        let mut code = START;
        if !image.mmap_stops {
            code[STOP as usize] = INT3;
        }
        self.spot().write(self.tracee()?, &code)?;
        // Without flags, nothing is mapped should the second call not stop.
        let (rdi, rsi, r10) = (at + NAME, FILE_FLAGS, 0);
        let registers = Registers { rip: at, rdi, rsi, r10, ..self.outside_call() };
        self.tracee()?.set_registers(&registers)?;
        let filtered = image.mmap_stops.then_some(at + MAPPED);
        let stopped = match self.run_to(&[at + STOP, at + FAILED], filtered) {
            // A filter of the guest's own has trapped a call.
            Err(Failure::Refused(error)) => (self.tracee()?.registers()?, error),
            // The second one has not stopped: it forbids one of them.
            Ok(registers) if registers.rip == at + FAILED + 1 => {
                let created = registers.r8 as c_int;
                let value = if created < 0 { created as u64 } else { registers.rax };
                (registers, error_of(value))
            }
            outcome => return outcome,
        };
        let (registers, error) = stopped;
        done.fd = Some(registers.r8 as c_int).filter(|fd| registers.rip > at + STOP && *fd >= 0);
        Err(Failure::Refused(error))
    }

    /// Has the guest go on from where it maps the first part.
    fn map_parts(
        &mut self,
        image: &Image<'_>,
        stopped: &Registers,
        done: &mut Done,
    ) -> Result<(), Failure> {
        let (first, fd) = (image.parts[0], stopped.r8 as c_int);
        let [rdi, rsi, rdx, r10, r8, r9] = first.map(fd).args;
        let calls = image.parts.len() as u64;
        let registers = Registers {
            rdi,
            rsi,
            rdx,
            r10,
            r8,
            r9,
            rbx: image.stub.batch,
            rbp: calls,
            r12: 0,
            r13: 1,
            r14: first.address + (image.room as u64 - first.offset),
            ..*stopped
        };
        self.tracee()?.set_registers(&registers)?;
        let ended = self.run_to(&[self.spot().at() + FAILED, image.stub.batch_end], None);
        let registers = match &ended {
            Ok(registers) => *registers,
            Err(Failure::Refused(_)) => self.tracee()?.registers()?,
            Err(_) => return ended.map(drop),
        };
        if registers.rip.wrapping_sub(first.address) < first.len {
            done.parts = image.parts.len().min((calls + 1 - registers.rbp.min(calls)) as usize);
        }
        match ended {
            Ok(registers) if registers.rbp == 0 => Ok(()),
            Ok(registers) => Err(Failure::Refused(error_of(registers.rax))),
            Err(failure) => Err(failure),
        }
    }

    fn map_one_by_one(&mut self, image: &Image<'_>, done: &mut Done) -> Result<(), Failure> {
        let create = [self.write_name()?, FILE_FLAGS, 0, 0, 0, 0];
        self.leave(Leavings::Result)?;
        let fd = self.call(Call { number: libc::SYS_memfd_create, args: create })? as c_int;
        self.leave(Leavings::Descriptor(fd))?;
        done.fd = Some(fd);
        done.memory = Some(self.fill(image, fd).map_err(Failure::Refused)?);
        for part in image.parts {
            self.call(part.map(fd))?;
            done.parts += 1;
        }
        // Should it be left to the guest, it would close what another thread opens meanwhile.
        self.leave(Leavings::Nothing)?;
        self.call(Call::close(fd))?;
        Ok(())
    }

    /// Writes the file's name beside the borrowed code. Returns its address.
    fn write_name(&self) -> Result<u64, Failure> {
        let tracee = self.tracee()?;
        match &self.place {
            Place::Outliving(spot, _) => {
                spot.write_behind(tracee, Code::ROOM, &START[NAME as usize..])?;
                Ok(spot.at() + Code::ROOM as u64)
            }
            _ => {
                self.spot().write(tracee, &START)?;
                Ok(self.spot().at() + NAME)
            }
        }
    }

    /// Takes over the guest's file, and writes to it what it holds at the beginning.
    fn fill(&self, image: &Image<'_>, fd: c_int) -> io::Result<SharedMemory> {
        let memory = SharedMemory::of_guest(self.process, self.tid, fd, image.len)?;
        for (offset, bytes) in image.contents {
            memory.write(*offset, bytes)?;
        }
        let maps = image.parts.iter().skip(1).map(|part| part.map(fd));
        let calls: Vec<Call> = maps.chain([Call::close(fd)]).collect();
        memory.write(image.room, &Call::bytes(&calls))?;
        Ok(memory)
    }

    /// Takes away what has been mapped, and closes the file.
    fn undo(&mut self, image: &Image<'_>, done: &Done) -> Result<(), Failure> {
        self.leave(Leavings::Nothing)?;
        let mapped = image.parts[..done.parts].iter();
        let unmap = mapped.map(|part| Call::munmap(part.address, part.len));
        for call in unmap.chain(done.fd.map(Call::close)) {
            match self.call(call) {
                // A filter of the guest's own forbids it.
                Ok(_) | Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn spot(&self) -> &CodeSpot {
        match &self.place {
            Place::Borrowed(spot) | Place::Outliving(spot, _) => spot,
            Place::Stub(_) => panic!("the thread has a stub already"),
        }
    }
}

/// What a call that has failed has returned.
fn error_of(value: u64) -> io::Error {
    result(value).err().unwrap_or_else(|| io::Error::from_raw_os_error(libc::EPERM))
}

#[cfg(test)]
mod tests;
