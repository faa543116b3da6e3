//! Entries come back as they went; what is damaged, foreign or old is not there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kernel::proc::mappings::Version;
use proptest::prelude::*;

use super::super::piece::{Kind, Piece};
use super::super::{Window, gaps};
use super::format::{LEN_MAX, checksum, decode, encode};
use super::{Cache, Entry, Habits, Sites, is_settled, name};

const VERSION: Version = Version {
    device: 0xfe00,
    inode: 325_835,
    len: 0x20_0000,
    modified: [1_700_000_000, 5],
    changed: [1_700_000_001, 6],
};

/// `mov $number,%eax` before a `syscall`.
fn mov_eax(site: u64, number: u8) -> Option<Rc<Window>> {
    let pieces = vec![Piece { len: 5, kind: Kind::Plain }];
    Window::restored(site, &[0xb8, number, 0, 0, 0], pieces, false, None).map(Rc::new)
}

/// Four sites (a plain one, as glibc's `read` begins, one with a board, and one without a window)
/// and the use of two files.
fn entry() -> Entry {
    let read = [0x80, 0x3d, 0x61, 0x31, 0x0e, 0, 0, 0x74, 0x14, 0x31, 0xc0];
    let pieces = [[7, 2], [2, 1], [2, 0]].map(Piece::from_bytes).to_vec();
    let read = Window::restored(0x8_0000, &read, pieces, true, None).map(Rc::new);
    let pieces = vec![Piece { len: 2, kind: Kind::Plain }];
    let short =
        Window::restored(0x8_1002, &[0x31, 0xc0], pieces, false, Some([0xcc; 5])).map(Rc::new);
    assert!(read.is_some() && short.is_some());
    let sites =
        [(0x1005, mov_eax(0x1005, 39)), (0x8_0000, read), (0x8_1002, short), (0x9_0000, None)]
            .into();
    let habits = [((1, 7), [0x1005].into()), ((1, 9), [8, 0x8_0000].into())].into();
    Entry { sites, habits }
}

/// A new directory for a test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("shunpike-{}-{name}", std::process::id()));
    let _: std::io::Result<()> = fs::remove_dir_all(&path);
    fs::create_dir(&path).unwrap();
    path
}

fn load(folder: &Path, version: &Version) -> Entry {
    Cache::new(Some(folder.to_owned())).load(version)
}

#[test]
fn what_was_saved_is_loaded_again() {
    let base = directory("round-trip");
    let folder = base.join("made/anew");
    let mut cache = Cache::new(Some(folder.clone()));
    assert_eq!(cache.load(&VERSION), Entry::default());
    cache.save(&VERSION, &entry());
    assert_eq!(cache.load(&VERSION), entry());
    assert_eq!(load(&folder, &VERSION), entry());
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    // The later entry takes the place of the earlier one.
    let fewer = Entry { sites: Sites::from([(0x1005, None)]), ..Entry::default() };
    Cache::new(Some(folder.clone())).save(&VERSION, &fewer);
    assert_eq!(load(&folder, &VERSION), fewer);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(base).unwrap();
}

#[test]
fn an_entry_is_of_one_version_of_a_file() {
    let bytes = encode(&VERSION, &entry());
    assert_eq!(decode(&bytes, &VERSION), Some(entry()));
    let others = [
        Version { device: 1, ..VERSION },
        Version { inode: 1, ..VERSION },
        Version { len: VERSION.len + 1, ..VERSION },
        Version { modified: [1_700_000_000, 6], ..VERSION },
        Version { changed: [1_700_000_002, 6], ..VERSION },
    ];
    for other in others {
        assert_eq!(decode(&bytes, &other), None, "{other:?}");
    }
}

#[test]
fn damage_is_found() {
    let whole = encode(&VERSION, &entry());
    for len in 0..whole.len() {
        assert_eq!(decode(&whole[..len], &VERSION), None, "{len}");
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            assert_eq!(decode(&bytes, &VERSION), None, "{at}");
        }
    }
    assert_eq!(decode(&[&whole[..], &[0]].concat(), &VERSION), None);
}

/// An entry with these bytes for its sites, and the checksum that belongs to them.
fn forged(bytes: &[u8]) -> Vec<u8> {
    forged_from(&[&[0; 2], bytes].concat())
}

/// The same, from the habits on.
fn forged_from(bytes: &[u8]) -> Vec<u8> {
    let empty = encode(&VERSION, &Entry::default());
    let content = [&empty[16..empty.len() - 2], bytes].concat();
    [&empty[..8], &checksum(&content).to_le_bytes(), &content].concat()
}

#[test]
fn what_is_no_window_is_refused() {
    let site = |offset: u64, head: [u8; 3], code: &[u8], pieces: &[u8]| {
        forged(&[&offset.to_le_bytes()[..], &head, code, pieces].concat())
    };
    let mov = [0xb8, 39, 0, 0, 0];
    assert!(decode(&site(0x1005, [5, 1, 0], &mov, &[5, 0]), &VERSION).is_some());
    let on_board = site(0x1005, [2, 1, 2], &[0x31, 0xc0], &[2, 0, 0, 0, 0, 0, 0]);
    assert!(decode(&on_board, &VERSION).is_some());
    let refused = [
        // Shorter than the jump, and longer than any window.
        site(0x1005, [4, 1, 0], &mov[..4], &[4, 0]),
        site(0x1005, [65, 13, 0], &[0x90; 65], &[5, 0].repeat(13)),
        // Pieces that do not make up the code: none, too short, too long, empty.
        site(0x1005, [5, 0, 0], &mov, &[]),
        site(0x1005, [5, 1, 0], &mov, &[4, 0]),
        site(0x1005, [5, 1, 0], &mov, &[6, 0]),
        site(0x1005, [5, 2, 0], &mov, &[0, 0, 5, 0]),
        site(0x1005, [16, 1, 0], &[0x90; 16], &[16, 0]),
        // A branch that is none, and distances outside of their instruction.
        site(0x1005, [5, 1, 0], &mov, &[5, 1]),
        site(0x1005, [5, 1, 0], &mov, &[5, 2]),
        site(0x1005, [5, 1, 0], &mov, &[5, 0xff]),
        // It would begin before the file, or end behind it.
        site(4, [5, 1, 0], &mov, &[5, 0]),
        site(VERSION.len - 1, [5, 1, 0], &mov, &[5, 0]),
        site(u64::MAX, [5, 1, 0], &mov, &[5, 0]),
        // Flags that there are not.
        site(0x1005, [5, 1, 4], &mov, &[5, 0]),
        // A board that is not there, and one that would begin before the file.
        site(0x1005, [5, 1, 2], &mov, &[5, 0]),
        site(6, [2, 1, 2], &[0x31, 0xc0], &[2, 0, 0, 0, 0, 0, 0]),
        // The same instruction without a board.
        site(0x1005, [2, 1, 0], &[0x31, 0xc0], &[2, 0]),
        // The same site twice.
        forged(&[0x1005u64.to_le_bytes(), [0; 8], [0; 8]].concat()[..22]),
    ];
    for (index, bytes) in refused.iter().enumerate() {
        assert_eq!(decode(bytes, &VERSION), None, "{index}");
    }
}

#[test]
fn what_are_no_habits_is_refused() {
    let file = |inode: u64, count: u16, offsets: &[u64]| {
        let offsets: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        [&[1; 8], &inode.to_le_bytes()[..], &count.to_le_bytes(), &offsets].concat()
    };
    let entry = |count: u16, files: &[Vec<u8>]| {
        decode(&forged_from(&[&count.to_le_bytes()[..], &files.concat()].concat()), &VERSION)
    };
    assert!(entry(2, &[file(1, 2, &[3, 4]), file(2, 0, &[])]).is_some());
    let refused = [
        entry(1, &[]),
        entry(1, &[file(1, 2, &[3])]),
        // The same offset twice, and the same file.
        entry(1, &[file(1, 2, &[3, 3])]),
        entry(2, &[file(1, 0, &[]), file(1, 0, &[])]),
    ];
    assert_eq!(refused, [const { None }; 4]);
}

proptest! {
    #[test]
    fn whatever_an_entry_says_can_be_patched_or_refused(
        sites in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u8>(), 0..40)), 0..4)
    ) {
        let mut bytes = Vec::new();
        for (offset, rest) in sites {
            bytes.extend(u64::from(offset % 0x20_0000).to_le_bytes());
            bytes.extend(rest);
        }
        let entry = decode(&forged(&bytes), &VERSION).unwrap_or_default();
        for window in entry.sites.values().flatten() {
            let trampoline = window.start.next_multiple_of(8) + 0x100_0000;
            if let Ok(patch) = window.patch(0, trampoline, 0x7000_0000) {
                prop_assert!(patch.bytes.len() as u64 <= super::super::TRAMPOLINE_MAX);
                prop_assert!(gaps::reaches(&(trampoline..trampoline + 1), &(patch.start..patch.site)));
            }
        }
    }
}

#[test]
fn there_is_a_bound() {
    let sites: Sites =
        (1..5000).map(|number| (0x100 * number, mov_eax(0x100 * number, 39))).collect();
    let habits: Habits = (1..5000).map(|inode| ((1, inode), [1, 2, 3].into())).collect();
    let bytes = encode(&VERSION, &Entry { sites: sites.clone(), habits: habits.clone() });
    assert!(bytes.len() as u64 <= LEN_MAX);
    let some = decode(&bytes, &VERSION).unwrap();
    assert!(some.sites.len() > 500 && some.sites.iter().eq(sites.iter().take(some.sites.len())));
    let some = some.habits;
    assert!(some.len() > 300 && some.iter().eq(habits.iter().take(some.len())));
}

#[test]
fn others_may_not_have_written_it() {
    let base = directory("others");
    let folder = base.join("cache");
    let save = || Cache::new(Some(folder.clone())).save(&VERSION, &entry());
    save();
    let path = folder.join(name(&VERSION));
    let modes =
        |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    // Others can write to the entry, or to the directory, or see it.
    for (path, wrong, right) in
        [(&path, 0o622, 0o600), (&folder, 0o770, 0o700), (&folder, 0o755, 0o700)]
    {
        modes(path, wrong);
        assert_eq!(load(&folder, &VERSION), Entry::default(), "{wrong:o}");
        modes(path, right);
        assert_eq!(load(&folder, &VERSION), entry());
    }
    // Somebody else's, if we may give it away.
    if std::os::unix::fs::chown(&path, Some(65534), None).is_ok() {
        assert_eq!(load(&folder, &VERSION), Entry::default());
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        save();
        assert_eq!(load(&folder, &VERSION), Entry::default());
    } else {
        println!("not looked at: files of another user, which only root can make");
    }
    fs::remove_dir_all(base).unwrap();
}

#[test]
fn what_is_no_plain_file_or_directory_is_not_used() {
    let base = directory("kinds");
    let folder = base.join("cache");
    Cache::new(Some(folder.clone())).save(&VERSION, &entry());
    let path = folder.join(name(&VERSION));
    let elsewhere = base.join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();

    symlink(&elsewhere, &path).unwrap();
    assert_eq!(load(&folder, &VERSION), Entry::default());
    // It gives way to a new entry, and what it led to stays.
    Cache::new(Some(folder.clone())).save(&VERSION, &Entry::default());
    assert!(decode(&fs::read(&elsewhere).unwrap(), &VERSION).is_some());

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(load(&folder, &VERSION), Entry::default());
    // A directory stays, and nothing is left beside it.
    Cache::new(Some(folder.clone())).save(&VERSION, &entry());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir(&path).unwrap();

    fs::write(&path, vec![0; LEN_MAX as usize + 1]).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(load(&folder, &VERSION), Entry::default());

    let link = base.join("link");
    symlink(&folder, &link).unwrap();
    Cache::new(Some(folder.clone())).save(&VERSION, &entry());
    assert_eq!(load(&link, &VERSION), Entry::default());
    assert_eq!(load(&folder, &VERSION), entry());
    fs::remove_dir_all(base).unwrap();
}

#[test]
fn without_a_place_to_write_nothing_is_kept() {
    let base = directory("nowhere");
    let file = base.join("file");
    fs::write(&file, "").unwrap();
    for path in [None, Some(file.join("below")), Some(file), Some("/proc/nowhere/else".into())] {
        let mut cache = Cache::new(path);
        cache.save(&VERSION, &entry());
        assert_eq!(cache.load(&VERSION), Entry::default());
    }
    fs::remove_dir_all(base).unwrap();
}

#[test]
fn two_supervisors_do_not_disturb_each_other() {
    let base = directory("two");
    let folder = base.join("cache");
    Cache::new(Some(folder.clone())).save(&VERSION, &entry());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut cache = Cache::new(Some(folder.clone()));
                for _ in 0..500 {
                    cache.save(&VERSION, &entry());
                    assert_eq!(cache.load(&VERSION), entry());
                }
            });
        }
    });
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(base).unwrap();
}

#[test]
fn a_file_that_was_just_written_is_not_settled() {
    let path = directory("settled").join("file");
    fs::write(&path, "").unwrap();
    let version = Version::from(&fs::metadata(&path).unwrap());
    assert!(!is_settled(&version));
    assert!(is_settled(&Version { changed: [version.changed[0] - 10, 0], ..version }));
    assert!(!is_settled(&Version { changed: [version.changed[0] + 1000, 0], ..version }));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
}
