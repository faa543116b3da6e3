//! The memory of guests.
//!
//! * [`page_cache`]: pages copied at most once a stop, for what calls point to;
//! * [`annex`]: a page of code and memory of ours in the guest, for calls that it makes for us;
//! * [`batch`]: operations that are carried out together;
//! * [`layout`]: what has changed between two lists of mappings;
//! * [`ranges`]: lists of them;
//! * [`policy`]: which way to know of writes is the cheapest here;
//! * [`saved`]: pages as they were, and [`tracker`]: which have been written since.

pub(crate) mod annex;
pub(crate) mod batch;
pub(crate) mod layout;
mod page_cache;
pub mod policy;
pub(crate) mod ranges;
pub(crate) mod saved;
pub mod tracker;

pub use batch::{Batch, Outcome};
pub(crate) use page_cache::PageCache;
