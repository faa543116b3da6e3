//! A guest that shares the supervisor's processor gets its own back whatever happens.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is waited for comes at once; a test that hangs must end.
const LIMIT: Duration = Duration::from_secs(60);

/// A traced program, and its tracer. Both end with the test.
struct Traced {
    tracer: Child,
    guest: u32,
}

impl Traced {
    fn start(name: &str, command: &[&str]) -> Traced {
        Traced::under(&["trace", "-o", "/dev/null", "--mechanism=ptrace"], name, command)
    }

    fn under(options: &[&str], name: &str, command: &[&str]) -> Traced {
        let tracer = Command::new(env!("CARGO_BIN_EXE_shunpike"))
            .args(options)
            .args(command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tracer starts");
        let parent = tracer.id();
        let guest = until("the guest runs", || child_of(parent, name));
        Traced { tracer, guest }
    }

    /// On how many processors the guest may run.
    fn cpus(&self) -> Option<usize> {
        cpus(format!("/proc/{}/status", self.guest))
    }

    fn kill_tracer(&mut self) {
        self.tracer.kill().expect("it is ours");
        self.tracer.wait().expect("it was killed");
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-9", &self.guest.to_string()]).status();
        let _ = self.tracer.kill();
        let _ = self.tracer.wait();
    }
}

/// The first answer that is not `None`.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < LIMIT, "waited in vain: {what}");
        std::thread::yield_now();
    }
}

fn field(status: &str, name: &str) -> Option<String> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

fn child_of(parent: u32, name: &str) -> Option<u32> {
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        let is_it =
            field(&status, "PPid")? == parent.to_string() && field(&status, "Name")? == name;
        is_it.then_some(pid)
    })
}

fn cpus(status: impl AsRef<Path>) -> Option<usize> {
    let mask = field(&fs::read_to_string(status).ok()?, "Cpus_allowed")?;
    Some(
        mask.chars()
            .filter_map(|digit| digit.to_digit(16))
            .map(|bits| bits.count_ones() as usize)
            .sum(),
    )
}

/// On how many processors a guest may run; `None`, with the reason said, if on one only.
fn many() -> Option<usize> {
    let here = cpus("/proc/self/status").expect("proc(5) says it");
    if here < 2 {
        println!("skipped: there is only one processor here");
    }
    (here > 1).then_some(here)
}

#[test]
fn a_busy_caller_is_bound_and_is_free_again_when_the_tracer_is_killed() {
    let Some(everywhere) = many() else { return };
    let mut traced = Traced::start("dd", &["dd", "if=/dev/zero", "of=/dev/null", "bs=1"]);
    until("it is bound", || (traced.cpus() == Some(1)).then_some(()));
    traced.kill_tracer();
    until("it is free", || (traced.cpus() == Some(everywhere)).then_some(()));
}

#[test]
fn a_guest_that_computes_is_let_go() {
    let Some(everywhere) = many() else { return };
    // More calls than there is room for in any binding; then none.
    let script = "i=0; while [ $i -lt 3000 ]; do kill -0 $$; i=$((i+1)); done; while :; do :; done";
    let traced = Traced::start("sh", &["sh", "-c", script]);
    let computes = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", traced.guest)).ok()?;
        // The fields behind the name: state first, user time twelfth.
        let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
        (fields[11].parse::<u64>().ok()? > 30 && traced.cpus() == Some(everywhere)).then_some(())
    };
    until("it computes where it likes", computes);
}

#[test]
fn a_caller_whose_calls_are_answered_under_a_filter_is_bound_and_let_go() {
    let Some(everywhere) = many() else { return };
    if let Err(reason) = kernel::probe::filter_trace() {
        return println!("skipped: {reason}");
    }
    let script = "trap 'while :; do :; done' USR1; while :; do kill -0 $$; done";
    // The kernel could answer with 0 by itself.
    let options = ["run", "--mechanism=seccomp", "--answer=kill=1"];
    let traced = Traced::under(&options, "sh", &["sh", "-c", script]);
    until("it is bound", || (traced.cpus() == Some(1)).then_some(()));
    let sent = Command::new("kill").args(["-USR1", &traced.guest.to_string()]).status();
    assert!(sent.expect("kill runs").success());
    until("it computes where it likes", || (traced.cpus() == Some(everywhere)).then_some(()));
}

/// Under `run`, by a filter, with a module that is asked about all paths; `None`, with the reason said,
/// where that cannot be.
fn in_another_world() -> Option<[&'static str; 2]> {
    if let Err(reason) = kernel::probe::filter_trace() {
        println!("skipped: {reason}");
        return None;
    }
    Some(["run", "--unreal"])
}

#[test]
fn guests_that_run_in_turn_are_bound_together_and_let_go() {
    let Some(everywhere) = many() else { return };
    let Some(options) = in_another_world() else { return };
    let script = "trap 'sleep 60 & while :; do :; done' USR1
        exec 9</dev/null; while :; do /bin/true; done";
    let traced = Traced::under(&options, "sh", &["sh", "-c", script]);
    let ready = format!("/proc/{}/fd/9", traced.guest);
    until("it takes the signal", || Path::new(&ready).exists().then_some(()));
    until("it is bound", || (traced.cpus() == Some(1)).then_some(()));
    let sent = Command::new("kill").args(["-USR1", &traced.guest.to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let sleeper = until("it has a child that stays", || child_of(traced.guest, "sleep"));
    until("it computes where it likes", || (traced.cpus() == Some(everywhere)).then_some(()));
    let status = format!("/proc/{sleeper}/status");
    until("its child is as free", || (cpus(&status) == Some(everywhere)).then_some(()));
}

#[test]
fn guests_that_are_bound_together_learn_nothing_of_it() {
    let Some(everywhere) = many() else { return };
    let Some(options) = in_another_world() else { return };
    // Between two questions enough programs for a binding; the last ones are asked by a shell with an
    // agent.
    let script = "programs() { for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; }
        ask() { nproc; programs; grep -h Cpus_allowed: /proc/self/status $0/proc/self/status; programs; }
        for i in 1 2 3 4 5 6 7 8 9; do programs; ask; done
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do test -e /$i; done
        for i in 1 2 3 4 5 6 7 8 9; do programs; ask; done
        exec 2>&1; programs; read name rest < /proc/self/status; echo $name
        while read -r line; do case $line in Cpus_allowed:*) echo $line;; esac; done < /proc/self/status";
    let run = |words: &[&str], world| {
        let guest = ["sh", "-c", script, world];
        let run = Command::new(words[0]).args(&words[1..]).args(guest).output();
        let run = run.expect("it runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).expect("ASCII")
    };
    let native = run(&["env"], "");
    let shown = run(&[env!("CARGO_BIN_EXE_shunpike"), options[0], options[1], "--"], "/unreal");
    assert!(shown.starts_with(&format!("{everywhere}\n")), "{shown}");
    assert_eq!(shown.matches("Cpus_allowed:").count(), 37, "{shown}");
    assert_eq!(shown, native);
}

#[test]
fn nobody_is_bound_where_that_is_not_wanted() {
    let Some(everywhere) = many() else { return };
    let command = ["--placement=free", "dd", "if=/dev/zero", "of=/dev/null", "bs=1"];
    let traced = Traced::start("dd", &command);
    let read = format!("/proc/{}/io", traced.guest);
    until("it has made many calls", || {
        assert_eq!(traced.cpus(), Some(everywhere));
        let calls: u64 = field(&fs::read_to_string(&read).ok()?, "syscr")?.parse().ok()?;
        (calls > 5000).then_some(())
    });
}
