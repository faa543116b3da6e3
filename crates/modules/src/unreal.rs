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
    fn what_is_said_twice_counts_once() {
        let map = Map::new(vec![place(), place()], &HostTree::NOBODY).expect("a map");
        assert_eq!(map.aliases().len(), 1);
        let of = |host: &str, access| {
            let guest = Plain::of(b"/data").expect("a plain path");
            let host = Plain::of(host.as_bytes()).expect("a plain path");
            Place { guest, target: Target::Host(host), access }
        };
        let twice = vec![of("/usr", Access::ReadOnly), of("/usr", Access::ReadOnly)];
        Map::new(twice, &HostTree::NOBODY).expect("it is the same");
        let two = vec![of("/usr", Access::Writable), of("/usr", Access::ReadOnly)];
        let error = Map::new(two, &HostTree::NOBODY).expect_err("they differ").to_string();
        assert_eq!(error, "/data is mapped twice: to /usr, and to /usr, read-only");
    }

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
