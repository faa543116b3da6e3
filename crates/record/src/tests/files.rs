//! Calls on files and descriptors.

use table::arch::x86_64 as id;
use table::{Arg, Base, Call, Classes, Dir, Kind, Layout, Len, Note, Ret, Source, Target, Width};
use table::{arg, call, field, flags};

use super::Guest;
use super::guest::words;

const NONE: Classes = Classes::NONE;

static READ: Call = call(
    id::READ,
    NONE,
    &[
        arg("fd", Kind::Fd),
        arg("buf", Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret))),
        arg("count", Kind::ULONG),
    ],
    Ret::INT,
);

static WRITE: Call = call(
    id::WRITE,
    NONE,
    &[
        arg("fd", Kind::Fd),
        arg("buf", Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(2)))),
        arg("count", Kind::ULONG),
    ],
    Ret::INT,
);

fn openat() -> &'static Call {
    table::arch::x86_64::call(id::OPENAT.number.into()).expect("openat is described")
}

const OPEN: [u64; 4] = [(-100_i64) as u64, 0x1000, 0x241, 0o644];

#[test]
fn a_call_that_only_reads_memory_is_whole_before_it_returns() {
    let guest = Guest::calls(&OPEN).gives(0x1000, b"/etc/passwd\0");
    let args = "dfd=dir -100, filename=path \"/etc/passwd\", flags=O_WRONLY|240, mode=perm 644";
    assert_eq!(guest.entered(openat()), args);
    assert_eq!(guest.clone().fails(2).returned(openat()), format!("{args} = E2"));
    let found = guest.returns(3).knows(3, "/etc/passwd").returned(openat());
    assert_eq!(found, format!("{args} = fd 3</etc/passwd>"));
}

#[test]
fn an_argument_that_needs_a_flag_is_absent_without_it() {
    let guest = Guest::calls(&[3, 0x1000, 0, 0o644]).gives(0x1000, b"x\0");
    assert_eq!(guest.entered(openat()), "dfd=dir 3, filename=path \"x\", flags=O_RDONLY");
}

#[test]
fn a_path_is_cut_or_unreadable_if_its_nul_was_not_found() {
    let path = |guest: Guest| guest.entered(openat())[..35].to_owned();
    let guest = Guest::calls(&OPEN);
    assert_eq!(path(guest.clone()), "dfd=dir -100, filename=!1000, flags");
    assert_eq!(path(guest.clone().gives_torn(0x1000, b"ab")), path(guest.clone()));
    assert_eq!(path(guest.gives(0x1000, b"abX")), "dfd=dir -100, filename=path \"ab\"+, ");
}

#[test]
fn null_is_an_address() {
    let found = Guest::calls(&[3, 0, 0, 0]).entered(openat());
    assert_eq!(found, "dfd=dir 3, filename=&0, flags=O_RDONLY");
}

#[test]
fn a_buffer_to_be_filled_is_known_after_success() {
    let guest = Guest::calls(&[0, 0x1000, 5]);
    assert_eq!(guest.entered(&READ), "fd=fd 0");
    assert_eq!(guest.clone().fails(11).returned(&READ), "fd=fd 0, buf=?1000, count=5 = E11");
    let filled = guest.gets(0x1000, b"abcde").returns(3);
    assert_eq!(filled.returned(&READ), "fd=fd 0, buf=\"abc\", count=5 = 3");
}

#[test]
fn a_buffer_tells_whether_more_was_given_than_captured() {
    let guest = Guest::calls(&[1, 0x1000, 9]);
    let buf = |guest: &Guest| guest.entered(&WRITE);
    assert_eq!(buf(&guest.clone().gives(0x1000, b"abc")), "fd=fd 1, buf=\"abc\"+, count=9");
    assert_eq!(buf(&guest.gives_torn(0x1000, b"abc")), "fd=fd 1, buf=!1000, count=9");
    assert_eq!(buf(&Guest::calls(&[1, 0x1000, 0])), "fd=fd 1, buf=\"\", count=0");
    let nothing_shown = Guest::calls(&[1, 0x1000, 9]).gives(0x1000, b"");
    assert_eq!(buf(&nothing_shown), "fd=fd 1, buf=\"\"+, count=9");
}

static IOVEC: Layout = Layout {
    name: "iovec",
    size: [16, 16],
    fields: &[
        field("iov_base", 0, Kind::Ptr(Dir::Out, &Target::Bytes(Len::FieldWithinRet(1)))),
        field("iov_len", 8, Kind::ULONG),
    ],
};
static READV: Call = call(
    id::READV,
    NONE,
    &[
        arg("fd", Kind::Fd),
        arg("vec", Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&IOVEC), Len::Arg(2)))),
        arg("vlen", Kind::ULONG),
    ],
    Ret::INT,
);

#[test]
fn buffers_of_a_vector_hold_no_more_than_was_read() {
    let guest = Guest::calls(&[0, 0x1000, 3]).gives(0x1000, &words([0x2000, 3, 0x3000, 9, 0, 0]));
    assert_eq!(guest.entered(&READV), "fd=fd 0");
    let guest = guest.gets(0x2000, b"abc").gets(0x3000, b"de").returns(5);
    let vector = "[{iov_base=\"abc\", iov_len=3}, {iov_base=\"de\", iov_len=9}, \
                  {iov_base=&0, iov_len=0}]";
    assert_eq!(guest.returned(&READV), format!("fd=fd 0, vec={vector}, vlen=3 = 5"));
}

#[test]
fn an_array_ends_where_memory_or_the_copy_ends() {
    let vector = |guest: Guest| guest.fails(14).returned(&READV);
    let one = "{iov_base=?2000, iov_len=3}";
    let torn = Guest::calls(&[0, 0x1000, 2]).gives_torn(0x1000, &words([0x2000, 3, 7])[..20]);
    assert_eq!(vector(torn), format!("fd=fd 0, vec=[{one}, ...!1010], vlen=2 = E14"));
    let cut = Guest::calls(&[0, 0x1000, 9]).gives(0x1000, &words([0x2000, 3]));
    assert_eq!(vector(cut), format!("fd=fd 0, vec=[{one}, ...8], vlen=9 = E14"));
    let unreadable = Guest::calls(&[0, 0x1000, 2]).gives_torn(0x1000, &[0; 8]);
    assert_eq!(vector(unreadable), "fd=fd 0, vec=!1000, vlen=2 = E14");
    let empty = Guest::calls(&[0, 0x1000, 0]);
    assert_eq!(vector(empty), "fd=fd 0, vec=[], vlen=0 = E14");
}

static PIPE2: Call = call(
    id::PIPE2,
    NONE,
    &[
        arg("fildes", Kind::Ptr(Dir::Out, &Target::Array(&Kind::Fd, Len::Const(2)))),
        arg("flags", Kind::flags(&flags::OPEN)),
    ],
    Ret::INT,
);

#[test]
fn nothing_is_known_before_a_first_argument_that_is_to_be_written() {
    let guest = Guest::calls(&[0x1000, 0]);
    assert_eq!(guest.entered(&PIPE2), "");
    let guest = guest.gets(0x1000, &[3, 0, 0, 0, 4, 0, 0, 0]).returns(0);
    assert_eq!(guest.returned(&PIPE2), "fildes=[fd 3, fd 4], flags=O_RDONLY = 0");
}

const EVENTS: Kind = Kind::Flags(Width::S16, &flags::DIRENT_TYPE);
static ASKED: Layout = Layout {
    name: "pollfd",
    size: [8, 8],
    fields: &[field("fd", 0, Kind::Fd), field("events", 4, EVENTS)],
};
static TOLD: Layout = Layout {
    name: "pollfd",
    size: [8, 8],
    fields: &[field("fd", 0, Kind::Fd), field("revents", 6, EVENTS)],
};
const fn pollfds(dir: Dir, target: &'static Target) -> Arg {
    arg("ufds", Kind::Ptr(dir, target))
}
static POLL: Call = call(
    id::POLL,
    NONE,
    &[
        pollfds(Dir::In, &Target::Array(&Kind::Struct(&ASKED), Len::Arg(1))),
        arg("nfds", Kind::UINT),
        arg("timeout", Kind::INT),
    ],
    Ret::INT
        .note(Note::After(&[pollfds(Dir::Out, &Target::Array(&Kind::Struct(&TOLD), Len::Arg(1)))])),
);

#[test]
fn what_poll_was_asked_and_told_stand_apart() {
    let fds = |told: [u8; 2]| [5, 0, 0, 0, 1, 0, told[0], 0, 6, 0, 0, 0, 4, 0, told[1], 0];
    let guest = Guest::calls(&[0x1000, 2, 7]).gives(0x1000, &fds([0, 0]));
    let asked = "ufds=[{fd=fd 5, events=DT_FIFO}, {fd=fd 6, events=DT_DIR}], nfds=2, timeout=7";
    assert_eq!(guest.entered(&POLL), asked);
    let told = guest.clone().gets(0x1000, &fds([0, 4])).returns(1).returned(&POLL);
    assert_eq!(told, format!("{asked} = 1 (: ufds=[{{fd=fd 6, revents=DT_DIR}}])"));
    let timeout = guest.clone().gets(0x1000, &fds([0, 0])).returns(0).returned(&POLL);
    assert_eq!(timeout, format!("{asked} = 0 (Timeout: )"));
    assert_eq!(guest.fails(4).returned(&POLL), format!("{asked} = E4"));
}

const SET: Kind = Kind::Ptr(Dir::In, &Target::BitSet(Len::BitsOfArg(0)));
const SET_AFTER: Kind = Kind::Ptr(Dir::Out, &Target::BitSet(Len::BitsOfArg(0)));
static SELECT: Call = call(
    id::SELECT,
    NONE,
    &[arg("n", Kind::INT), arg("inp", SET), arg("outp", SET)],
    Ret::INT.note(Note::After(&[
        table::named_arg("in", 1, SET_AFTER),
        table::named_arg("out", 2, SET_AFTER),
    ])),
);

#[test]
fn descriptor_sets_hold_members_below_the_bound_and_empty_ones_are_not_told() {
    let guest = Guest::calls(&[10, 0x1000, 0x2000])
        .gives(0x1000, &words([0b1_1000_0000_1001]))
        .gives(0x2000, &words([0]));
    assert_eq!(guest.entered(&SELECT), "n=10, inp=set[fd 0, fd 3], outp=set[]");
    let guest = guest.gets(0x1000, &words([8])).gets(0x2000, &words([0])).returns(1);
    assert!(guest.returned(&SELECT).ends_with(" = 1 (: in=set[fd 3])"));
    let negative = Guest::calls(&[u64::MAX, 0x1000, 0]).gives(0x1000, &words([1]));
    assert_eq!(negative.entered(&SELECT), "n=-1, inp=!1000, outp=&0");
}

static FCNTL: Call = call(
    id::FCNTL,
    NONE,
    &[
        arg("fd", Kind::Fd),
        arg("cmd", Kind::UINT),
        arg(
            "arg",
            Kind::Select {
                on: Source::Arg(1),
                mask: u64::MAX,
                cases: &[(3, Kind::Absent), (4, Kind::flags(&flags::OPEN))],
                default: &Kind::HEX64,
            },
        ),
    ],
    Ret::of(Kind::Select {
        on: Source::Arg(1),
        mask: u64::MAX,
        cases: &[(3, Kind::Int(Width::U64, Base::Hex))],
        default: &Kind::LONG,
    })
    .note(Note::Meaning(
        "flags",
        Kind::Select {
            on: Source::Arg(1),
            mask: u64::MAX,
            cases: &[(3, Kind::flags(&flags::OPEN))],
            default: &Kind::Absent,
        },
    )),
);

#[test]
fn a_command_decides_what_the_argument_and_the_result_are() {
    let found = Guest::calls(&[3, 3, 9]).returns(0x8002).returned(&FCNTL);
    assert_eq!(found, "fd=fd 3, cmd=3 = 0x8002 (flags: O_RDWR|8000)");
    let found = Guest::calls(&[3, 4, 1]).returns(0).returned(&FCNTL);
    assert_eq!(found, "fd=fd 3, cmd=4, arg=O_WRONLY = 0");
    assert_eq!(Guest::calls(&[3, 77, 9]).entered(&FCNTL), "fd=fd 3, cmd=77, arg=0x9");
}

static GETDENTS64: Call = call(
    id::GETDENTS64,
    NONE,
    &[
        arg("fd", Kind::Fd),
        arg("dirent", Kind::Ptr(Dir::Out, &Target::Dirents(Len::Ret))),
        arg("count", Kind::UINT),
    ],
    Ret::INT,
);

#[test]
fn directory_entries_are_counted_and_shown() {
    let mut entries = words([7, 1, 0]);
    entries[16..22].copy_from_slice(b"\x18\0\x04.\0\0");
    let mut second = words([8, 2, 0x61_6204_0018]);
    second[18] = 8;
    second[19..24].copy_from_slice(b"name\0");
    entries.extend(second);
    let guest = Guest::calls(&[3, 0x1000, 4096]).gets(0x1000, &entries).returns(48);
    assert_eq!(
        guest.returned(&GETDENTS64),
        "fd=fd 3, dirent=&1000 2 entries [{d_ino=7, d_off=1, d_reclen=24, d_type=DT_DIR, \
         d_name=path \".\"}, {d_ino=8, d_off=2, d_reclen=24, d_type=DT_REG, d_name=path \"name\"}], \
         count=4096 = 48"
    );
    let none = Guest::calls(&[3, 0x1000, 4096]).returns(0).returned(&GETDENTS64);
    assert_eq!(none, "fd=fd 3, dirent=&1000 0 entries [], count=4096 = 0");
}

static DUP2: Call =
    call(id::DUP2, NONE, &[arg("oldfd", Kind::Fd), arg("newfd", Kind::Fd)], Ret::FD);

#[test]
fn a_descriptor_may_stand_for_something_else_after_the_call() {
    let guest = Guest::calls(&[3, 4]).knows(3, "/a").knows(4, "/b").knows(4, "/a").returns(4);
    assert_eq!(guest.returned(&DUP2), "oldfd=fd 3</a>, newfd=fd 4</b> = fd 4</a>");
}

#[test]
fn nothing_is_asked_of_a_negative_descriptor() {
    let poll = table::arch::x86_64::call(id::POLL.number.into()).expect("poll is described");
    let fds = [0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0];
    let asked = Guest::calls(&[0x1000, 2, 0]).gives(0x1000, &fds).entered(poll);
    assert!(asked.starts_with("ufds=[{fd=fd 0, events=flags 1}, {fd=fd -1}]"), "{asked}");
}
