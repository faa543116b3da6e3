//! Calls are changed, and their ends.

use contract::{
    Answer, Argument, Capture, Failure, Guest, GuestAddr, Module, Reply, Verdict, Write,
};
use table::arch::x86_64;

use crate::harness::{Behind, By, Decide, Heard, calls, nothing, run, same};

#[test]
fn paths_change_layer_by_layer() {
    let modules = || {
        let claims = calls(&[x86_64::OPENAT]);
        let first: Decide = |_, call| Ok(moved(call, "/upper/", "/lower/"));
        let second: Decide = |guest, call| {
            // What was changed is read as if it were the guest's.
            let read = guest.read_string(GuestAddr(call.args[1]), 4096)?;
            assert_eq!(Some(&read[..]), call.string(GuestAddr(call.args[1])));
            Ok(moved(call, "/lower/", "/proc/"))
        };
        [first, second]
            .map(|decide| {
                Box::new(By(claims, decide, nothing, Heard::default())) as Box<dyn Module>
            })
            .into()
    };
    let script = "cat /upper/self/comm; (cat /lower/self/comm /upper/none 2>&1 | cat); true; \
                  read x </upper/self/comm; echo $x";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!(printed, "cat\ncat\ncat: /upper/none: No such file or directory\nsh\n");
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn the_end_of_a_call_is_changed_from_below_to_above() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::pass().and_behind());
        let add: [Behind; 2] =
            [|guest, call| named(guest, call, b"a"), |guest, call| named(guest, call, b"b")];
        let module = |behind| By(calls(&[x86_64::UNAME]), decide, behind, Heard::default());
        add.map(|behind| Box::new(module(behind)) as Box<dyn Module>).into()
    };
    let (printed, _) = same(run("uname -s", &modules));
    assert_eq!(printed, "Linuxba\n");
}

/// Puts this behind the system's name.
fn named(guest: &mut dyn Guest, call: &Capture, more: &[u8]) -> Result<Option<Answer>, Failure> {
    let name = guest.read_string(GuestAddr(call.args[0]), 65)?;
    let at = GuestAddr(call.args[0] + name.len() as u64);
    let writes = vec![Write { at, bytes: [more, &[0]].concat() }];
    Ok(Some(Answer { result: Reply::Value(0), writes }))
}

#[test]
fn many_pieces_are_read_in_one_crossing() {
    /// Sixteen pages of the guest's, of which the first bytes are read.
    fn pieces(guest: &dyn Guest) -> Vec<(GuestAddr, usize)> {
        let all = kernel::proc::mappings::mappings(guest.process().0).expect("its mappings");
        let readable = all.iter().filter(|mapping| mapping.readable && !mapping.name.is_empty());
        let pages = readable.flat_map(|mapping| mapping.range.clone().step_by(4096));
        pages.take(16).map(|at| (GuestAddr(at), 8)).collect()
    }
    let modules = || {
        let decide: Decide = |guest, call| {
            if call.string(GuestAddr(call.args[0])) != Some(b"/pieces") {
                return Ok(Verdict::pass());
            }
            let pieces = pieces(guest);
            let crossings = || kernel::toll::snapshot().of(kernel::toll::Kind::MemoryRead);
            guest.prepare(&pieces)?;
            let before = crossings();
            let mut read = [0; 8];
            pieces.iter().try_for_each(|(at, _)| guest.read(*at, &mut read))?;
            // Other tests of this process read too, so it is only said.
            println!("{} pages: {} crossings more", pieces.len(), crossings() - before);
            Ok(Verdict::error(2))
        };
        vec![Box::new(By(calls(&[x86_64::CHDIR]), decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("cd /pieces; echo alive", &modules));
    assert!(printed.ends_with("alive\n"), "{printed}");
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Sends a path that begins so to one that begins otherwise.
fn moved(call: &Capture, from: &str, to: &str) -> Verdict {
    let path = call.string(GuestAddr(call.args[1])).unwrap_or_default();
    match path.strip_prefix(from.as_bytes()) {
        Some(rest) => Verdict::with(vec![Argument::path(1, [to.as_bytes(), rest].concat())]),
        None => Verdict::pass(),
    }
}
