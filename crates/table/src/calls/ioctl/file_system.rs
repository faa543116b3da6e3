//! Files and file systems: `ioctl_fs(2)` and its like.

use super::*;
use crate::flags;

const FILE_FLAGS: Target = Target::One(&Kind::flags(&flags::FS_FLAGS));
const LABEL: Target = Target::One(&Kind::CharArray(256));

requests! {
    FIOCLEX | FIONCLEX | FIFREEZE | FITHAW => Kind::Absent,
    FIONBIO | FIOASYNC => INT_IN,
    FS_IOC_GETFLAGS | FS_IOC32_GETFLAGS => Kind::Ptr(Dir::Out, &FILE_FLAGS),
    FS_IOC_SETFLAGS | FS_IOC32_SETFLAGS => Kind::Ptr(Dir::In, &FILE_FLAGS),
    FS_IOC_FSGETXATTR => struct_out!(FS_XATTR),
    FS_IOC_FSSETXATTR => struct_in!(FS_XATTR_IN),
    FS_IOC_GETFSLABEL => Kind::Ptr(Dir::Out, &LABEL),
    FS_IOC_SETFSLABEL => Kind::Ptr(Dir::In, &LABEL),
    FS_IOC_GETFSUUID => struct_out!(FS_UUID),
    FS_IOC_GETFSSYSFSPATH => struct_out!(FS_SYSFS_PATH),
    FS_IOC_FIEMAP => exchange!(FIEMAP, FIEMAP_FOUND),
    FICLONE => Kind::INT,
    FICLONERANGE => struct_in!(CLONE_RANGE),
    FIDEDUPERANGE => exchange!(DEDUPE_RANGE, DEDUPED_RANGE),
    FITRIM => struct_in!(TRIM_RANGE),
}
