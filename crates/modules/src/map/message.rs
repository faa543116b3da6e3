//! Messages, which name sockets in memory: `sendmsg(2)`, `recvmsg(2)`, and those of several at once.

use contract::{Answer, Arch, Argument, Capture, Element, Guest, GuestAddr, Reply, Verdict, Write};

use table::arch::{i386, x86_64 as id};

use super::MapModule;

/// A `struct msghdr` has so many members, each as wide as a pointer with what fills it up; a
/// `struct mmsghdr` has one more, how many bytes were sent.
const MEMBERS: u64 = 7;
const MEMBERS_OF_SEVERAL: u64 = MEMBERS + 1;
/// Which of them are what.
const NAME: usize = 0;
const NAME_LEN: usize = 1;
const PIECES: usize = 2;
const PIECE_COUNT: usize = 3;

/// So many messages or pieces of them does the kernel take at once: `UIO_MAXIOV`.
const MOST: u64 = 1024;

/// Where the messages of a call are.
#[derive(Clone, Copy)]
struct Messages {
    at: u64,
    /// How wide pointers are.
    width: u64,
    /// How many members each has.
    members: u64,
    count: u64,
}

impl Messages {
    /// Those of a call, of one message or of several.
    fn of(call: &Capture, several: bool) -> Messages {
        Messages {
            at: call.args[1],
            width: if call.arch == Arch::X86_64 { 8 } else { 4 },
            members: if several { MEMBERS_OF_SEVERAL } else { MEMBERS },
            count: if several { u64::from(call.args[2] as u32).min(MOST) } else { 1 },
        }
    }

    /// Where this member of a message is.
    fn member(self, message: u64, member: usize) -> u64 {
        self.at.wrapping_add((message * self.members + member as u64) * self.width)
    }

    /// All members of a message.
    fn read(self, guest: &mut dyn Guest, message: u64) -> Option<Vec<u64>> {
        words(guest, self.member(message, 0), self.members, self.width)
    }
}

impl MapModule {
    /// `sendmsg(2)`, and `sendmmsg(2)`: there a message for a socket that the host has elsewhere is sent
    /// alone, as far as this call goes; who sends several has to look how many were sent.
    pub(super) fn name_receiver(
        &mut self,
        guest: &mut dyn Guest,
        call: &Capture,
        several: bool,
    ) -> Verdict {
        let messages = Messages::of(call, several);
        for nth in 0..messages.count {
            let Some(words) = messages.read(guest, nth) else { break };
            let (at, len) = (GuestAddr(words[NAME]), words[NAME_LEN] as u32);
            let address = match self.address(guest, at, len, false) {
                Ok(None) => continue,
                _ if nth > 0 => return Verdict::with(vec![Argument::value(2, nth)]),
                Ok(Some(address)) => address,
                Err(errno) => return Verdict::error(errno.0),
            };
            let len = address.len() as u64;
            // The same members but for the first two: as wide as pointers are.
            let rest = words[2..].iter().map(|&word| Element::At(GuestAddr(word)));
            let begin = [Element::Bytes(address), Element::At(GuestAddr(len))];
            let message = Argument::vector(1, begin.into_iter().chain(rest).collect());
            return match several {
                true => Verdict::with(vec![message, Argument::value(2, 1)]).and_behind(),
                false => Verdict::with(vec![message]),
            };
        }
        Verdict::pass()
    }

    /// Behind a `sendmmsg(2)` of one message that was changed: how much of it was sent. A datagram is
    /// sent whole.
    pub(super) fn note_sent(&self, guest: &mut dyn Guest, call: &Capture) -> Option<Answer> {
        let result = call.success().filter(|&sent| sent == 1)?;
        let messages = Messages::of(call, true);
        let words_of_message = messages.read(guest, 0)?;
        let (at, count) = (words_of_message[PIECES], words_of_message[PIECE_COUNT]);
        let pieces = words(guest, at, 2 * count.min(MOST), messages.width)?;
        let sent = pieces.chunks(2).fold(0, |all: u64, piece| all.wrapping_add(piece[1])) as u32;
        let at = GuestAddr(messages.member(0, MEMBERS as usize));
        let writes = vec![Write { at, bytes: sent.to_le_bytes().to_vec() }];
        Some(Answer { result: Reply::Value(result as u64), writes })
    }

    /// `recvmsg(2)` and `recvmmsg(2)`: where there is room for the name of who has sent a message, it is
    /// looked at behind the call.
    pub(super) fn await_sender(
        &mut self,
        guest: &mut dyn Guest,
        call: &Capture,
        several: bool,
    ) -> Verdict {
        let messages = Messages::of(call, several);
        let room = |words: Vec<u64>| if words[NAME] == 0 { 0 } else { words[NAME_LEN] as u32 };
        let rooms: Vec<u32> =
            (0..messages.count).map_while(|nth| messages.read(guest, nth)).map(room).collect();
        if rooms.iter().all(|&room| room == 0) {
            return Verdict::pass();
        }
        self.rooms.insert(guest.tid(), rooms);
        Verdict::pass().and_behind()
    }

    /// Behind such a call: the guest's names.
    pub(super) fn name_sender(
        &mut self,
        guest: &mut dyn Guest,
        call: &Capture,
        several: bool,
    ) -> Option<Answer> {
        let rooms = self.rooms.remove(&guest.tid())?;
        let result = call.success()?;
        let messages = Messages::of(call, several);
        let received = if several { result as usize } else { 1 };
        let mut writes = Vec::new();
        for (nth, room) in (0..).zip(rooms).take(received).filter(|(_, room)| *room > 0) {
            let Some(words) = messages.read(guest, nth) else { break };
            let len_at = GuestAddr(messages.member(nth, NAME_LEN));
            writes.extend(
                self.renamed(guest, GuestAddr(words[NAME]), (len_at, room)).into_iter().flatten(),
            );
        }
        (!writes.is_empty()).then_some(Answer { result: Reply::Value(result as u64), writes })
    }
}

/// Whether a call receives several messages: 32-bit programs have two of them.
pub(super) fn receives_several(call: &Capture) -> bool {
    let is_newer = call.arch == Arch::I386 && call.number == i386::RECVMMSG_TIME64.number.into();
    is_newer || call.arch.native_number(call.number) == id::RECVMMSG.number.into()
}

/// So many words of this width, if all can be read.
fn words(guest: &mut dyn Guest, at: u64, count: u64, width: u64) -> Option<Vec<u64>> {
    let mut bytes = vec![0; (count * width) as usize];
    guest.read(GuestAddr(at), &mut bytes).ok()?;
    let word = |word: &[u8]| word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    Some(bytes.chunks(width as usize).map(word).collect())
}
