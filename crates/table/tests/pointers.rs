//! Whether the descriptions follow the pointers that the kernel's prototypes name: a call is not described
//! fully while an argument that leads to a string or a struct is told as an address or a number.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use table::Kind;
use table::arch::x86_64;

/// The arguments that are told as addresses or numbers all the same, and why.
#[rustfmt::skip]
const NOT_FOLLOWED: &[(&str, &str)] = &[
    ("create_module name", UNIMPLEMENTED),
    ("epoll_ctl_old event", UNIMPLEMENTED),
    ("epoll_wait_old events", UNIMPLEMENTED),
    ("futex uaddr", PLACE),
    ("get_kernel_syms table", UNIMPLEMENTED),
    ("getcpu unused", "nobody looks at it"),
    ("getpmsg bandp", UNIMPLEMENTED),
    ("getpmsg ctlptr", UNIMPLEMENTED),
    ("getpmsg dataptr", UNIMPLEMENTED),
    ("getpmsg flagsp", UNIMPLEMENTED),
    ("nfsservctl argp", UNIMPLEMENTED),
    ("nfsservctl resp", UNIMPLEMENTED),
    ("putpmsg ctlptr", UNIMPLEMENTED),
    ("putpmsg dataptr", UNIMPLEMENTED),
    ("query_module name", UNIMPLEMENTED),
    ("query_module ret", UNIMPLEMENTED),
    ("rseq rseq", PLACE),
    ("set_robust_list head", PLACE),
    ("set_tid_address tidptr", PLACE),
    ("shmat shmaddr", PLACE),
    ("shmdt shmaddr", PLACE),
    ("ustat ubuf", "as strace tells it"),
];

const UNIMPLEMENTED: &str = "the kernel has nothing behind this call";
const PLACE: &str = "a place that is remembered or mapped, not something that is read";

#[test]
fn pointers_are_followed() {
    let prototypes = include_str!("../../../xtask/spec/prototypes.txt");
    let mut found = BTreeSet::new();
    for call in x86_64::calls() {
        let Some(prototype) =
            prototypes.lines().find_map(|line| line.strip_prefix(call.name)?.strip_prefix('('))
        else {
            continue;
        };
        for arg in call.args {
            let is_pointer = prototype.trim_end_matches(')').split(", ").any(|declared| {
                declared.strip_suffix(arg.name).is_some_and(|before| before.ends_with('*'))
                    && !declared.starts_with("void ")
            });
            if is_pointer && matches!(arg.kind, Kind::Addr | Kind::Int(..)) {
                found.insert(format!("{} {}", call.name, arg.name));
            }
        }
    }
    let known: BTreeSet<String> = NOT_FOLLOWED.iter().map(|(arg, _)| (*arg).to_owned()).collect();
    assert_eq!(found, known);
}
