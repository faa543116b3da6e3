//! `unreal`: `/unreal/X` is `X`, as in UMView's test module.

use crate::paths::{Access, Place, Plain, Target};

/// Where the guest sees its root directory once more.
pub const PREFIX: &[u8] = b"/unreal";

/// The place that makes it so.
pub fn place() -> Place {
    let guest = Plain::of(PREFIX).expect("it is a plain path");
    Place { guest, target: Target::Root, access: Access::Writable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::{HostTree, Map};

    #[test]
    fn nothing_is_mapped_below_it() {
        let of = |guest: &str| {
            let guest = Plain::of(guest.as_bytes()).expect("a plain path");
            let target = Target::Host(Plain::ROOT);
            let other = Place { guest, target, access: Access::Writable };
            Map::new(vec![other, place()], &HostTree::NOBODY).map(drop)
        };
        assert_eq!(of("/unreal-too"), Ok(()));
        let error = of("/unreal/unreal/here").expect_err("it would be seen by that name alone");
        assert!(
            error.to_string().ends_with("what is mapped at /here is seen there too"),
            "{error}"
        );
    }
}
