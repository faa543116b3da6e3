//! The words shared by policy and mechanism.
//!
//! A mechanism in the engine fills a [`Capture`] for each system call, following the call's
//! [`Plan`], and hands it on in an [`Event`]. What decodes, filters or shows calls starts from
//! these types and never meets the guest itself.
#![forbid(unsafe_code)]

mod addr;
mod arch;
mod argument;
mod aside;
mod call_set;
mod capture;
mod claim;
mod descriptor;
mod enforcement;
mod event;
mod handed;
mod module;
mod plan;
mod redirection;
mod rule;
mod security_context;
mod stack;
mod stamp;
mod verdict;

pub use addr::{GuestAddr, Pid, Tid, TidMap};
pub use arch::Arch;
pub use argument::{Argument, Content, Element, SCRATCH_LEN, VECTOR_LEN};
pub use aside::{Aside, Namespace};
pub use call_set::CallSet;
pub use capture::{Capture, Outcome, Phase, Span};
pub use claim::{About, ByArgument, Narrowing};
pub use descriptor::{
    BpfKind, BpfObject, FdDetail, FdDetails, FdInfo, NetlinkSocket, Socket, SocketName,
};
pub use enforcement::{Enforcement, ForbiddenCalls, ForbiddenFiles, Refusal, Refusals, shown};
pub use event::{Event, EventKind, Origin, SigInfo, What};
pub use handed::{Handed, Place};
pub use module::{Birth, Failure, Guest, Module};
pub use plan::{Count, Fetch, Inside, Number, Plan, Shape, Trim};
pub use redirection::{AskedWhere, PathArgument, PlaceRule, Redirection, When};
pub use rule::{Condition, Rule};
pub use security_context::{PathContext, SecurityContext};
pub use stack::{Code, Frame, Function, SourceLine, Stack};
pub use stamp::Stamp;
pub use verdict::{Answer, Beside, Changes, Poke, Reply, Verdict, Write};
