//! Modules decide the same under each mechanism: changed paths, answers, ends of calls, failures.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use contract::{
    About, Answer, Arch, Argument, CallSet, Capture, Condition, Event, Failure, Guest, GuestAddr,
    Module, Narrowing, Reply, Rule, Tid, Verdict, Write,
};
use engine::{GuestEnd, Mechanism, ModuleFailure, Observer, Options, Session};
use kernel::probe;
use kernel::spawn::{Program, Role};
use table::arch::{i386, x86_64};

/// What a module does when it is asked.
type Decide = fn(&mut dyn Guest, &Capture) -> Result<Verdict, Failure>;
type Behind = fn(&mut dyn Guest, &Capture) -> Result<Option<Answer>, Failure>;

/// A module of two functions, and the threads it has heard of.
struct By(CallSet, Decide, Behind, Heard);

/// Births, execs and ends.
type Heard = Rc<RefCell<Vec<(&'static str, Tid)>>>;

impl std::fmt::Debug for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("By")
    }
}

impl Module for By {
    fn name(&self) -> &'static str {
        "by"
    }

    fn claims(&self) -> CallSet {
        self.0
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        self.1(guest, call)
    }

    fn behind(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        self.2(guest, call)
    }

    fn born(&mut self, birth: &contract::Birth) {
        self.3.borrow_mut().push(("born", birth.child));
    }

    fn executed(&mut self, _from: Tid, to: Tid) {
        self.3.borrow_mut().push(("executed", to));
    }

    fn ended(&mut self, tid: Tid) {
        self.3.borrow_mut().push(("ended", tid));
    }
}

/// What modules could not decide.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Observer for Complaints {
    fn event(&mut self, _event: &Event<'_>) {}

    fn module_failed(&mut self, failure: &ModuleFailure<'_>) {
        self.0.push(failure.cause.to_owned());
    }
}

fn calls(ids: &[table::Id]) -> CallSet {
    let mut calls = CallSet::NONE;
    ids.iter().for_each(|id| calls.insert(id.number.into()));
    calls
}

/// An agent that never comes, since the program makes fewer calls.
const NEVER: u32 = 1 << 20;

/// Runs a script of the shell under each mechanism: what it prints, and what its modules could not do.
fn run(script: &str, modules: &dyn Fn() -> Vec<Box<dyn Module>>) -> Vec<(String, Vec<String>)> {
    let mut mechanisms = vec![(Mechanism::Ptrace, 0), (Mechanism::Sysemu, 0)];
    if probe::filter_trace().is_ok() {
        let agents = [(Mechanism::Agent, 0), (Mechanism::Agent, NEVER)];
        mechanisms.extend([(Mechanism::Seccomp, 0)].into_iter().chain(agents));
    }
    let mut all = Vec::new();
    for (mechanism, agent_after) in mechanisms {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let out = format!("/proc/{}/fd/{}", std::process::id(), fd(&writer));
        let args = ["sh", "-c", &format!("exec >{out} 2>&1; {script}")];
        let args = args.map(|arg| arg.as_bytes().to_vec()).to_vec();
        let program = Program::new(b"/bin/sh".to_vec(), args, vec![b"LC_ALL=C".to_vec()]).unwrap();
        let options = Options {
            mechanism,
            agent_after,
            calls: CallSet::NONE,
            follow: true,
            ..Options::default()
        };
        let mut session = Session::new(options, modules());
        session.launch(program, Role::Child).unwrap();
        let mut complaints = Complaints::default();
        let end = session.run(&mut complaints).unwrap();
        assert_eq!(end.guest, Some(GuestEnd::Exited(0)), "{mechanism:?}");
        drop(writer);
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        all.push((printed, complaints.0));
    }
    all
}

fn fd(writer: &std::io::PipeWriter) -> i32 {
    use std::os::fd::AsRawFd;
    writer.as_raw_fd()
}

/// What all mechanisms print.
fn same(all: Vec<(String, Vec<String>)>) -> (String, Vec<String>) {
    let first = all[0].clone();
    for other in &all {
        assert_eq!(*other, first);
    }
    first
}

/// Sends a path that begins so to one that begins otherwise.
fn moved(call: &Capture, from: &str, to: &str) -> Verdict {
    let path = call.string(GuestAddr(call.args[1])).unwrap_or_default();
    match path.strip_prefix(from.as_bytes()) {
        Some(rest) => Verdict::with(vec![Argument::path(1, [to.as_bytes(), rest].concat())]),
        None => Verdict::pass(),
    }
}

fn nothing(_: &mut dyn Guest, _: &Capture) -> Result<Option<Answer>, Failure> {
    Ok(None)
}

#[test]
fn paths_change_layer_by_layer() {
    let modules = || {
        let claims = calls(&[x86_64::OPENAT]);
        let first: Decide = |_, call| Ok(moved(call, "/upper/", "/lower/"));
        let second: Decide = |guest, call| {
            // What was changed is read as if it were the guest's.
            let read = guest.read_string(GuestAddr(call.args[1]), 4096)?;
            assert_eq!(Some(&read[..]), call.string(GuestAddr(call.args[1])));
            Ok(moved(call, "/lower/", "/proc/"))
        };
        [first, second]
            .map(|decide| {
                Box::new(By(claims, decide, nothing, Heard::default())) as Box<dyn Module>
            })
            .into()
    };
    let script = "cat /upper/self/comm; (cat /lower/self/comm /upper/none 2>&1 | cat); true; \
                  read x </upper/self/comm; echo $x";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!(printed, "cat\ncat\ncat: /upper/none: No such file or directory\nsh\n");
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn the_end_of_a_call_is_changed_from_below_to_above() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::pass().and_behind());
        let add: [Behind; 2] =
            [|guest, call| named(guest, call, b"a"), |guest, call| named(guest, call, b"b")];
        let module = |behind| By(calls(&[x86_64::UNAME]), decide, behind, Heard::default());
        add.map(|behind| Box::new(module(behind)) as Box<dyn Module>).into()
    };
    let (printed, _) = same(run("uname -s", &modules));
    assert_eq!(printed, "Linuxba\n");
}

/// Puts this behind the system's name.
fn named(guest: &mut dyn Guest, call: &Capture, more: &[u8]) -> Result<Option<Answer>, Failure> {
    let name = guest.read_string(GuestAddr(call.args[0]), 65)?;
    let at = GuestAddr(call.args[0] + name.len() as u64);
    let writes = vec![Write { at, bytes: [more, &[0]].concat() }];
    Ok(Some(Answer { result: Reply::Value(0), writes }))
}

#[test]
fn many_pieces_are_read_in_one_crossing() {
    /// Sixteen pages of the guest's, of which the first bytes are read.
    fn pieces(guest: &dyn Guest) -> Vec<(GuestAddr, usize)> {
        let all = kernel::proc::mappings::mappings(guest.process().0).expect("its mappings");
        let readable = all.iter().filter(|mapping| mapping.readable && !mapping.name.is_empty());
        let pages = readable.flat_map(|mapping| mapping.range.clone().step_by(4096));
        pages.take(16).map(|at| (GuestAddr(at), 8)).collect()
    }
    let modules = || {
        let decide: Decide = |guest, call| {
            if call.string(GuestAddr(call.args[0])) != Some(b"/pieces") {
                return Ok(Verdict::pass());
            }
            let pieces = pieces(guest);
            let crossings = || kernel::toll::snapshot().of(kernel::toll::Kind::MemoryRead);
            guest.prepare(&pieces)?;
            let before = crossings();
            let mut read = [0; 8];
            pieces.iter().try_for_each(|(at, _)| guest.read(*at, &mut read))?;
            // Other tests of this process read too, so it is only said.
            println!("{} pages: {} crossings more", pieces.len(), crossings() - before);
            Ok(Verdict::error(2))
        };
        vec![Box::new(By(calls(&[x86_64::CHDIR]), decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("cd /pieces; echo alive", &modules));
    assert!(printed.ends_with("alive\n"), "{printed}");
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn a_file_of_the_supervisors_is_handed_out() {
    let files = Rc::new(RefCell::new(Vec::new()));
    let modules = || {
        let mut file = kernel::memory_file::create(c"handed").unwrap();
        file.write_all(b"one\ntwo\n").unwrap();
        files.borrow_mut().push(file.try_clone().unwrap());
        // One below sees no call that was answered so.
        let below: Decide = |_, call| match call.string(GuestAddr(call.args[1])) {
            Some(path) if path.starts_with(b"/handed") => panic!("it is asked"),
            _ => Ok(Verdict::pass()),
        };
        let below = By(calls(&[x86_64::OPENAT]), below, nothing, Heard::default());
        let socket = UnixDatagram::unbound().unwrap();
        let socket = Rc::new(File::from(OwnedFd::from(socket)));
        let hands = Hands { file: Rc::new(file), socket };
        vec![Box::new(hands) as Box<dyn Module>, Box::new(below) as _]
    };
    // Each opening has an offset of its own, programs and forks have what was opened before, and names and
    // modes of the guest's call do not count. Any call can give a descriptor.
    let script = "cat /handed /handed; exec 7<>/handed; read x <&7; echo $x; (read x <&7; echo $x); \
                  cat <&7; set -C; echo three >>/handed; sed -n 3p /handed; cd /; echo $PWD </handed; \
                  cat /handed-socket; umask";
    let (printed, complaints) = same(run(script, &modules));
    let refused = "cat: /handed-socket: No such device or address\n";
    let expected = format!("one\ntwo\none\ntwo\none\ntwo\nthree\n/\n{refused}0003\n");
    assert_eq!((printed, complaints), (expected, Vec::new()));
    for mut file in files.take() {
        let mut written = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut written).unwrap();
        assert_eq!(written, "one\ntwo\nthree\n");
    }
}

/// A module that hands out files.
#[derive(Debug)]
struct Hands {
    file: Rc<File>,
    socket: Rc<File>,
}

impl Module for Hands {
    fn name(&self) -> &'static str {
        "hands"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::OPENAT, x86_64::UMASK])
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        if call.number == u64::from(x86_64::UMASK.number) {
            return Ok(Verdict::hand(Rc::clone(&self.file), 0));
        }
        let file = match call.string(GuestAddr(call.args[1])) {
            Some(b"/handed") => &self.file,
            Some(b"/handed-socket") => &self.socket,
            _ => return Ok(Verdict::pass()),
        };
        Ok(Verdict::hand(Rc::clone(file), call.args[2] as u32).and_behind())
    }

    fn behind(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        let outcome = call.outcome.expect("it is over");
        assert!(call.number == u64::from(x86_64::OPENAT.number) && outcome.value != 0);
        Ok(None)
    }
}

/// A module that hands out its ends of sockets, on which something waits: for a file, and for a connection to
/// an Internet address.
#[derive(Debug)]
struct Sockets;

impl Sockets {
    /// The end of a socket of which the other has said this, and is closed.
    fn saying(text: &str) -> Rc<OwnedFd> {
        let (mut ours, guests) = UnixStream::pair().expect("a pair of sockets");
        ours.write_all(text.as_bytes()).expect("there is room");
        Rc::new(guests.into())
    }
}

impl Module for Sockets {
    fn name(&self) -> &'static str {
        "sockets"
    }

    fn claims(&self) -> CallSet {
        let mut claims = calls(&[x86_64::OPENAT, x86_64::CONNECT, x86_64::DUP2]);
        for id in [i386::OPEN, i386::OPENAT, i386::CONNECT] {
            claims.insert_of(Arch::I386, id.number.into());
        }
        claims
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        vec![Narrowing { calls: calls(&[x86_64::CONNECT]), about: vec![About::Family(2)] }]
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let path = |index: usize| call.string(GuestAddr(call.args[index])) == Some(b"/socket");
        let opened =
            |flags: u64| Verdict::share(Sockets::saying("opened\n"), flags as u32).and_behind();
        Ok(match call.arch.call(call.number).expect("it is known").name {
            "connect" => Verdict::replace(call.args[0] as i32, Sockets::saying("connected\n")),
            "dup2" if call.args[0] == 77 => Verdict::replace(99, Sockets::saying("nobody\n")),
            "openat" if path(1) => opened(call.args[2]),
            "open" if path(0) => opened(call.args[1]),
            _ => Verdict::pass(),
        })
    }

    fn behind(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        let outcome = call.outcome.expect("it is over");
        assert!(!outcome.failed, "{outcome:?}");
        Ok(None)
    }
}

#[test]
fn a_socket_of_the_supervisors_is_passed_on() {
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    // It is a socket, under the lowest number; nothing else is left open, and no signal blocked.
    let script = "open() { ls /proc/$$/fd; grep SigBlk /proc/$$/status; }; before=$(open); \
                  cat /socket; exec 7</socket; cat <&7; read x </socket; echo $x; \
                  readlink /proc/$$/fd/7 | cut -c1-7; exec 7<&-; (exec 7<&77) 2>/dev/null || echo none; \
                  [ \"$before\" = \"$(open)\" ] && echo same; \
                  sh -c 'exec </socket; ls -l /proc/$$/fd' | grep -c socket:";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(printed, "opened\nopened\nopened\nsocket:\nnone\nsame\n1\n");
}

#[test]
fn a_descriptor_of_the_guests_becomes_another() {
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    // Nobody listens there, and nobody is asked.
    let script = "exec bash -c 'open() { ls /proc/$$/fd; }; before=$(open); \
                  exec 5<>/dev/tcp/127.0.0.1/1; cat <&5; readlink /proc/$$/fd/5 | cut -c1-7; exec 5>&-; \
                  [ \"$before\" = \"$(open)\" ] && echo same'";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed.as_str(), complaints), ("connected\nsocket:\nsame\n", Vec::new()));
}

/// A 32-bit program that opens the socket by two calls, and connects one; with no library.
const NARROW: &str = r#"
static int call(int number, int a, int b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}
static void say(int fd) {
    char text[16], number = '0' + fd;
    call(4, 1, (int)text, call(3, fd, (int)text, 16));
    call(4, 1, (int)&number, 1);
    number = '0' + call(221, fd, 1, 0); /* whether it is closed on exec */
    call(4, 1, (int)&number, 1);
}
void _start(void) {
    static short address[8] = { 2 };
    say(call(5, (int)"/socket", 0, 0));
    say(call(295, -100, (int)"/socket", 02000000));
    int fd = call(359, 2, 1, 0);
    if (call(362, fd, (int)address, 16) == 0)
        say(fd);
    call(252, 0, 0, 0);
}"#;

/// Builds it; why that is not possible.
fn narrow_program() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("narrow.c"), folder.join("narrow"));
    std::fs::write(&source, NARROW).map_err(|error| error.to_string())?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-m32", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-fno-stack-protector"]);
    compiler.args(["-w", "-O1", "-o"]).arg(&program).arg(&source);
    let built = compiler.output().map_err(|error| format!("gcc: {error}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    Command::new(&program)
        .output()
        .map_err(|error| format!("the kernel has no 32-bit ABI: {error}"))?;
    Ok(program)
}

#[test]
fn sockets_are_passed_to_32_bit_programs() {
    let program = match narrow_program() {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let modules = || vec![Box::new(Sockets) as Box<dyn Module>];
    let (printed, complaints) = same(run(&program.display().to_string(), &modules));
    assert_eq!(printed, "opened\n30opened\n41connected\n50");
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn a_module_that_fails_or_panics_gives_an_error() {
    let modules = || {
        let decide: Decide = |_, call| match call.string(GuestAddr(call.args[1])) {
            Some(b"/panic") => panic!("on purpose"),
            Some(b"/fail") => Err("it would not".into()),
            _ => Ok(Verdict::pass()),
        };
        vec![Box::new(By(calls(&[x86_64::OPENAT]), decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("cat /fail /panic; echo alive", &modules));
    assert_eq!(printed, "cat: /fail: Input/output error\ncat: /panic: Input/output error\nalive\n");
    assert_eq!(complaints, ["it would not", "it panicked: on purpose"]);
}

#[test]
fn births_execs_and_ends_are_told() {
    let heard = Heard::default();
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::pass());
        vec![Box::new(By(CallSet::NONE, decide, nothing, Rc::clone(&heard))) as _]
    };
    for _ in run("(:); env true; :", &modules) {}
    let told = heard.borrow();
    let count = |what| told.iter().filter(|(known, _)| *known == what).count();
    assert!(count("born") > 0 && count("executed") > count("ended") - count("born"), "{told:?}");
    for (_, child) in told.iter().filter(|(what, _)| *what == "born") {
        assert!(told.contains(&("ended", *child)), "{told:?}");
    }
}

#[test]
fn a_module_that_panics_when_it_is_told_gives_an_error_to_the_next_call() {
    for what in ["born", "executed", "ended"] {
        let modules = || vec![Box::new(Clumsy(what)) as _];
        for (printed, complaints) in run("(cd /; env true); cd /; echo alive", &modules) {
            assert!(printed.ends_with("alive\n"), "{what}: {printed}");
            let refused = printed.lines().filter(|line| line.contains("cd")).count();
            assert!(refused > 0 && refused == complaints.len(), "{what}: {printed} {complaints:?}");
            let said = |complaint: &String| complaint.contains(", it panicked: ");
            assert!(complaints.iter().all(said), "{complaints:?}");
        }
    }
}

/// A module that panics when it is told this, and lets every `chdir(2)` be made.
#[derive(Debug)]
struct Clumsy(&'static str);

impl Module for Clumsy {
    fn name(&self) -> &'static str {
        "clumsy"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::CHDIR])
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, _: &Capture) -> Result<Verdict, Failure> {
        Ok(Verdict::pass())
    }

    fn born(&mut self, _birth: &contract::Birth) {
        self.told("born");
    }

    fn executed(&mut self, _from: Tid, _to: Tid) {
        self.told("executed");
    }

    fn ended(&mut self, _tid: Tid) {
        self.told("ended");
    }
}

impl Clumsy {
    fn told(&self, what: &str) {
        assert_ne!(what, self.0, "{what}");
    }
}

/// A module that is never asked.
#[derive(Debug)]
struct Rules(Vec<Rule>);

impl Module for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn claims(&self) -> CallSet {
        CallSet::NONE
    }

    fn rules(&self) -> Vec<Rule> {
        self.0.clone()
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, _: &Capture) -> Result<Verdict, Failure> {
        panic!("it is asked")
    }
}

#[test]
fn rules_answer_wherever_they_are_evaluated() {
    let modules = || {
        let kill = Condition { argument: 1, mask: 0xff, value: 10 };
        let rules = vec![
            // A value, an error, a condition; and what a later rule says counts no more.
            Rule::always(calls(&[x86_64::UMASK]), Reply::Value(0o27)),
            Rule::always(calls(&[x86_64::CHDIR]), Reply::Error(13)),
            Rule { calls: calls(&[x86_64::KILL]), when: vec![kill], reply: Reply::Value(0) },
            Rule::always(calls(&[x86_64::CHDIR, x86_64::UMASK]), Reply::Error(5)),
        ];
        vec![Box::new(Rules(rules)) as _]
    };
    let script = "umask; umask; umask; cd /nowhere; kill -10 $$ && kill -0 $$ && echo alive";
    let (printed, complaints) = same(run(script, &modules));
    assert!(printed.starts_with("0027\n0027\n0027\n"), "{printed}");
    assert!(printed.ends_with("alive\n") && printed.contains("cd"), "{printed}");
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// A module that is asked about one directory, in which all is one file, and about one descriptor, to which
/// nothing is written.
#[derive(Debug)]
struct Narrow;

impl Module for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::OPENAT, x86_64::WRITE, x86_64::UMASK])
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        let about = |id, about| Narrowing { calls: calls(&[id]), about: vec![about] };
        vec![
            about(x86_64::OPENAT, About::Path(b"/claimed".to_vec())),
            about(x86_64::WRITE, About::Descriptor(2)),
        ]
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let is = |id: table::Id| call.number == u64::from(id.number);
        Ok(if is(x86_64::UMASK) {
            Verdict::answer(Answer::of(Reply::Value(0o77)))
        } else if is(x86_64::OPENAT) {
            Verdict::with(vec![Argument::path(1, "/proc/self/comm")])
        } else {
            Verdict::error(13)
        })
    }
}

#[test]
fn a_module_is_asked_about_certain_things_only() {
    let modules = || vec![Box::new(Narrow) as Box<dyn Module>];
    let script = "echo one; cat /claimed /claimed/f; cat /claimed-not || echo none; umask";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed.as_str(), complaints), ("one\ncat\ncat\nnone\n0077\n", Vec::new()));
}

#[test]
fn calls_about_other_descriptors_do_not_stop() {
    if probe::filter_trace().is_err() {
        return;
    }
    let script = "exec >/dev/null; i=0; while [ $i -lt 1000 ]; do echo; i=$((i+1)); done; exit 0";
    let args = ["sh", "-c", script].map(|arg| arg.as_bytes().to_vec()).to_vec();
    let program = Program::new(b"/bin/sh".to_vec(), args, Vec::new()).unwrap();
    let (mechanism, calls) = (Mechanism::Seccomp, CallSet::NONE);
    let options = Options { mechanism, calls, follow: true, ..Options::default() };
    let mut session = Session::new(options, vec![Box::new(Narrow)]);
    session.launch(program, Role::Child).unwrap();
    let end = session.run(&mut Complaints::default()).unwrap();
    assert_eq!(end.guest, Some(GuestEnd::Exited(0)));
    assert!(end.toll.calls_seen < 100, "{:?}", end.toll);
}

#[test]
fn a_guest_does_not_see_where_it_runs_while_its_calls_are_answered() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::answer(Answer::of(Reply::Value(0))));
        vec![Box::new(By(calls(&[x86_64::KILL]), decide, nothing, Heard::default())) as _]
    };
    let script = "own() { while read -r name value; do case $name in Cpus_allowed:) echo $value;; \
                  esac; done < /proc/self/status; }; \
                  for round in 1 2 3; do i=0; while [ $i -lt 2000 ]; do kill -0 1; i=$((i+1)); done; \
                  own; (own); done";
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap().trim();
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed, complaints), (format!("{mask}\n").repeat(6), Vec::new()));
}

#[test]
fn several_descriptors_are_not_handed_out_at_once() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::share(Sockets::saying("nothing"), 0));
        let claims = calls(&[x86_64::PIPE, x86_64::PIPE2]);
        vec![Box::new(By(claims, decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("(echo a | cat) 2>/dev/null || echo none", &modules));
    assert_eq!(printed, "none\n");
    assert!(complaints[0].contains("writes its descriptors to memory"), "{complaints:?}");
}
