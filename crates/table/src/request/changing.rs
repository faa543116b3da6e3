//! Requests that change files by a descriptor that was opened for reading.

use super::numbers::*;

/// Those that change what a file is, but not what is in it; and those that make a name in a directory.
pub const ATTRIBUTES: &[u32] = &[
    FS_IOC_SETFLAGS as u32,
    FS_IOC32_SETFLAGS as u32,
    FS_IOC_FSSETXATTR as u32,
    FS_IOC_SETVERSION as u32,
    FS_IOC32_SETVERSION as u32,
    FS_IOC_SET_ENCRYPTION_POLICY as u32,
    FS_IOC_ENABLE_VERITY as u32,
    EXT4_IOC_SETVERSION as u32,
    EXT4_IOC32_SETVERSION as u32,
    FAT_IOCTL_SET_ATTRIBUTES as u32,
    BTRFS_IOC_SUBVOL_SETFLAGS as u32,
    BTRFS_IOC_SET_RECEIVED_SUBVOL as u32,
    BTRFS_IOC_SUBVOL_CREATE as u32,
    BTRFS_IOC_SUBVOL_CREATE_V2 as u32,
];

/// Those that make or remove snapshots, which have all files by other names.
pub const SNAPSHOTS: &[u32] = &[
    BTRFS_IOC_SNAP_CREATE as u32,
    BTRFS_IOC_SNAP_CREATE_V2 as u32,
    BTRFS_IOC_SNAP_DESTROY as u32,
    BTRFS_IOC_SNAP_DESTROY_V2 as u32,
];
