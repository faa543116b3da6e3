//! Makes runs comparable: what differs from run to run becomes a word.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex_lite::{Captures, Regex};

use super::trace::{Trace, call_name};

/// A guest's own marks around what differs from run to run, `<?123?>`, taken away.
pub fn without_marks(text: &str) -> String {
    text.replace("<?", "").replace("?>", "")
}

/// A guest's output as far as it must be the same in every run: without what it marked, without
/// addresses (a static program's heap may begin below 16 MiB) and without the lines that count calls.
pub fn guest_output(text: &str) -> String {
    static MARKED: OnceLock<Regex> = OnceLock::new();
    let marked = MARKED.get_or_init(|| Regex::new(r"<\?.*?\?>|0x[0-9a-f]{6,}").expect("constant"));
    let counted = |line: &&str| !line.starts_with("count ");
    let lines = text.lines().filter(counted);
    lines.map(|line| marked.replace_all(line, "<varies>") + "\n").collect()
}

const CPU_TIME: &str = r"si_([us])time=\d+(?: /\* [\d.]+ s \*/)?";

/// The processor time in a SIGCHLD's line depends on when the clock ticks.
pub fn without_cpu_time(line: &str) -> String {
    static TICKS: OnceLock<Regex> = OnceLock::new();
    let ticks = TICKS.get_or_init(|| Regex::new(CPU_TIME).expect("constant"));
    ticks.replace_all(line, "si_${1}time=TICKS").into_owned()
}

/// What becomes a word in any trace, besides pids: a pattern, and what it is replaced by.
const RULES: &[(&str, &str)] = &[
    // Of the guest's address space. Small constants stay.
    (r"0x[0-9a-f]{6,16}", "ADDRESS"),
    (r#"^getrandom\(".*?"(\.\.\.)?,"#, "getrandom(RANDOM,"),
    (r"tv_(sec|nsec|usec)=\d+", "tv_$1=TIME"),
    (r"(st|stx)_([amcb])time=\S+", "$1_$2=TIME"),
    (CPU_TIME, "si_${1}time=TICKS"),
    (r"/\* \d{4}-\d\d-\d\dT[\d:.+]+ \*/", "/* DATE */"),
    (r"^(times|time)\((.*)\) = \d+.*", "$1($2) = TIME"),
    // What a guest prints may be longer or shorter, by the numbers in it.
    (r#"^write\(1, "(.*)".*, \d+\) = \d+"#, "write(1, \"$1\", ...)"),
    (r"^(getcpu\(\[)\d+", "${1}CPU"),
    (r"f_(bfree|bavail|ffree)=\d+", "f_$1=FREE"),
    // The tracer's own, and the terminal's.
    (r"^(getppid|getpgrp|getpgid|getsid)\((.*)\) = \d+", "$1($2) = ID"),
    // Lines of /proc/PID/maps.
    (r#""[0-9a-f]{8,16}-[0-9a-f]{8,16} "#, "\"ADDRESS-ADDRESS "),
    (r"/(cc|sed|go-build|tmp_obj_)[A-Za-z0-9]{6,10}", "/${1}TEMPORARY"),
    (r"htons\([3-6]\d{4}\)", "htons(PORT)"),
    // What a program leaves in an event, or in the register that a signal frame restores, may be
    // an address in decimal.
    (r"\b(u32|u64)=\d{6,}", "$1=POINTER"),
    (r"^rt_sigreturn\((.*)\) = .*", "rt_sigreturn($1) = REGISTER"),
    (r"si_overrun=\d+", "si_overrun=COUNT"),
    // A program numbers its messages from the time on; the kernel gives sockets names.
    (r"nlmsg_seq=\d+", "nlmsg_seq=NUMBER"),
    (r"nl(msg)?_pid=-?\d{4,}", "nl${1}_pid=PORT"),
    // Ids that are not decimal.
    (r"^set_tid_address\((.*)\) = 0x.*", "set_tid_address($1) = ID"),
    // Of System V IPC.
    (r"^(semop|semtimedop|semctl|msgsnd|msgrcv|msgctl|shmat|shmctl)\(\d+,", "$1(ID,"),
    (r"^(semget|msgget|shmget|semctl|msgctl|shmctl)\((.*)\) = \d+", "$1($2) = ID"),
    (r"\b(sem|msg|shm)_(\w)time=\d+", "$1_$2time=TIME"),
    (r"<(socket|pipe):\[\d+\]>", "<$1:[INODE]>"),
    (r"<(UNIX|UNIX-STREAM):\[\d+(->)?\d*", "<$1:[INODE$2"),
    (r"^sysinfo\(\{.*\}\)", "sysinfo({...})"),
    // How long a call took.
    (r" <\d+\.\d{6}>( by| at|$)", " <TIME>$1"),
];

/// What becomes a word too where threads run side by side: which of them gets a descriptor first, and
/// what number a thread has, is chance.
const CHANCE_RULES: &[(&str, &str)] = &[
    (r"\bPID\d+", "PID"),
    (r"^(\w+)\(\d+([,)])", "$1(FD$2"),
    (
        r"^(accept4?|dup[23]?|epoll_create1?|eventfd2?|fcntl|open|openat|pidfd_open|socket)\((.*)\) = \d+",
        "$1($2) = FD",
    ),
    (r"^(pipe2?)\(\[\d+, \d+\]", "$1([FD, FD]"),
    (r"^(epoll_ctl\(FD, \w+), \d+", "$1, FD"),
    (r"\bu(32|64)=\d+", "u$1=NUMBER"),
];

/// A line as [`Normaliser::line`] leaves it, without the numbers that chance gives to descriptors and threads.
pub fn without_numbers_of_chance(line: &str) -> String {
    static COMPILED: OnceLock<Rules> = OnceLock::new();
    let rules = COMPILED.get_or_init(|| compiled(CHANCE_RULES));
    rules.iter().fold(line.to_owned(), |line, (pattern, word)| {
        pattern.replace_all(&line, *word).into_owned()
    })
}

/// Patterns, and what each is replaced by.
pub type Rules = Vec<(Regex, &'static str)>;

/// Compiles a table of constant patterns.
pub fn compiled(rules: &[(&str, &'static str)]) -> Rules {
    rules.iter().map(|(pattern, word)| (Regex::new(pattern).expect("constant"), *word)).collect()
}

/// What becomes a word in JSON lines. Byte strings may hold anything, so random ones go as a whole.
const JSON_RULES: &[(&str, &str)] = &[
    (r"<\?.*?\?>", "VARIES"),
    (r"0x[0-9a-f]{6,16}", "ADDRESS"),
    (r#""(\w*time|\w*sec|duration)":\d+"#, r#""$1":TIME"#),
    (r#""(st_ino|d_ino)":\d+"#, r#""$1":INODE"#),
    (r#""started":"[^"]*""#, r#""started":DATE"#),
    // What a guest prints may be longer or shorter, by the numbers in it.
    (r#"("name":"write",.*"fd":1,).*"#, "$1..."),
    (r#"("name":"(getrandom|times|time)").*"#, "$1..."),
    (r"\b\d{9,20}\b", "BIG"),
];

/// A trace in JSON lines without what differs from run to run; ids of threads are numbered in the
/// order in which they appear.
pub fn json_lines(text: &str) -> Vec<String> {
    let rules = compiled(JSON_RULES);
    let thread = Regex::new(r#""tid":(\d+)"#).expect("constant");
    // A constant's number may happen to be the id of a thread.
    let number = Regex::new(r#"\b(\d+)\b(,"flags")?"#).expect("constant");
    let mut tids: Vec<String> = Vec::new();
    for found in thread.captures_iter(text) {
        if !tids.iter().any(|tid| *tid == found[1]) {
            tids.push(found[1].to_owned());
        }
    }
    let normalised = |line: &str| {
        let mut line = line.to_owned();
        for (pattern, word) in &rules {
            line = pattern.replace_all(&line, *word).into_owned();
        }
        let numbered = |found: &Captures| {
            let is_constant = found.get(2).is_some();
            let index = tids.iter().position(|tid| *tid == found[1] && !is_constant);
            index.map_or_else(|| found[0].to_owned(), |index| format!("TID{index}"))
        };
        number.replace_all(&line, numbered).into_owned()
    };
    text.lines().map(normalised).collect()
}

/// The calls whose arguments and result may be ids of tasks. Elsewhere a number that happens to
/// be the id of a task stays.
#[rustfmt::skip]
const CALLS_WITH_PIDS: &[&str] = &[
    "clone", "clone3", "fork", "vfork", "wait4", "waitid", "kill", "tkill", "tgkill", "getpid",
    "gettid", "set_tid_address", "setsid", "setpgid", "getpgid", "getsid", "prlimit64",
    "pidfd_open", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sched_getaffinity",
    "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_setscheduler",
    "getpriority", "setpriority", "process_vm_readv", "process_vm_writev", "futex", "ptrace", "kcmp",
];

/// Replaces what differs between two runs of one program. One for each trace.
pub struct Normaliser {
    rules: Rules,
    number: Regex,
    named_pid: Regex,
    pids: HashMap<u32, usize>,
}

impl Normaliser {
    /// For a trace: its tasks are numbered in their order.
    pub fn new(trace: &Trace) -> Self {
        Self {
            rules: compiled(RULES),
            // Not the unit of a size: 8192*1024.
            number: Regex::new(r"(^|[^\w*])(0x[0-9a-f]+|\d+)\b").expect("constant"),
            named_pid: Regex::new(r#"(pid=|/proc/|\[|[a-z]-|")(\d+)\b"#).expect("constant"),
            pids: trace.tasks.iter().enumerate().map(|(index, task)| (task.pid, index)).collect(),
        }
    }

    /// One line, without what differs from run to run.
    pub fn line(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (pattern, word) in &self.rules {
            line = pattern.replace_all(&line, *word).into_owned();
        }
        let has_pids = call_name(&line).is_some_and(|call| CALLS_WITH_PIDS.contains(&call));
        let pattern = if has_pids { &self.number } else { &self.named_pid };
        let numbered = |found: &Captures| {
            let pid = match found[2].strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => found[2].parse(),
            };
            let pid = pid.ok().and_then(|pid| self.pids.get(&pid));
            pid.map_or_else(|| found[0].to_owned(), |index| format!("{}PID{index}", &found[1]))
        };
        pattern.replace_all(&line, numbered).into_owned()
    }
}
