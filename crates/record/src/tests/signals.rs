//! Signal actions and `siginfo_t`.

use table::arch::x86_64 as id;
use table::{Call, Classes, Dir, Kind, Layout, Ret, Special, Target, arg, call, field};

use super::guest::words;
use super::{Guest, shorthand};
use crate::Decoder;

static SIGACTION: Layout = Layout {
    name: "sigaction",
    size: [32, 32],
    fields: &[
        field("sa_handler", 0, Kind::Special(Special::SigHandler)),
        field("sa_mask", 24, Kind::SigSet),
    ],
};
const ACTION: Target = Target::One(&Kind::Struct(&SIGACTION));
static RT_SIGACTION: Call = call(
    id::RT_SIGACTION,
    Classes::NONE,
    &[
        arg("sig", Kind::Signal),
        arg("act", Kind::Ptr(Dir::In, &ACTION)),
        arg("oact", Kind::Ptr(Dir::Out, &ACTION)),
    ],
    Ret::INT,
);

#[test]
fn an_action_is_told_before_and_the_old_one_after() {
    let guest = Guest::calls(&[10, 0x1000, 0x1000]).gives(0x1000, &words([1, 0, 0, 0x200]));
    let act = "sig=sig 10, act={sa_handler=SIG_IGN, sa_mask=sigset 200}";
    assert_eq!(guest.entered(&RT_SIGACTION), act);
    let guest = guest.gets(0x1000, &words([0x4000, 0, 0, 0])).returns(0);
    let oact = "oact={sa_handler=&4000, sa_mask=sigset 0}";
    assert_eq!(guest.returned(&RT_SIGACTION), format!("{act}, {oact} = 0"));
    let torn = Guest::calls(&[10, 0x1000, 0]).gives_torn(0x1000, &words([1, 0]));
    assert_eq!(torn.entered(&RT_SIGACTION), "sig=sig 10, act=!1000");
}

/// A `siginfo_t` from its signal, error and code, and the words behind them.
fn told(signal: i32, error: i32, code: i32, rest: &[u64]) -> String {
    let mut info = [0; 128];
    info[..4].copy_from_slice(&signal.to_le_bytes());
    info[4..8].copy_from_slice(&error.to_le_bytes());
    info[8..12].copy_from_slice(&code.to_le_bytes());
    for (bytes, word) in info[16..].chunks_exact_mut(8).zip(rest) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    shorthand(&Decoder::default().signal(&info))
}

const SENDER: u64 = 5 | 1000 << 32;

#[test]
fn siginfo_tells_who_sent_a_signal() {
    let user = told(10, 0, 0, &[SENDER]);
    assert_eq!(user, "{si_signo=sig 10, si_code=SI_USER, si_pid=pid 5, si_uid=id 1000}");
    let queue = told(10, 0, -1, &[SENDER, 7]);
    assert_eq!(
        queue,
        "{si_signo=sig 10, si_code=SI_QUEUE, si_pid=pid 5, si_uid=id 1000, si_int=7, si_ptr=&7}"
    );
    let timer = told(14, 0, -2, &[3 | 4 << 32, 9]);
    assert_eq!(
        timer,
        "{si_signo=sig 14, si_code=SI_TIMER, si_timerid=0x3, si_overrun=4, si_int=9, si_ptr=&9}"
    );
    assert_eq!(told(14, 0, 0x80, &[]), "{si_signo=sig 14, si_code=SI_KERNEL}");
}

/// As a program that sends itself signals may have it.
#[test]
fn siginfo_of_codes_that_the_kernel_does_not_use_is_told_by_the_signal() {
    assert_eq!(told(10, 0, 77, &[]), "{si_signo=sig 10, si_code=flags 4d}");
    assert_eq!(
        told(10, 0, 77, &[0, 7]),
        "{si_signo=sig 10, si_code=flags 4d, si_int=7, si_ptr=&7}"
    );
    assert_eq!(told(11, 0, 0x81, &[0x1234]), "{si_signo=sig 11, si_code=flags 81, si_addr=&1234}");
    assert_eq!(told(29, 0, 7, &[SENDER, 7]), "{si_signo=sig 29, si_code=flags 7}");
    assert!(told(17, 0, 0x81, &[SENDER, 9]).contains("si_status=sig 9"));
}

#[test]
fn siginfo_tells_what_became_of_a_child() {
    let exited = told(17, 0, 1, &[SENDER, 7, 2, 3]);
    assert_eq!(
        exited,
        "{si_signo=sig 17, si_code=CLD_EXITED, si_pid=pid 5, si_uid=id 1000, si_status=7, \
         si_utime=ticks 2, si_stime=ticks 3}"
    );
    assert!(told(17, 0, 2, &[SENDER, 9]).contains("si_code=CLD_KILLED"));
    assert!(told(17, 0, 2, &[SENDER, 9]).contains("si_status=sig 9"));
}

#[test]
fn siginfo_tells_the_address_of_a_fault_and_the_number_of_a_refused_call() {
    let fault = told(11, 0, 1, &[0x1234]);
    assert_eq!(fault, "{si_signo=sig 11, si_code=SEGV_MAPERR, si_addr=&1234}");
    assert_eq!(told(11, 0, 0x80, &[]), "{si_signo=sig 11, si_code=SI_KERNEL, si_addr=&0}");
    let refused = told(31, 7, 1, &[0x5000, 0xc000_003e << 32 | 110]);
    assert_eq!(
        refused,
        "{si_signo=sig 31, si_code=SYS_SECCOMP, si_errno=errno 7, si_call_addr=&5000, \
         si_syscall=call 110 getppid, si_arch=AUDIT_ARCH_X86_64}"
    );
    assert_eq!(told(0, 0, 0, &[]), "{}");
}
