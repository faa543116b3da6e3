//! What can be done here; where something cannot, why, the way out, and what is done instead.

use std::fmt;
use std::io;

use kernel::probe::{Answer, Host, Refusal};

use crate::errors;

/// One thing that can or cannot be done.
#[derive(Debug)]
pub(super) struct Ability {
    what: &'static str,
    obstacle: Option<Obstacle>,
    /// What the user should know though it can be done.
    note: Option<String>,
}

/// Why something cannot be done.
#[derive(Debug)]
struct Obstacle {
    cause: String,
    way_out: &'static str,
    instead: &'static str,
}

impl Ability {
    fn new(what: &'static str, answer: Answer, obstacle: impl Fn(Refusal) -> Obstacle) -> Ability {
        Ability { what, obstacle: answer.err().map(obstacle), note: None }
    }
}

impl fmt::Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = if self.obstacle.is_none() { "yes" } else { "NO" };
        writeln!(f, "  {:<58} {answer}", self.what)?;
        if let Some(Obstacle { cause, way_out, instead }) = &self.obstacle {
            writeln!(f, "      because  {cause}")?;
            writeln!(f, "      way out  {way_out}")?;
            writeln!(f, "      instead  {instead}")?;
        }
        if let Some(note) = &self.note {
            writeln!(f, "      note     {note}")?;
        }
        Ok(())
    }
}

/// Everything that matters to Shunpike, the most necessary first. Where programs cannot be traced
/// nothing else matters.
pub(super) fn of(host: &Host) -> Vec<Ability> {
    let trace = Ability::new("trace programs that it starts", host.seize, |refusal| {
        let (cause, way_out) = ptrace_obstacle(host, refusal);
        Obstacle { cause, way_out, instead: "nothing: every mechanism needs ptrace" }
    });
    if host.seize.is_err() {
        return vec![trace];
    }
    let attach =
        Ability::new("attach to running processes of this user (-p)", host.attach, |refusal| {
            let (cause, way_out) = attach_obstacle(host, refusal);
            Obstacle { cause, way_out, instead: "start the program under shunpike" }
        });
    let info = "learn of a call by one request (PTRACE_GET_SYSCALL_INFO)";
    let info = Ability::new(info, host.syscall_info, |refusal| Obstacle {
        cause: answer(refusal),
        way_out: "Linux 5.3 or newer, and a sandbox that permits it",
        instead: "registers are read; calls by int 0x80 in 64-bit programs are misread",
    });
    let filter = "let a seccomp filter pick the calls that stop";
    let filter = Ability::new(filter, host.filter_trace, |refusal| filter_obstacle(host, refusal));
    let agent = "have programs record their calls (--mechanism=agent)";
    let agent = Ability::new(agent, host.filter_trace.and(host.agent), |_| Obstacle {
        cause: match host.filter_trace {
            Err(_) => "it needs the filter above".to_owned(),
            Ok(()) => "no rdgsbase, or a time stamp counter that runs unevenly".to_owned(),
        },
        way_out: "Linux 5.9 or newer, and a processor of the last ten years",
        instead: "every call stops the program",
    });
    let attached = "the same without -f, or in programs that run already (-p)";
    let attached = Ability::new(attached, host.agent.and(host.dispatch), |refusal| Obstacle {
        cause: match host.agent {
            Err(_) => "it needs what the line above needs".to_owned(),
            Ok(()) => format!("no syscall user dispatch for tracers ({})", answer(refusal)),
        },
        way_out: "Linux 6.4 or newer",
        instead: "every call stops the program",
    });
    let placement = "keep a busy program beside the tracer (--placement)";
    let placement = Ability::new(placement, host.placement, |refusal| Obstacle {
        cause: answer(refusal),
        way_out: "a sandbox that permits sched_setaffinity",
        instead: "a stop costs what it costs on two processors (below)",
    });
    let rewind = "return programs to an earlier point (shunpike rewind)";
    let rewind_calls = host.rewind_calls.map_err(|(_, refusal)| refusal);
    let rewind = Ability::new(rewind, host.written_pages.and(rewind_calls), |refusal| Obstacle {
        cause: match (host.written_pages, host.rewind_calls) {
            (Ok(()), Err((what, _))) => format!("{what} ({})", answer(refusal)),
            _ => format!("nobody tells which pages they have written ({})", answer(refusal)),
        },
        way_out: "Linux 6.7 or newer, and a sandbox that permits userfaultfd, kcmp, pidfd_getfd and \
                  process_vm_writev",
        instead: "start the program anew for each run",
    });
    let (rights, memory) = (set_user_id(host), memory(host));
    vec![trace, attach, info, filter, agent, attached, rights, memory, placement, rewind]
}

/// What the kernel answered, in the words of `strerror(3)`, or how the attempt ended.
fn answer(refusal: Refusal) -> String {
    match refusal {
        Refusal::Errno(errno) => errors::answer(&io::Error::from_raw_os_error(errno)),
        Refusal::Signal(signal) => match table::signal::name(signal as u32) {
            // The probes' own limit.
            Some("SIGALRM") => "the attempt hung".to_owned(),
            Some(name) => format!("{name} ended the attempt"),
            None => refusal.to_string(),
        },
    }
}

/// Why ptrace is refused, and the way out.
fn ptrace_obstacle(host: &Host, refusal: Refusal) -> (String, &'static str) {
    if let Some(tracer) = host.tracer {
        return (
            format!("thread {tracer} traces this process, and so all that it starts"),
            "run shunpike outside of that tracer, or let that one not follow forks (no -f)",
        );
    }
    match host.yama_scope {
        Some(3) => (
            "Yama's ptrace_scope is 3: nobody may trace anything until the next boot".to_owned(),
            "boot with another value of kernel.yama.ptrace_scope (see /etc/sysctl.d)",
        ),
        Some(2) => (
            "Yama's ptrace_scope is 2: only with CAP_SYS_PTRACE".to_owned(),
            "run shunpike as root, or as root: sysctl kernel.yama.ptrace_scope=1",
        ),
        _ if host.filtered => (
            format!("a seccomp filter of a sandbox or container forbids it ({})", answer(refusal)),
            "docker, podman: --cap-add=SYS_PTRACE; Kubernetes: capabilities.add [SYS_PTRACE]",
        ),
        _ => (
            format!("the kernel or a security module forbids it ({})", answer(refusal)),
            "SELinux: setsebool deny_ptrace off; AppArmor: a profile that permits ptrace",
        ),
    }
}

/// Why attaching is refused, and the way out.
fn attach_obstacle(host: &Host, refusal: Refusal) -> (String, &'static str) {
    if host.yama_scope == Some(1) {
        return (
            "Yama's ptrace_scope is 1: only to descendants".to_owned(),
            "run shunpike as root, or as root: sysctl kernel.yama.ptrace_scope=0",
        );
    }
    ptrace_obstacle(host, refusal)
}

fn filter_obstacle(host: &Host, refusal: Refusal) -> Obstacle {
    let cause = match host.filter_no_new_privs {
        Ok(()) => format!("a filter works, but tells no tracer ({})", answer(refusal)),
        Err(refusal) => format!("no filter can be installed ({})", answer(refusal)),
    };
    Obstacle {
        cause,
        way_out: "a kernel with CONFIG_SECCOMP_FILTER, and a sandbox that permits seccomp(2)",
        instead: "ptrace: every call stops twice, asked for or not",
    }
}

/// Whether guests keep what set-user-ID bits give them.
fn set_user_id(host: &Host) -> Ability {
    let what = "give filtered guests the rights of set-user-ID programs";
    let instead = "sudo, ping and the like run in the guest without gaining rights";
    let obstacle = if host.no_new_privs {
        Some(Obstacle {
            cause: "NO_NEW_PRIVS is set already, by a container or a service manager".to_owned(),
            way_out: "docker: no --security-opt no-new-privileges; systemd: NoNewPrivileges=no",
            instead,
        })
    } else {
        host.filter.err().map(|refusal| Obstacle {
            cause: match host.filter_no_new_privs {
                Ok(()) => "without CAP_SYS_ADMIN a filter needs NO_NEW_PRIVS".to_owned(),
                Err(_) => format!("no filter can be installed ({})", answer(refusal)),
            },
            way_out: "trace as root: with --mechanism=ptrace also the programs of -u USER",
            instead,
        })
    };
    Ability { what, obstacle, note: None }
}

/// The cheapest way to a guest's memory that works.
fn memory(host: &Host) -> Ability {
    let what = "read the memory of guests";
    let [(wanted, first), others @ ..] = host.memory;
    let Err(refusal) = first else { return Ability { what, obstacle: None, note: None } };
    match others.iter().find(|(_, answer)| answer.is_ok()) {
        Some((method, _)) => {
            let (wanted, used) = (wanted.name(), method.name());
            let note = format!("by {used}, as {wanted} is not permitted ({})", answer(refusal));
            Ability { what, obstacle: None, note: Some(note) }
        }
        None => Ability::new(what, Err(refusal), |refusal| Obstacle {
            cause: answer(refusal),
            way_out: "a sandbox that permits process_vm_readv, or a mounted /proc",
            instead: "strings and structures are shown as addresses",
        }),
    }
}
