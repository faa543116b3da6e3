//! What depends on a number is found by halves where there are many cases.
#![forbid(unsafe_code)]

use table::arch::x86_64;
use table::{Kind, Note, Target};

/// Calls `see` for a kind and all that it is made of.
fn each(kind: &Kind, see: &mut impl FnMut(&Kind)) {
    see(kind);
    match kind {
        Kind::Ptr(_, Target::One(kind) | Target::Array(kind, _)) => each(kind, see),
        Kind::Ptr(_, Target::Exchange(asked, answered)) => {
            each(asked, see);
            each(answered, see);
        }
        Kind::Struct(layout) | Kind::Instant(layout, _) => {
            layout.fields.iter().for_each(|field| each(&field.kind, see));
        }
        Kind::Select { cases, default, .. } => {
            cases.iter().for_each(|(_, kind)| each(kind, see));
            each(default, see);
        }
        Kind::Array(kind, _)
        | Kind::Labelled(kind, _)
        | Kind::Following(kind, _)
        | Kind::Written(kind)
        | Kind::Replaced(kind, _)
        | Kind::UnlessZero(kind)
        | Kind::Brief(kind, _)
        | Kind::Remarked(kind, _)
        | Kind::Supplied(kind)
        | Kind::Needed(kind)
        | Kind::Leading(kind, ..)
        | Kind::Indexed(kind, ..)
        | Kind::IfBits { then: kind, .. } => each(kind, see),
        _ => {}
    }
}

#[test]
fn each_case_is_found() {
    let mut seen = 0;
    for call in x86_64::calls() {
        let mut check = |kind: &Kind| {
            let Kind::Select { cases, .. } = kind else { return };
            for (value, of) in *cases {
                let found = table::case(cases, *value).expect("a case for each value");
                assert!(std::ptr::eq(found, of), "{}: {value:#x} is not found", call.name);
                seen += 1;
            }
        };
        call.args.iter().for_each(|arg| each(&arg.kind, &mut check));
        each(&call.ret.kind, &mut check);
        if let Note::Meaning(_, kind) | Note::MeaningOfRead(_, kind) = &call.ret.note {
            each(kind, &mut check);
        }
    }
    assert!(seen > 1000, "{seen} cases");
}
