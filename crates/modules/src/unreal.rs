//! `unreal`: `/unreal/X` is `X`, as in UMView's test module.

use crate::paths::{Access, Place, Plain, Target};

/// Where the guest sees its root directory once more.
pub const PREFIX: &[u8] = b"/unreal";

/// The place that makes it so.
pub fn place() -> Place {
    let guest = Plain::of(PREFIX).expect("it is a plain path");
    Place { guest, target: Target::Root, access: Access::Writable }
}
