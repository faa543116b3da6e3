use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;

use super::*;
use crate::testing::{Memory, call, empty_file, returned};

fn named(host: &str) -> Uts {
    Uts::new(Names { host: Some(host.to_owned()), ..Names::default() }).unwrap()
}

/// What a guest finds that calls `uname(2)`: where, and which name.
fn told(module: &mut Uts) -> Vec<(u64, String)> {
    let mut guest = Memory::default();
    let call = call(x86_64::UNAME, [0x1000, 0, 0, 0, 0, 0], &[]);
    assert_eq!(module.decide(&mut guest, &call).unwrap(), Verdict::pass().and_behind());
    let answer = module.behind(&mut guest, &returned(call, 0)).unwrap().unwrap();
    assert_eq!(answer.result, Reply::Value(0));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    answer.writes.iter().map(|write| (write.at.0, text(&write.bytes))).collect()
}

#[test]
fn uname_tells_the_names_that_were_given() {
    assert_eq!(told(&mut named("here")), [(0x1000 + 65, "here".to_owned())]);
    let names = Names { release: Some("9.9".into()), domain: Some("d".into()), ..Names::default() };
    let found = told(&mut Uts::new(names).unwrap());
    assert_eq!(found, [(0x1000 + 130, "9.9".to_owned()), (0x1000 + 325, "d".to_owned())]);
}

#[test]
fn a_uname_that_fails_stays_as_it_is() {
    let call = returned(call(x86_64::UNAME, [0; 6], &[]), -14);
    assert_eq!(named("here").behind(&mut Memory::default(), &call).unwrap(), None);
}

#[test]
fn guests_set_the_name_that_guests_see() {
    let mut module = named("here");
    let mut guest = Memory::with(0x2000, b"there");
    let mut set = |module: &mut Uts, args: [u64; 2]| {
        let call = call(x86_64::SETHOSTNAME, [args[0], args[1], 0, 0, 0, 0], &[]);
        module.decide(&mut guest, &call).unwrap()
    };
    assert_eq!(set(&mut module, [0x2000, 65]), Verdict::error(EINVAL));
    assert_eq!(set(&mut module, [0x2000, 64]), Verdict::error(EFAULT));
    assert_eq!(told(&mut module)[0].1, "here");
    assert_eq!(set(&mut module, [0x2000, 5]).answer, Some(Answer::of(Reply::Value(0))));
    assert_eq!(told(&mut module)[0].1, "there");
}

#[test]
fn files_tell_the_names_and_change_them() {
    let mut module = named("here").with_files(|| Ok(empty_file("uts")));
    let mut guest = Memory::with(0x2000, b"there");
    let opening = |flags| {
        let strings = [(0x1000, "/proc/sys/kernel/hostname")];
        call(x86_64::OPEN, [0x1000, flags, 0, 0, 0, 0], &strings)
    };
    let file = |module: &Uts| {
        let opened = &module.files.as_ref().unwrap().opened[NODE_NAME];
        opened.as_ref().unwrap().try_clone().unwrap()
    };
    let within = |module: &Uts| {
        let mut text = [0; 80];
        let len = file(module).read_at(&mut text, 0).unwrap();
        String::from_utf8_lossy(&text[..len]).into_owned()
    };
    assert!(module.decide(&mut guest, &opening(0)).unwrap().handed.is_some());
    assert_eq!(within(&module), "here\n");
    let set = call(x86_64::SETHOSTNAME, [0x2000, 5, 0, 0, 0, 0], &[]);
    module.decide(&mut guest, &set).unwrap();
    assert_eq!(within(&module), "there\n");
    // Opened to be written anew, and not written yet.
    module.decide(&mut guest, &opening(1)).unwrap();
    assert_eq!((within(&module), told(&mut module)[0].1.as_str()), (String::new(), "there"));
    file(&module).write_all_at(b"third\nline", 0).unwrap();
    assert_eq!(told(&mut module)[0].1, "third");
    // It is opened to be read, whatever else is asked for.
    let flags = (libc::O_RDONLY | libc::O_TRUNC) as u64;
    module.decide(&mut guest, &opening(flags)).unwrap();
    assert_eq!(within(&module), "third\n");
}

#[test]
fn a_file_that_cannot_be_opened_once_more_is_replaced() {
    let mut module = named("here").with_files(|| Ok(empty_file("uts")));
    // Nobody opens it by its link in `/proc`.
    let (socket, _other) = UnixStream::pair().unwrap();
    let files = module.files.as_mut().unwrap();
    files.opened[NODE_NAME] = Some(OwnedFd::from(socket).into());
    let strings = [(0x1000, "/proc/sys/kernel/hostname")];
    let opening = call(x86_64::OPEN, [0x1000, 0, 0, 0, 0, 0], &strings);
    let verdict = module.decide(&mut Memory::default(), &opening).unwrap();
    assert!(verdict.handed.is_some());
}

#[test]
fn names_that_no_kernel_has_are_refused() {
    let host = |name: &str| Uts::new(Names { host: Some(name.to_owned()), ..Names::default() });
    assert!(host(&"x".repeat(64)).is_ok());
    assert!(host(&"x".repeat(65)).is_err());
    assert!(host("a\0b").is_err());
}

#[test]
fn what_is_not_named_stays_as_it_is() {
    assert!(told(&mut Uts::new(Names::default()).unwrap()).is_empty());
    let explained = named("here").explain();
    assert_eq!(explained, ["the host is called here"]);
    assert!(!named("here").claims().contains(x86_64::READ.number.into()));
}
