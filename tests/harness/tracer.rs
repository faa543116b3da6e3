//! The tracers: Shunpike by each mechanism, and the installed strace as the oracle.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::tools;

/// A way to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracer {
    /// `shunpike trace --mechanism=ptrace`: two stops a call.
    Ptrace,
    /// `shunpike trace --mechanism=sysemu`: one stop for a call that is answered.
    Sysemu,
    /// `shunpike trace --mechanism=seccomp`: a filter picks the calls.
    Seccomp,
    /// `shunpike trace --mechanism=agent`: the guest records its calls itself. What is known of
    /// programs' sites is kept from run to run.
    Agent,
    /// The same, and nothing is known of any program.
    AgentCold,
    /// The first thread alone, without `-f`: what it makes is let go.
    Alone,
    /// What `shunpike trace -f` does without `--mechanism`: where few calls are asked for, the agent
    /// comes late.
    Auto,
    /// The installed strace.
    Strace,
}

impl Tracer {
    /// How many there are.
    pub const COUNT: usize = Self::Strace as usize + 1;
    /// Shunpike by every mechanism.
    pub const MECHANISMS: [Self; 3] = [Self::Ptrace, Self::Seccomp, Self::Agent];

    /// The name in the tests' names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ptrace => "ptrace",
            Self::Sysemu => "sysemu",
            Self::Seccomp => "seccomp",
            Self::Agent => "agent",
            Self::AgentCold => "agent-cold",
            Self::Alone => "alone",
            Self::Auto => "auto",
            Self::Strace => "strace",
        }
    }

    /// What `--mechanism` calls it.
    fn mechanism(self) -> Option<&'static str> {
        match self {
            Self::Strace => None,
            Self::AgentCold | Self::Alone => Some(Self::Agent.name()),
            Self::Ptrace | Self::Sysemu | Self::Seccomp | Self::Agent | Self::Auto => {
                Some(self.name())
            }
        }
    }

    /// Whether guests record their calls themselves.
    pub fn is_agent(self) -> bool {
        matches!(self, Self::Agent | Self::AgentCold | Self::Alone | Self::Auto)
    }

    /// The command up to, and without, the program.
    pub fn command(self, options: &[&str]) -> Command {
        let mut command = match self {
            Self::Strace => Command::new("strace"),
            Self::Ptrace
            | Self::Sysemu
            | Self::Seccomp
            | Self::Agent
            | Self::Alone
            | Self::Auto => Command::new(shunpike()),
            Self::AgentCold => {
                let mut command = Command::new("env");
                // No directory can be made there.
                command.arg("XDG_CACHE_HOME=/dev/null").arg(shunpike());
                command
            }
        };
        if let Some(mechanism) = self.mechanism() {
            command.arg("trace").arg(format!("--mechanism={mechanism}"));
        }
        command.args(options);
        command
    }

    /// The command which traces with `-f -o output`, unless it is to trace the first thread alone.
    pub fn following(self, output: &Path, options: &[&str]) -> Command {
        let follow = if self == Self::Alone { "--always-show-pid" } else { "-f" };
        let mut command = self.command(&[follow, "-o"]);
        command.arg(output).args(options).arg("--");
        command
    }
}

/// The `shunpike` under test: cargo's, or the one which SHUNPIKE_TEST_BIN names.
pub fn shunpike() -> PathBuf {
    match std::env::var_os("SHUNPIKE_TEST_BIN") {
        Some(file) => file.into(),
        None => env!("CARGO_BIN_EXE_shunpike").into(),
    }
}

/// Why there can be no agent here, in the words of the command, if there can be none.
pub fn no_agent() -> Option<&'static str> {
    static REASON: OnceLock<Option<String>> = OnceLock::new();
    REASON
        .get_or_init(|| {
            let mut command = Tracer::Agent.command(&["-f", "-o", "/dev/null", "true"]);
            let output = command.env("XDG_CACHE_HOME", tools::scratch("cache")).output().ok()?;
            let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            (!output.status.success() && said.contains("--mechanism=agent")).then_some(said)
        })
        .as_deref()
}

/// Why strace cannot be the oracle here, if it cannot. The guests' lines follow 6.1.
pub fn no_oracle() -> Option<&'static str> {
    static REASON: OnceLock<Option<String>> = OnceLock::new();
    REASON
        .get_or_init(|| {
            if tools::find("strace").is_none() {
                return Some("strace is not installed".into());
            }
            let output = Command::new("strace").arg("-V").output().ok()?;
            let version = String::from_utf8_lossy(&output.stdout);
            let version = version.lines().next().unwrap_or_default().to_owned();
            (!version.ends_with("version 6.1"))
                .then(|| format!("the oracle is strace 6.1, this is {version:?}"))
        })
        .as_deref()
}
