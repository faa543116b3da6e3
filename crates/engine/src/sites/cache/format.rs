//! The bytes of an entry: little-endian numbers without padding.
//!
//! | size | |
//! |---|---|
//! | 8 | [`MAGIC`], which names the format |
//! | 8 | [`checksum`] of all that follows |
//! | 7 × 8 | the file's version: device, inode, length, times of modification and change |
//! | 2 | of how many files the program's habits follow |
//! | for each: 2 × 8 | its device and inode, larger than those of the file before |
//! | 2 | how many offsets follow |
//! | 8 × count | they, in ascending order |
//! | for each site: 8 | its offset in the file, larger than that of the site before |
//! | 1 | the length of its window in bytes; 0: it has none |
//! | 1 | how many instructions the window has |
//! | 1 | 1 if something branches into the window, behind the jump, and 2 if it has a board |
//! | length | the window's instructions |
//! | 2 × count | for each: its length, and what becomes of it elsewhere ([`Piece::to_bytes`]) |
//! | 5 | its board, if it has one |

use std::rc::Rc;

use kernel::proc::mappings::Version;

use super::super::piece::Piece;
use super::super::{JUMP_LEN, RUN_MAX, SYSCALL_LEN, Window};
use super::{Entry, Habits, Sites};

/// What an entry begins with. Another format gets another last digit.
const MAGIC: [u8; 8] = *b"sites  3";
/// The longest entry, in bytes.
pub const LEN_MAX: u64 = 1 << 15;
/// Size of what comes before the sites, in bytes.
const HEAD_LEN: usize = 16 + 8 * VERSION_WORDS;
const VERSION_WORDS: usize = 7;
/// The most that a site takes, in bytes.
const SITE_MAX: usize = 8 + 3 + 3 * RUN_MAX as usize + JUMP_LEN;
/// Flags of a site's window.
const BYPASSED: u8 = 1;
const BOARD: u8 = 2;
/// The most that the habits take, in bytes.
const HABITS_MAX: usize = LEN_MAX as usize / 2;

/// The bytes of an entry. What they have no room for is left out.
pub fn encode(version: &Version, entry: &Entry) -> Vec<u8> {
    let mut content: Vec<u8> = words(version).into_iter().flat_map(u64::to_le_bytes).collect();
    content.extend(encode_habits(&entry.habits));
    for (offset, window) in &entry.sites {
        if 16 + content.len() + SITE_MAX > LEN_MAX as usize {
            break;
        }
        content.extend(offset.to_le_bytes());
        let Some(window) = window else {
            content.extend([0; 3]);
            continue;
        };
        let [len, count] = [window.code.len(), window.pieces.len()].map(|len| len as u8);
        let flags = u8::from(window.bypassed) * BYPASSED + u8::from(window.board.is_some()) * BOARD;
        content.extend([len, count, flags]);
        content.extend(&window.code);
        content.extend(window.pieces.iter().flat_map(|piece| piece.to_bytes()));
        content.extend(window.board.iter().flatten());
    }
    [&MAGIC, &checksum(&content).to_le_bytes()[..], &content].concat()
}

/// The entry that these bytes are; `None` if they are none, or of another version.
pub fn decode(bytes: &[u8], version: &Version) -> Option<Entry> {
    let (head, rest) = bytes.split_at_checked(HEAD_LEN)?;
    let expected = words(version).map(u64::to_le_bytes);
    let sum = checksum(&bytes[16..]).to_le_bytes();
    if head[..8] != MAGIC || head[8..16] != sum || head[16..] != *expected.as_flattened() {
        return None;
    }
    let (habits, rest) = decode_habits(rest)?;
    Some(Entry { sites: decode_sites(rest, version)?, habits })
}

fn encode_habits(habits: &Habits) -> Vec<u8> {
    let mut bytes = vec![0; 2];
    let mut files = 0u16;
    for ((device, inode), offsets) in habits {
        if bytes.len() + 8 * (2 + offsets.len()) + 2 > HABITS_MAX {
            break;
        }
        files += 1;
        bytes.extend([device, inode].into_iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend((offsets.len() as u16).to_le_bytes());
        bytes.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    }
    bytes[..2].copy_from_slice(&files.to_le_bytes());
    bytes
}

/// The habits, and what follows them.
fn decode_habits(bytes: &[u8]) -> Option<(Habits, &[u8])> {
    let (files, mut rest) = bytes.split_first_chunk()?;
    let mut habits = Habits::new();
    for _ in 0..u16::from_le_bytes(*files) {
        let (file, behind) = rest.split_first_chunk::<16>()?;
        let (count, behind) = behind.split_first_chunk()?;
        let (offsets, behind) =
            behind.split_at_checked(8 * usize::from(u16::from_le_bytes(*count)))?;
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let [device, inode] = [0, 1].map(|index| word(&file.as_chunks().0[index]));
        let offsets: Vec<u64> = offsets.as_chunks().0.iter().map(word).collect();
        let ascending = habits.last_key_value().is_none_or(|(last, _)| *last < (device, inode));
        if !ascending || !offsets.is_sorted_by(|one, next| one < next) {
            return None;
        }
        habits.insert((device, inode), offsets.into_iter().collect());
        rest = behind;
    }
    Some((habits, rest))
}

fn decode_sites(mut rest: &[u8], version: &Version) -> Option<Sites> {
    let mut sites = Sites::new();
    while !rest.is_empty() {
        let (site, behind) = rest.split_first_chunk::<11>()?;
        let [offset @ .., len, count, flags] = site;
        let offset = u64::from_le_bytes(*offset);
        let (code, behind) = behind.split_at_checked(usize::from(*len))?;
        let (pieces, behind) = behind.split_at_checked(2 * usize::from(*count))?;
        let (board, behind) = match flags & BOARD {
            0 => (None, behind),
            _ => behind.split_first_chunk().map(|(board, behind)| (Some(*board), behind))?,
        };
        let ascending = sites.last_key_value().is_none_or(|(last, _)| *last < offset);
        let within = offset.checked_add(SYSCALL_LEN).is_some_and(|end| end <= version.len);
        if !ascending || !within || *flags > BYPASSED | BOARD {
            return None;
        }
        let pieces = pieces.as_chunks().0.iter().map(|bytes| Piece::from_bytes(*bytes)).collect();
        let window = match code {
            [] => None,
            code => {
                let bypassed = flags & BYPASSED != 0;
                Some(Rc::new(Window::restored(offset, code, pieces, bypassed, board)?))
            }
        };
        sites.insert(offset, window);
        rest = behind;
    }
    Some(sites)
}

/// FNV-1a of 64 bits: it tells a damaged entry, not a forged one.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn words(version: &Version) -> [u64; VERSION_WORDS] {
    let Version { device, inode, len, modified, changed } = *version;
    let [modified, changed] = [modified, changed].map(|time| time.map(i64::cast_unsigned));
    [device, inode, len, modified[0], modified[1], changed[0], changed[1]]
}
