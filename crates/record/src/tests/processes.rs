//! Calls on processes.

use table::arch::x86_64 as id;
use table::{Call, Classes, Dir, Kind, Layout, Ret, Source, Target, arg, call, field};

use super::Guest;
use super::guest::words;

static EXECVE: Call = call(
    id::EXECVE,
    Classes::NONE,
    &[
        arg("filename", Kind::PATH),
        arg("argv", Kind::Ptr(Dir::In, &Target::Strings)),
        arg("envp", Kind::Ptr(Dir::In, &Target::Environment)),
    ],
    Ret::INT,
);

fn execve() -> Guest {
    Guest::calls(&[0x1000, 0x2000, 0x3000]).gives(0x1000, b"/bin/true\0")
}

#[test]
fn a_program_is_given_strings_and_an_environment() {
    let guest = execve()
        .gives(0x2000, &words([0x2100, 0x2200, 0]))
        .gives(0x2100, b"true\0")
        .gives(0x2200, b"xy")
        .gives(0x3000, &words([0x3100, 0x3200, 0]));
    let args = "filename=path \"/bin/true\", argv=[str \"true\", str \"x\"+], envp=&3000 2 vars";
    assert_eq!(guest.entered(&EXECVE), format!("{args} []"));
    let guest = guest.gives(0x3100, b"A=1\0").gives(0x3200, b"B=2\0");
    assert_eq!(guest.entered(&EXECVE), format!("{args} [str \"A=1\", str \"B=2\"]"));
}

#[test]
fn vectors_and_their_strings_may_be_unreadable() {
    let argv = |guest: Guest| {
        let found = guest.entered(&EXECVE);
        let argv = found.split_once("argv=").and_then(|(_, rest)| rest.split_once(", envp"));
        argv.map(|(argv, _)| argv.to_owned()).unwrap_or(found)
    };
    assert_eq!(argv(execve()), "!2000");
    let wild = execve().gives(0x2000, &words([1, 0])).gives_torn(1, b"");
    assert_eq!(argv(wild), "[!1]");
    let torn = execve().gives_torn(0x2000, &words([0x2100])).gives(0x2100, b"a\0");
    assert_eq!(argv(torn), "[str \"a\", ...!2008]");
    let cut = execve().gives(0x2000, &words([0x2100, 0x2200, 0])).gives(0x2100, b"a\0");
    assert_eq!(argv(cut), "[str \"a\", ...]");
    let empty = execve().gives(0x2000, &words([0]));
    assert_eq!(argv(empty), "[]");
}

#[test]
fn pointers_that_lead_to_the_same_memory_are_told_apart() {
    let guest = Guest::calls(&[0x1000, 0x1000, 0]);
    let guest = guest.gives(0x1000, b"abcdefgh").gives_torn(0x1000, b"abcdefgh");
    let guest = guest.gives_torn(u64::from_le_bytes(*b"abcdefgh"), b"");
    let argv = "[!6867666564636261, ...!1008]";
    let found = format!("filename=path \"abcdefg\"+, argv={argv}, envp=&0");
    assert_eq!(guest.entered(&EXECVE), found);
}

static WAIT4: Call = call(
    id::WAIT4,
    Classes::NONE,
    &[
        arg("upid", Kind::Pid),
        arg("stat_addr", Kind::Ptr(Dir::Out, &Target::One(&Kind::WaitStatus))),
    ],
    Ret::of(Kind::Pid).zero_writes_nothing(),
);

#[test]
fn a_status_is_known_if_there_was_a_child() {
    let guest = Guest::calls(&[u64::MAX, 0x1000]);
    assert_eq!(guest.entered(&WAIT4), "upid=pid -1");
    let guest = guest.gets(0x1000, &[0, 7, 0, 0]);
    let child = guest.clone().returns(42).returned(&WAIT4);
    assert_eq!(child, "upid=pid -1, stat_addr=[status 700] = pid 42");
    assert_eq!(guest.returns(0).returned(&WAIT4), "upid=pid -1, stat_addr=?1000 = pid 0");
}

static EXIT: Call =
    call(id::EXIT_GROUP, Classes::NONE, &[arg("error_code", Kind::INT)], Ret::NEVER);

#[test]
fn a_call_that_does_not_return_has_no_value() {
    assert_eq!(Guest::calls(&[7]).returns(0).returned(&EXIT), "error_code=7 = absent");
}

static CLONE_ARGS: Layout = Layout {
    name: "clone_args",
    size: [16, 16],
    fields: &[
        field("flags", 0, Kind::HEX64),
        field(
            "parent_tid",
            8,
            Kind::IfBits {
                on: Source::Field(0),
                mask: 1,
                then: &Kind::Ptr(Dir::Out, &Target::One(&Kind::Pid)),
            },
        ),
    ],
};
static CLONE3: Call = call(
    id::CLONE3,
    Classes::NONE,
    &[
        arg("uargs", Kind::Ptr(Dir::In, &Target::One(&Kind::Struct(&CLONE_ARGS)))),
        arg("size", Kind::ULONG),
    ],
    Ret::of(Kind::Pid),
);

#[test]
fn what_pointers_in_a_given_struct_brought_is_told_beside_it() {
    let asked = Guest::calls(&[0x1000, 16]).gives(0x1000, &words([1, 0x2000]));
    let given = "{flags=0x1, parent_tid=?2000}";
    assert_eq!(asked.entered(&CLONE3), format!("uargs={given}"));
    assert_eq!(asked.clone().fails(11).returned(&CLONE3), format!("uargs={given}, size=16 = E11"));
    let answer = "{parent_tid=[pid 7]}";
    let told = asked.gets(0x2000, &[7, 0, 0, 0]).returns(7).returned(&CLONE3);
    assert_eq!(told, format!("uargs=change({given}, {answer}), size=16 = pid 7"));
    let unasked = Guest::calls(&[0x1000, 16]).gives(0x1000, &words([2, 0x2000]));
    assert_eq!(unasked.entered(&CLONE3), "uargs={flags=0x2}, size=16");
    assert_eq!(unasked.returns(7).returned(&CLONE3), "uargs={flags=0x2}, size=16 = pid 7");
}
