use super::*;
use crate::testing::{Memory, call, empty_file, returned};

fn module(mode: u8) -> Sysemu {
    Sysemu::new(Rc::new(Cell::new(mode)), empty_file("sysemu")).unwrap()
}

fn write(module: &mut Sysemu, text: &str) {
    let written = call(x86_64::WRITE, [3, 0, 0, 0, 0, 0], &[]);
    let verdict = module.decide(&mut Memory::default(), &written).unwrap();
    assert_eq!(verdict, Verdict::pass().and_behind());
    module.file.set_len(0).unwrap();
    module.file.write_all_at(text.as_bytes(), 0).unwrap();
    module.behind(&mut Memory::default(), &returned(written, 1)).unwrap();
}

#[test]
fn a_write_switches_the_mode() {
    let mut module = module(1);
    let strings = [(0x1000, "/proc/sysemu")];
    let opened = call(x86_64::OPENAT, [0, 0x1000, 0, 0, 0, 0], &strings);
    let verdict = module.decide(&mut Memory::default(), &opened).unwrap();
    assert!(matches!(&verdict.arguments[..], [Argument { index: 1, .. }]), "{verdict:?}");
    write(&mut module, "0\n");
    assert_eq!(module.mode.get(), 0);
    write(&mut module, "2");
    assert_eq!(module.mode.get(), 2);
    write(&mut module, "");
    assert_eq!(module.mode.get(), 2);
}

#[test]
fn it_is_no_link() {
    let strings = [(0x1000, "/proc/sysemu")];
    let looked = call(x86_64::NEWFSTATAT, [0, 0x1000, 0, 0x900, 0, 0], &strings);
    let verdict = module(1).decide(&mut Memory::default(), &looked).unwrap();
    assert_eq!(verdict.arguments[1..], [Argument::value(3, 0x800)]);
}

#[test]
fn what_is_no_mode_is_put_right() {
    let mut module = module(2);
    module.is_open = true;
    write(&mut module, "nonsense");
    let mut read = [0; 2];
    module.file.read_exact_at(&mut read, 0).unwrap();
    assert_eq!((&read, module.mode.get()), (b"2\n", 2));
}

#[test]
fn other_files_are_opened_as_they_are() {
    let mut module = module(0);
    let opened = call(x86_64::OPEN, [0x1000, 0, 0, 0, 0, 0], &[(0x1000, "/proc/self")]);
    assert!(module.decide(&mut Memory::default(), &opened).unwrap().is_pass());
    let written = call(x86_64::WRITE, [1, 0, 0, 0, 0, 0], &[]);
    assert!(module.decide(&mut Memory::default(), &written).unwrap().is_pass());
}
