//! Values without children, other than text → text.

use record::{Base, Fraction, Value, errno};

use super::color::{Role, paint};
use super::flags::{self, Name, push};
use super::style::Constants;
use super::time;
use super::value::Look;
use crate::device::major_minor;

impl Look<'_> {
    /// Appends a descriptor or a process id, and what it stands for.
    pub fn identity(&self, out: &mut Vec<u8>, value: Value<'_>) {
        match value {
            Value::Fd(fd, info) => {
                push(out, format_args!("{fd}"));
                info.iter().for_each(|info| self.descriptor(out, info));
            }
            Value::DirFd(fd, info) => {
                const AT_FDCWD: i32 = -100;
                let number = |out: &mut Vec<u8>| push(out, format_args!("{fd}"));
                self.constant(out, number, |out| match fd {
                    AT_FDCWD => name(out, "AT_FDCWD"),
                    _ => Name::None,
                });
                info.iter().for_each(|info| self.descriptor(out, info));
            }
            Value::Pid(pid) => {
                push(out, format_args!("{pid}"));
                let command_of = self.style.command_of.as_ref().filter(|_| pid > 0);
                let command = command_of.and_then(|command_of| command_of(record::Tid(pid)));
                if let Some(command) = command {
                    self.bracketed(out, &command);
                }
            }
            _ => {}
        }
    }

    fn constant(
        &self,
        out: &mut Vec<u8>,
        number: impl FnOnce(&mut Vec<u8>),
        name: impl FnOnce(&mut Vec<u8>) -> Name,
    ) {
        paint(out, self.style.color, Role::Constant, |out| {
            flags::constant(out, self.style.constants, number, name);
        });
    }

    /// Appends a number or what it means.
    pub fn scalar(&self, out: &mut Vec<u8>, value: Value<'_>) {
        let constants = self.style.constants;
        let color = self.style.color;
        match value {
            Value::Absent => out.push(b'?'),
            Value::Signed(number) => push(out, format_args!("{number}")),
            Value::Unsigned(number, Base::Dec) => push(out, format_args!("{number}")),
            Value::Unsigned(number, Base::Hex) => flags::number(out, number),
            Value::Unsigned(0, Base::Oct) => out.push(b'0'),
            Value::Unsigned(number, Base::Oct) => push(out, format_args!("0{number:o}")),
            Value::Addr(addr, _) if addr.is_null() => out.extend(b"NULL"),
            Value::Addr(addr, _) => push(out, format_args!("{:#x}", addr.0)),
            Value::Id(u32::MAX) => out.extend(b"-1"),
            Value::Id(id) => push(out, format_args!("{id}")),
            Value::Signal(number) => {
                paint(out, color, Role::Constant, |out| flags::signal(out, number, constants));
            }
            Value::SigSet(set) => {
                paint(out, color, Role::Constant, |out| flags::signal_set(out, set, constants));
            }
            Value::Flags(value, set) => {
                paint(out, color, Role::Constant, |out| flags::flags(out, value, set, constants));
            }
            Value::CloneFlags(value, set) => {
                paint(out, color, Role::Constant, |out| {
                    flags::clone_flags(out, value, set, constants);
                });
            }
            Value::FlagsPerm(bits, set) => {
                const PERMISSIONS: u32 = 0o777;
                let number = |out: &mut Vec<u8>| flags::number(out, bits.into());
                self.constant(out, number, |out| {
                    if bits & !PERMISSIONS != 0 {
                        flags::flags(out, (bits & !PERMISSIONS).into(), set, Constants::Abbrev);
                        out.push(b'|');
                    }
                    permissions(out, bits & PERMISSIONS);
                    Name::Whole
                });
            }
            Value::Perm(bits) => permissions(out, bits),
            Value::FileMode(mode) => {
                let number = |out: &mut Vec<u8>| permissions(out, mode);
                self.constant(out, number, |out| file_mode(out, mode));
            }
            Value::Dev(device) => {
                let number = |out: &mut Vec<u8>| flags::number(out, device);
                self.constant(out, number, |out| makedev(out, device));
            }
            Value::WaitStatus(status) => wait_status(out, status),
            Value::More(_) => out.extend(b"..."),
            Value::MoreAt(addr) => {
                out.extend(b"...");
                self.comment(out, |out| push(out, format_args!("{:#x}", addr.0)));
            }
            Value::Name(value, text) => {
                let number = |out: &mut Vec<u8>| flags::number(out, value);
                self.constant(out, number, |out| name(out, text));
            }
            Value::Resumed(call) => {
                push(out, format_args!("<... resuming interrupted {} ...>", call.unwrap_or("???")));
            }
            Value::Mask(mask, width) => {
                let width = usize::from(width);
                match mask {
                    0 => push(out, format_args!("{:0>width$}", 0)),
                    mask => push(out, format_args!("{mask:#0width$x}")),
                }
            }
            Value::Errno(error) => {
                let number = |out: &mut Vec<u8>| push(out, format_args!("{error}"));
                self.constant(out, number, |out| {
                    errno::name(error).map_or(Name::None, |text| name(out, text))
                });
            }
            Value::CallNumber(call, known) => {
                let number = |out: &mut Vec<u8>| flags::number(out, call.into());
                self.constant(out, number, |out| match known {
                    Some(known) => name(out, &format!("__NR_{known}")),
                    None => Name::None,
                });
            }
            Value::Ioctl(request, known) => {
                let number = |out: &mut Vec<u8>| flags::number(out, request.into());
                self.constant(out, number, |out| match known {
                    Some(known) => name(out, known),
                    None => ioctl_parts(out, request),
                });
            }
            Value::Limit(limit, infinity) => {
                let number = |out: &mut Vec<u8>| push(out, format_args!("{limit}"));
                self.constant(out, number, |out| match limit {
                    u64::MAX => name(out, infinity),
                    1025.. if limit % 1024 == 0 => {
                        push(out, format_args!("{}*1024", limit / 1024));
                        Name::Whole
                    }
                    _ => Name::None,
                });
            }
            Value::Annotated(number, set) => {
                push(out, format_args!("{number}"));
                let name = set.name(u64::from(number as u32)).unwrap_or(set.unknown);
                self.comment(out, |out| push(out, format_args!("{name}")));
            }
            Value::Ticks(ticks) => {
                push(out, format_args!("{ticks}"));
                if ticks != 0 {
                    let (sign, ticks) = (if ticks < 0 { "-" } else { "" }, ticks.unsigned_abs());
                    let [seconds, rest] = [ticks / 100, ticks % 100];
                    self.comment(out, |out| push(out, format_args!("{sign}{seconds}.{rest:02} s")));
                }
            }
            Value::Date(seconds, fraction) => {
                push(out, format_args!("{seconds}"));
                self.date_comment(out, seconds, fraction);
            }
            // The others have been told before.
            Value::Fd(..)
            | Value::DirFd(..)
            | Value::Pid(_)
            | Value::Path { .. }
            | Value::Abstract(_)
            | Value::Str { .. }
            | Value::Bytes { .. }
            | Value::HexBytes { .. }
            | Value::Inet4(_)
            | Value::Inet6(_)
            | Value::Struct
            | Value::Instant(..)
            | Value::Array
            | Value::Set
            | Value::Change
            | Value::Form(_)
            | Value::Counted(..) => {}
        }
    }

    /// Appends the date of a point in time, unless it is the zero that stands for none.
    pub(super) fn date_comment(&self, out: &mut Vec<u8>, seconds: i64, fraction: Option<Fraction>) {
        if seconds != 0 || fraction.is_some_and(|fraction| fraction.value != 0) {
            self.comment(out, |out| time::date(out, self.clock, seconds, fraction));
        }
    }
}

fn name(out: &mut Vec<u8>, name: &str) -> Name {
    out.extend(name.as_bytes());
    Name::Whole
}

fn permissions(out: &mut Vec<u8>, bits: u32) {
    push(out, format_args!("0{bits:02o}"));
}

fn file_mode(out: &mut Vec<u8>, mode: u32) -> Name {
    const TYPE: u32 = 0o170_000;
    let kind = match mode & TYPE {
        0o010_000 => "S_IFIFO",
        0o020_000 => "S_IFCHR",
        0o040_000 => "S_IFDIR",
        0o060_000 => "S_IFBLK",
        0o100_000 => "S_IFREG",
        0o120_000 => "S_IFLNK",
        0o140_000 => "S_IFSOCK",
        _ => {
            permissions(out, mode);
            return Name::Whole;
        }
    };
    out.extend(kind.as_bytes());
    for (bit, name) in [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")] {
        if mode & bit != 0 {
            push(out, format_args!("|{name}"));
        }
    }
    out.push(b'|');
    permissions(out, mode & !(TYPE | 0o7000));
    Name::Whole
}

fn makedev(out: &mut Vec<u8>, device: u64) -> Name {
    let (major, minor) = major_minor(device);
    out.extend(b"makedev(");
    flags::number(out, major);
    out.extend(b", ");
    flags::number(out, minor);
    out.push(b')');
    Name::Whole
}

/// Direction, type, number and size: `_IOC(_IOC_READ, 0x54, 0x1, 0x4)`.
fn ioctl_parts(out: &mut Vec<u8>, request: u32) -> Name {
    let direction = ["_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"];
    push(out, format_args!("_IOC({}", direction[(request >> 30) as usize]));
    for part in [request >> 8 & 0xff, request & 0xff, request >> 16 & 0x3fff] {
        out.extend(b", ");
        flags::number(out, part.into());
    }
    out.push(b')');
    Name::Whole
}

/// What `wait(2)`'s macros make of a status.
fn wait_status(out: &mut Vec<u8>, status: u32) {
    let signal = |out: &mut Vec<u8>, number| flags::signal(out, number, Constants::Abbrev);
    let low = status & 0x7f;
    if status == 0xffff {
        out.extend(b"{WIFCONTINUED(s)}");
    } else if low == 0x7f {
        out.extend(b"{WIFSTOPPED(s) && WSTOPSIG(s) == ");
        signal(out, status >> 8 & 0x7f);
        if status & 0x8000 != 0 {
            out.extend(b" | 0x80");
        }
        out.push(b'}');
    } else if low == 0 {
        push(out, format_args!("{{WIFEXITED(s) && WEXITSTATUS(s) == {}}}", status >> 8 & 0xff));
    } else {
        out.extend(b"{WIFSIGNALED(s) && WTERMSIG(s) == ");
        signal(out, low);
        out.extend(if status & 0x80 != 0 { &b" && WCOREDUMP(s)}"[..] } else { b"}" });
    }
}
