//! What has changed between two lists of mappings, and how it is undone.

use std::ops::Range;

use kernel::proc::mappings::Mapping;

/// What brings an address space back to a former list of mappings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undo {
    /// Nothing was mapped there.
    Unmap(Range<u64>),
    /// This was mapped there, and may be so again over whatever is there now.
    Map(Mapping),
    /// What is mapped there had other rights: `PROT_*`.
    Protect(Range<u64>, i32),
}

/// How `was` comes back from `is`: what is to be unmapped first, then what is to be mapped, then
/// what is to be protected. A stack that has grown stays as it is: see [`grown_stack`].
pub fn differences(was: &[Mapping], is: &[Mapping]) -> Vec<Undo> {
    let mut places: Vec<u64> =
        was.iter().chain(is).flat_map(|mapping| [mapping.range.start, mapping.range.end]).collect();
    places.sort_unstable();
    places.dedup();
    let grown = grown_stack(was, is);
    let (mut unmap, mut map, mut protect) = (Vec::new(), Vec::new(), Vec::new());
    for place in places.windows(2) {
        let part = place[0]..place[1];
        match (at(was, part.start), at(is, part.start)) {
            (None, Some(_)) if grown.as_ref().is_some_and(|grown| grown.contains(&part.start)) => {}
            (None, Some(_)) => unmap.push(Undo::Unmap(part)),
            (Some(then), None) => map.push(Undo::Map(cut(then, part))),
            (Some(then), Some(now)) if !is_same(then, now) => map.push(Undo::Map(cut(then, part))),
            (Some(then), Some(now)) if rights(then) != rights(now) => {
                protect.push(Undo::Protect(part, rights(then)));
            }
            _ => {}
        }
    }
    [unmap, map, protect].into_iter().flat_map(merge).collect()
}

/// The pages by which the first thread's stack has grown, which happens of itself.
pub fn grown_stack(was: &[Mapping], is: &[Mapping]) -> Option<Range<u64>> {
    let stack = |list: &[Mapping]| {
        list.iter().find(|mapping| mapping.name == b"[stack]").map(|mapping| mapping.range.clone())
    };
    let (then, now) = (stack(was)?, stack(is)?);
    (now.start < then.start && now.end == then.end).then_some(now.start..then.start)
}

/// The rights of a mapping, as `mmap(2)` takes them.
pub fn rights(mapping: &Mapping) -> i32 {
    let right = |has: bool, right: i32| if has { right } else { 0 };
    right(mapping.readable, libc::PROT_READ)
        | right(mapping.writable, libc::PROT_WRITE)
        | right(mapping.executable, libc::PROT_EXEC)
}

/// The mapping in which an address lies.
fn at(list: &[Mapping], address: u64) -> Option<&Mapping> {
    let behind = list.partition_point(|mapping| mapping.range.start <= address);
    list[..behind].last().filter(|mapping| address < mapping.range.end)
}

/// Whether two mappings of one address are of the same thing.
fn is_same(one: &Mapping, other: &Mapping) -> bool {
    let begin = |mapping: &Mapping| mapping.range.start.wrapping_sub(mapping.offset);
    let same_place = one.file.is_none() || begin(one) == begin(other);
    one.shared == other.shared && one.file == other.file && same_place
}

fn cut(mapping: &Mapping, part: Range<u64>) -> Mapping {
    let offset = match mapping.file {
        Some(_) => mapping.offset + (part.start - mapping.range.start),
        None => 0,
    };
    Mapping { range: part, offset, ..mapping.clone() }
}

/// Neighbours that can be undone together.
fn merge(list: Vec<Undo>) -> Vec<Undo> {
    let mut merged: Vec<Undo> = Vec::with_capacity(list.len());
    for undo in list {
        match (merged.last_mut(), &undo) {
            (Some(Undo::Unmap(last)), Undo::Unmap(next)) if last.end == next.start => {
                last.end = next.end;
            }
            (Some(Undo::Protect(last, had)), Undo::Protect(next, has))
                if last.end == next.start && had == has =>
            {
                last.end = next.end;
            }
            (Some(Undo::Map(last)), Undo::Map(next))
                if last.range.end == next.range.start
                    && is_same(last, next)
                    && rights(last) == rights(next) =>
            {
                last.range.end = next.range.end;
            }
            _ => merged.push(undo),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(range: Range<u64>, rights: &str, name: &str) -> Mapping {
        let has = |right| rights.contains(right);
        let file = (name.starts_with('/')).then_some((1, 7));
        Mapping {
            range: range.clone(),
            readable: has('r'),
            writable: has('w'),
            executable: has('x'),
            shared: has('s'),
            offset: if file.is_some() { range.start } else { 0 },
            file,
            name: name.into(),
        }
    }

    #[test]
    fn how_mappings_are_split_makes_no_difference() {
        let one = [mapping(0..9, "rw", ""), mapping(20..30, "r", "/f")];
        let other = [
            mapping(0..4, "rw", ""),
            mapping(4..9, "rw", ""),
            mapping(20..22, "r", "/f"),
            mapping(22..30, "r", "/f"),
        ];
        assert_eq!(differences(&one, &other), []);
        assert_eq!(differences(&other, &one), []);
    }

    #[test]
    fn each_change_is_undone() {
        let was = [
            mapping(0..10, "rw", ""),
            mapping(10..20, "r", "/f"),
            mapping(30..40, "rw", "[heap]"),
            mapping(90..99, "rw", "[stack]"),
        ];
        let is = [
            mapping(2..4, "rw", ""),
            mapping(4..10, "r", ""),
            mapping(10..12, "r", "/f"),
            mapping(12..14, "rw", ""),
            mapping(14..20, "r", "/f"),
            mapping(20..22, "rw", ""),
            mapping(22..23, "r", ""),
            mapping(80..99, "rw", "[stack]"),
        ];
        let expected = [
            Undo::Unmap(20..23),
            Undo::Map(mapping(0..2, "rw", "")),
            Undo::Map(mapping(12..14, "r", "/f")),
            Undo::Map(mapping(30..40, "rw", "[heap]")),
            Undo::Protect(4..10, libc::PROT_READ | libc::PROT_WRITE),
        ];
        assert_eq!(differences(&was, &is), expected);
        assert_eq!(grown_stack(&was, &is), Some(80..90));
    }

    #[test]
    fn a_mapping_of_another_thing_is_replaced() {
        let was = [mapping(0..10, "rw", "")];
        let is = [mapping(0..10, "rws", "")];
        assert_eq!(differences(&was, &is), [Undo::Map(was[0].clone())]);
    }
}
