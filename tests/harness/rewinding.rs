//! What tests of rewinding share.

/// Whether programs can be rewound here; says why they cannot.
pub fn can_rewind() -> bool {
    let answer = kernel::probe::written_pages();
    if let Err(refusal) = &answer {
        println!("skipped: nobody tells here which pages a program has written: {refusal}");
    }
    answer.is_ok()
}
