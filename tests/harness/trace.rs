//! Reads a trace in strace's text format, made with `-f -o FILE`.

use std::collections::HashMap;

/// A trace, split by task; each task's lines are in order, and the halves of calls that others
/// interrupted are joined.
#[derive(Debug, Default)]
pub struct Trace {
    /// The first task, then the others in the order in which they were made: that of their ids,
    /// which start again from below after the highest.
    pub tasks: Vec<Task>,
}

/// The lines of one thread or process.
#[derive(Debug)]
pub struct Task {
    pub pid: u32,
    pub lines: Vec<String>,
    /// The first half of a call whose second half has not come, and the marks of its line.
    unfinished: Option<(String, String)>,
}

/// How strace's text marks the first and the second half of a call.
const UNFINISHED: &str = " <unfinished ...>";
const RESUMED: &str = " resumed>";
/// How the lines of a stack begin.
const STACK: &str = " > ";

impl Trace {
    /// Reads a trace; fails where its halves do not fit together.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut trace = Self::default();
        let mut index = HashMap::new();
        let mut last = None;
        for (number, line) in text.lines().enumerate() {
            if let (true, Some(task)) = (line.starts_with(STACK), last) {
                let task: &mut Task = &mut trace.tasks[task];
                task.lines.push(line.to_owned());
                continue;
            }
            let (pid, event, marks) =
                prefix(line).ok_or_else(|| format!("line {}: no pid: {line}", number + 1))?;
            let task = *index.entry(pid).or_insert_with(|| {
                trace.tasks.push(Task { pid, lines: Vec::new(), unfinished: None });
                trace.tasks.len() - 1
            });
            last = Some(task);
            if let Some(other) = superseding(event).and_then(|pid| index.get(&pid)) {
                trace.tasks[task].unfinished = trace.tasks[*other].unfinished.take();
                trace.tasks[task].lines.push(format!("{event}{marks}"));
            } else {
                trace.tasks[task]
                    .add(event, marks)
                    .map_err(|error| format!("line {}: {error}: {line}", number + 1))?;
            }
        }
        let first = trace.tasks.first().map_or(0, |task| task.pid);
        trace.tasks.sort_by_key(|task| task.pid.wrapping_sub(first));
        Ok(trace)
    }

    /// What strace's text promises of every trace: each task is seen to end, and only its end
    /// leaves a call unfinished (which [`Trace::parse`] has checked).
    pub fn check_whole(&self) -> Result<(), String> {
        let superseding: Vec<u32> = self
            .tasks
            .iter()
            .flat_map(|task| &task.lines)
            .filter_map(|line| superseding(line))
            .collect();
        for task in &self.tasks {
            if superseding.contains(&task.pid) {
                continue;
            }
            let last = task.lines.last().map_or("", String::as_str);
            if !last.starts_with("+++ exited with ") && !last.starts_with("+++ killed by ") {
                return Err(format!("task {} is not seen to end; last line: {last}", task.pid));
            }
        }
        Ok(())
    }

    /// The lines between a guest's markers, of the task that made them.
    pub fn between_markers(&self) -> Result<Vec<&str>, String> {
        let begins = |line: &String| line.starts_with("faccessat(AT_FDCWD, \"/guest/begin\"");
        let ends = |line: &String| line.starts_with("faccessat(AT_FDCWD, \"/guest/end\"");
        for task in &self.tasks {
            if let Some(begin) = task.lines.iter().position(begins) {
                let end = task.lines.iter().position(ends).ok_or("the guest's end is missing")?;
                return Ok(task.lines[begin + 1..end].iter().map(String::as_str).collect());
            }
        }
        Err("the guest's begin is missing".into())
    }

    /// How many calls of this name were made by all tasks, finished or not.
    pub fn count(&self, name: &str) -> usize {
        let lines = self.tasks.iter().flat_map(|task| &task.lines);
        lines.filter(|line| call_name(line) == Some(name)).count()
    }

    /// All lines, each task's together.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().flat_map(|task| task.lines.iter().map(String::as_str))
    }
}

impl Task {
    fn add(&mut self, event: &str, marks: String) -> Result<(), &'static str> {
        if let Some(begin) = event.strip_suffix(UNFINISHED) {
            if self.unfinished.is_some() {
                return Err("a second unfinished call of one task");
            }
            self.unfinished = Some((begin.to_owned(), marks));
        } else if let Some(rest) = event.strip_prefix("<... ") {
            let (begin, marks) =
                self.unfinished.take().ok_or("a call resumes that was not unfinished")?;
            let (name, rest) = rest.split_once(RESUMED).ok_or("no `resumed>`")?;
            // Not `call_name`: strace writes `???` where a task was killed too early to tell.
            if !begin.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')) {
                return Err("another call resumes than the one that was unfinished");
            }
            self.lines.push(without_alignment(&format!("{begin}{rest}")) + &marks);
        } else {
            if let Some((begin, marks)) = self.unfinished.take() {
                if !event.starts_with("+++ ") {
                    return Err("a line comes between the halves of a call");
                }
                self.lines.push(format!("{begin}{UNFINISHED}{marks}"));
            }
            self.lines.push(without_alignment(event) + &marks);
        }
        Ok(())
    }
}

/// Parts a line: the pid, the event, and marks that go behind that: the command's name and the time of
/// day, where these are told.
fn prefix(line: &str) -> Option<(u32, &str, String)> {
    let (first, rest) = line.split_once(' ')?;
    let (pid, mut marks) = match first.split_once('<') {
        Some((pid, command)) => (pid, format!(" by <{command}")),
        None => (first, String::new()),
    };
    let rest = rest.trim_start();
    let timed = rest.split_once(' ').filter(|(time, _)| is_time(time));
    if timed.is_some() {
        marks += " at TIME";
    }
    Some((pid.parse().ok()?, timed.map_or(rest, |(_, event)| event), marks))
}

/// Whether this is a time of day with microseconds.
fn is_time(word: &str) -> bool {
    let shape = word.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.eq(*b"00:00:00.000000")
}

/// The name of the call that a line shows; none for signals and exits.
pub fn call_name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('(')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !name.is_empty()).then_some(name)
}

/// The pid in `+++ superseded by execve in pid 7 +++`.
fn superseding(event: &str) -> Option<u32> {
    let rest = event.strip_prefix("+++ superseded by execve in pid ")?;
    rest.strip_suffix(" +++")?.parse().ok()
}

/// A line with a single space before its `= result`.
fn without_alignment(line: &str) -> String {
    let is_end = |end: &usize| line[end + 1..].trim_start().starts_with("= ");
    match line.rmatch_indices(") ").map(|(end, _)| end).find(is_end) {
        Some(end) => format!("{}) {}", &line[..end], line[end + 1..].trim_start()),
        None => line.to_owned(),
    }
}
