use table::Kind;
use table::arch::x86_64;

use super::{call, class, values};

fn explain(name: &str, value: Option<&str>) -> String {
    call(x86_64::by_name(name).expect(name), value)
}

#[test]
fn a_call_is_explained_in_words() {
    let openat = explain("openat", None);
    for line in [
        "openat: system call 257, 295 of 32-bit programs",
        "  openat(AT_FDCWD, \"PATH\", O_RDONLY|..., 0MODE) = FD",
        "  dfd       a directory's file descriptor, or AT_FDCWD",
        "  mode      permissions, in octal; only if flags has O_CREAT or __O_TMPFILE",
        "  %file %desc",
    ] {
        assert!(openat.lines().any(|known| known == line), "{line}\nis not in\n{openat}");
    }
}

#[test]
fn of_cases_only_the_wanted_one_is_told() {
    let setlk = explain("fcntl", Some("F_SETLK"));
    let shown = "  fcntl(FD, F_SETLK, {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=N, l_len=N}) = N";
    assert!(setlk.lines().any(|line| line == shown), "{setlk}");
    assert!(setlk.contains("  arg  a struct flock, which the call reads\n"), "{setlk}");
    assert!(!setlk.contains("f_owner_ex"), "{setlk}");
    let clone3 = explain("clone3", None);
    assert!(clone3.contains("  a struct clone_args, which"), "{clone3}");
    assert!(explain("fcntl", None).contains("f_owner_ex"));
}

/// Every description can be told, in lines that fit, with each argument and field.
#[test]
fn every_call_and_every_case_can_be_explained() {
    for described in x86_64::calls() {
        let cases = values(described);
        for value in cases.iter().map(|value| Some(value.as_str())).chain([None]) {
            let text = call(described, value);
            for arg in described.args {
                assert!(text.contains(&format!("\n  {} ", arg.name)), "{}\n{text}", arg.name);
            }
            let longest = text.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(super::WIDTH), "{text}");
        }
        let depends = |kind: &Kind| matches!(kind, Kind::Select { .. });
        assert_eq!(described.args.iter().any(|arg| depends(&arg.kind)), !cases.is_empty());
    }
}

#[test]
fn a_class_lists_its_calls() {
    let text = class("pure", table::Classes::PURE);
    assert!(text.contains(" getpid ") && !text.contains(" openat "), "{text}");
}
