//! Why a program gets no agent, as `--toll` says it: "no agent since …".

pub const RUNS_32_BIT: &str = "it runs 32-bit code";
pub const USES_GS: &str = "it uses %gs";
pub const NO_VDSO: &str = "it has no vDSO";
pub const NOT_AFFORDED: &str = "it may not have so much memory (RLIMIT_AS)";
pub const REFUSED: &str = "the kernel refuses it the agent's memory";
