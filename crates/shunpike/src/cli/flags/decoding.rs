//! How much is told of values, and how.

use super::value::{names, number, one_of};
use super::{Flag, Given, Value, Values};
use crate::cli::filter::{DecodeFds, DecodePids, FdSet, SecurityContextSet, call_set};
use crate::cli::options::{Constants, HexStrings, TraceOptions};
use crate::cli::usage::UsageError;

use contract::CallSet;

/// The longest string that can be asked for, as in strace.
const LONGEST_STRING: usize = (1 << 30) - 1;

const HEX_STRINGS: [(&str, HexStrings); 4] = [
    ("none", HexStrings::None),
    ("non-ascii-chars", HexStrings::NonAsciiChars),
    ("non-ascii", HexStrings::NonAscii),
    ("all", HexStrings::All),
];

const CONSTANTS: [(&str, Constants); 3] =
    [("raw", Constants::Raw), ("abbrev", Constants::Abbrev), ("verbose", Constants::Verbose)];

const KVM: [(&str, bool); 2] = [("vcpu", true), ("vcpu+", true)];

const NAMESPACES: [(&str, bool); 1] = [("new", true)];

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("string-limit", "show at most N bytes of a string (default 32)")
        .short('s')
        .takes(Value::Always("N"), Values::Any)
        .more("File names are always shown in full.")
        .apply(|options, given| {
            options.values.string_limit = number(given, LONGEST_STRING)?;
            Ok(())
        }),
    Flag::new("strings-in-hex", "show strings with bytes outside ASCII in hexadecimal; -xx all")
        .counted('x')
        .takes(Value::LongMaybe("WHICH"), Values::OneOf(&names(&HEX_STRINGS)))
        .more(
            "WHICH is none; non-ascii-chars, only the characters \
             that need an escape; non-ascii, as -x; or all, as -xx, the default of the long \
             form.",
        )
        .apply(strings_in_hex),
    Flag::new("const-print-style", "how to show constants and flags: raw, abbrev or verbose")
        .short('X')
        .takes(Value::Always("STYLE"), Values::OneOf(&names(&CONSTANTS)))
        .more(
            "raw: as numbers. abbrev: by name, the default. verbose: as numbers, with the names \
             in comments.",
        )
        .apply(|options, given| {
            options.values.constants = one_of(given, &CONSTANTS)?;
            Ok(())
        }),
    Flag::new("arg-names", "show the name of each argument").short('N').apply(|options, _| {
        options.values.argument_names = true;
        Ok(())
    }),
    Flag::new("no-abbrev", "show structures and lists in full").short('v').apply(|options, _| {
        options.values.abbrev = CallSet::NONE;
        Ok(())
    }),
    Flag::new("abbrev", "shorten the large structures of the calls in SET (default all)")
        .qualifiers(&["abbrev", "a"])
        .takes(Value::Always("SET"), Values::Calls)
        .apply(|options, given| {
            options.values.abbrev = call_set(given.text()?)?;
            Ok(())
        }),
    Flag::new(
        "verbose",
        "show the structures of the calls in SET (default all), of others only addresses",
    )
    .qualifiers(&["verbose", "v"])
    .takes(Value::Always("SET"), Values::Calls)
    .apply(|options, given| {
        options.values.verbose = call_set(given.text()?)?;
        Ok(())
    }),
    Flag::new("raw", "show the arguments of the calls in SET as plain numbers")
        .qualifiers(&["raw", "x"])
        .takes(Value::Always("SET"), Values::Calls)
        .apply(|options, given| {
            options.values.raw = call_set(given.text()?)?;
            Ok(())
        }),
    Flag::new("read", "dump all data read from the file descriptors in SET")
        .aliases(&["reads"])
        .qualifiers(&["read", "reads", "r"])
        .takes(Value::Always("SET"), Values::Any)
        .more("All of it, whatever -s says, in hexadecimal and in ASCII.")
        .apply(|options, given| {
            options.values.dump_read = Some(FdSet::parse(given.text()?)?);
            Ok(())
        }),
    Flag::new("write", "dump all data written to the file descriptors in SET")
        .aliases(&["writes"])
        .qualifiers(&["write", "writes", "w"])
        .takes(Value::Always("SET"), Values::Any)
        .more("All that was to be written, also where the call has failed.")
        .apply(|options, given| {
            options.values.dump_written = Some(FdSet::parse(given.text()?)?);
            Ok(())
        }),
    Flag::new("decode-fds", "show the path behind each file descriptor; -yy all that is known")
        .aliases(&["decode-fd"])
        .qualifiers(&["decode-fds", "decode-fd"])
        .counted('y')
        .takes(Value::LongMaybe("SET"), Values::SetOf(DecodeFds::NAMES))
        .more(
            "path: the file's path. socket: protocol and addresses. dev: a device's numbers. \
             pidfd, signalfd, eventfd: the process, the signals, the count behind one.",
        )
        .apply(decode_fds),
    Flag::new("decode-pids", "show the command of each process id")
        .aliases(&["decode-pid"])
        .qualifiers(&["decode-pids", "decode-pid"])
        .short('Y')
        .takes(Value::LongOnly("SET"), Values::SetOf(DecodePids::NAMES))
        .more(
            "comm, as -Y: the name of the command. pidns: the id in the tracer's pid namespace, \
             where that is another than the program's.",
        )
        .apply(decode_pids),
    Flag::new("pidns-translation", "short for --decode-pids=pidns").apply(|options, _| {
        options.values.pids = options.values.pids.union(DecodePids::PIDNS);
        Ok(())
    }),
    Flag::new("secontext", "show the SELinux contexts of processes, files and descriptors")
        .qualifiers(&["secontext"])
        .takes(Value::LongMaybe("SET"), Values::SetOf(SecurityContextSet::NAMES))
        .more(
            "Without SET only their types. full: all of them. mismatch: behind !!, what the policy \
             would label a file with, where that is another context. Where SELinux is not in use, \
             there are only those that files are labelled with.",
        )
        .apply(|options, given| {
            options.values.contexts = Some(match given.value {
                Some(_) => SecurityContextSet::parse(given.text()?)?,
                None => SecurityContextSet::NONE,
            });
            Ok(())
        }),
    Flag::new("kvm", "show why a virtual processor returned")
        .qualifiers(&["kvm"])
        .takes(Value::Always("WHAT"), Values::OneOf(&names(&KVM)))
        .more("vcpu: behind the result of KVM_RUN. vcpu+ is the same.")
        .apply(|options, given| {
            options.values.vcpu_exits = one_of(given, &KVM)?;
            Ok(())
        }),
    Flag::new("namespace", "show the ids of new namespaces")
        .qualifiers(&["namespace"])
        .takes(Value::Always("WHAT"), Values::OneOf(&names(&NAMESPACES)))
        .more("new: behind the result of clone, clone3 and unshare, those that it has made.")
        .apply(|options, given| {
            options.values.new_namespaces = one_of(given, &NAMESPACES)?;
            Ok(())
        }),
];

fn strings_in_hex(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.values.strings_in_hex = match (given.times, given.value) {
        (0, Some(_)) => one_of(given, &HEX_STRINGS)?,
        (1, _) => HexStrings::NonAscii,
        _ => HexStrings::All,
    };
    Ok(())
}

fn decode_fds(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.values.fds = match (given.times, given.value) {
        (0, Some(_)) => DecodeFds::parse(given.text()?)?,
        (0 | 1, _) => DecodeFds::PATH,
        _ => DecodeFds::ALL,
    };
    Ok(())
}

fn decode_pids(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let wanted = match given.value {
        Some(_) => DecodePids::parse(given.text()?)?,
        None => DecodePids::COMM,
    };
    options.values.pids = wanted;
    Ok(())
}
