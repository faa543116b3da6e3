//! The calls that the kernel itself has seen, by its trace point `raw_syscalls:sys_enter`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the kernel offers its trace points to root.
const TRACEFS: &str = "/sys/kernel/tracing/instances";
/// Room for what is seen on one processor, in KiB. A call takes about 100 bytes.
const ROOM: &str = "32768";

/// The calls of one number, of all processes, since this was begun.
#[derive(Debug)]
pub struct KernelCalls {
    instance: PathBuf,
}

impl KernelCalls {
    /// Begins to look. The name is that of nobody else.
    ///
    /// # Errors
    /// Where we are not root, or there is no `tracefs`.
    pub fn begin(name: &str, number: i64) -> io::Result<Self> {
        let instance = Path::new(TRACEFS).join(format!("shunpike-{name}-{}", std::process::id()));
        fs::create_dir(&instance)?;
        let calls = Self { instance };
        fs::write(calls.instance.join("buffer_size_kb"), ROOM)?;
        fs::write(calls.event("filter"), format!("id == {number}"))?;
        fs::write(calls.event("enable"), "1")?;
        Ok(calls)
    }

    /// The arguments of each, in no order.
    pub fn arguments(self) -> Result<Vec<[u64; 6]>, String> {
        let read = |file: PathBuf| {
            fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
        };
        let folders = fs::read_dir(self.instance.join("per_cpu"));
        for folder in folders.map_err(|error| error.to_string())?.flatten() {
            let lost = ["overrun: ", "dropped events: "];
            for line in read(folder.path().join("stats"))?.lines() {
                if lost.iter().any(|what| line.strip_prefix(what).is_some_and(|count| count != "0"))
                {
                    return Err(format!("the kernel has lost calls: {line}"));
                }
            }
        }
        read(self.instance.join("trace"))?.lines().filter_map(arguments).collect()
    }

    fn event(&self, file: &str) -> PathBuf {
        self.instance.join("events/raw_syscalls/sys_enter").join(file)
    }
}

/// The arguments in `killed-99 [000] ..... 7.5: sys_enter: NR 187 (ffffffffffffffff, 0, 3, 0, 0, 0)`.
fn arguments(line: &str) -> Option<Result<[u64; 6], String>> {
    let (_, arguments) = line.split_once(" sys_enter: NR ")?.1.split_once('(')?;
    let words = arguments.trim_end_matches(')').split(", ");
    let numbers: Option<Vec<u64>> = words.map(|word| u64::from_str_radix(word, 16).ok()).collect();
    Some(numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| line.to_owned()))
}

impl Drop for KernelCalls {
    fn drop(&mut self) {
        // What remains looks on, but disturbs nobody.
        let _ = fs::write(self.event("enable"), "0");
        let _ = fs::remove_dir(&self.instance);
    }
}
