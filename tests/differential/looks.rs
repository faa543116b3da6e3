//! The options under which guests are compared.

/// What a value's look depends on.
pub const LOOKS: &[&[&str]] = &[
    &[],
    &["-v"],
    &["-X", "raw"],
    &["-X", "verbose"],
    &["-e", "raw=all"],
    &["-e", "verbose=none"],
    &["-s", "5", "-xx"],
    &["-y"],
];

/// The same of calls that strace shows by their 32-bit form, `ipc(2)` and its like, where constants or
/// arguments stay numbers.
pub const I386_LOOKS: &[&[&str]] = &[&[], &["-v"], &["-s", "5", "-xx"], &["-y"]];

/// What calls are tampered with: each form of `-e inject=` and `-e fault=`.
#[rustfmt::skip]
pub const TAMPERED: &[&[&str]] = &[
    &["-e", "inject=chdir:error=ENOENT"],
    &["-e", "inject=chdir:error=EPERM:when=3"],
    &["-e", "inject=chdir:error=22:when=2+"],
    &["-e", "inject=chdir:error=EIO:when=2+2"],
    &["-e", "inject=chdir:error=4095:when=2..4"],
    &["-e", "inject=chdir:retval=0:when=1..5+2"],
    &["-e", "inject=chdir:retval=0x7f:when=3..3"],
    &["-e", "inject=getuid:retval=1000"],
    &["-e", "inject=getuid:retval=4294967295:when=2"],
    &["-e", "inject=umask:retval=077:when=1"],
    &["-e", "inject=umask:error=EBUSY"],
    &["-e", "inject=mmap:retval=0x1000:when=20+"],
    &["-e", "inject=openat:error=EMFILE"],
    &["-e", "inject=openat:retval=77"],
    &["-e", "inject=openat:error=ENOENT:when=3"],
    &["-e", "inject=read:retval=3"],
    &["-e", "inject=read:retval=100:when=2"],
    &["-e", "inject=read:error=EINTR:when=1+2"],
    &["-e", "inject=read,write:error=EAGAIN"],
    &["-e", "inject=%file:error=EACCES:when=4+"],
    &["-e", "inject=%desc:retval=0:when=9+3"],
    &["-e", "inject=/^ch:error=ELOOP:when=2"],
    &["-e", "inject=chdir:signal=SIGUSR1"],
    &["-e", "inject=chdir:signal=USR1:when=2..3"],
    &["-e", "inject=chdir:signal=10:error=EPERM:when=5"],
    &["-e", "inject=getppid:signal=SIGUSR1:retval=5"],
    &["-e", "inject=chdir:signal=SIGURG:when=2+3"],
    &["-e", "inject=chdir:delay_enter=100:when=2"],
    &["-e", "inject=chdir:delay_exit=1ms:when=1+3"],
    &["-e", "inject=chdir:delay_enter=50us:delay_exit=50us"],
    &["-e", "inject=chdir:delay_enter=1000ns:error=EPERM"],
    &["-e", "inject=getuid:delay_exit=1:retval=7"],
    &["-e", "inject=chdir:poke_enter=@arg1=2f00"],
    &["-e", "inject=chdir:poke_enter=@arg1=2f746d7000:when=3"],
    &["-e", "inject=read:poke_exit=@arg2=4142"],
    &["-e", "inject=read:poke_exit=@arg2=4142:when=2+"],
    &["-e", "inject=read:retval=4:poke_exit=@arg2=41424344"],
    &["-e", "inject=getcwd:retval=3:poke_exit=@arg1=2f6100"],
    &["-e", "inject=getcwd:poke_enter=@arg1=4142:when=1"],
    &["-e", "inject=read:poke_enter=@arg2=5a5a5a:poke_exit=@arg2=58:when=1"],
    &["-e", "inject=chdir:syscall=getpid:signal=USR1"],
    &["-e", "inject=chdir:retval=5:syscall=getuid:when=2"],
    &["-e", "inject=chdir:error=EPERM:syscall=geteuid:when=2"],
    &["-e", "inject=chdir:delay_enter=1:syscall=getppid"],
    &["-e", "inject=nanosleep:error=EINTR"],
    &["-e", "inject=nanosleep:retval=0"],
    &["-e", "inject=fstat:retval=0"],
    &["-e", "inject=fstat:error=EBADF"],
    &["-e", "inject=?nosuch,chdir:error=EPERM"],
    &["-e", "inject=chdir:poke_exit=@arg1=2f:syscall=getuid:when=2"],
    &["-e", "inject=chdir:error=EPERM:when=2", "-e", "inject=chdir:delay_exit=1:when=3+"],
    &["-e", "trace=chdir,read", "-e", "inject=chdir,getuid:retval=1:when=2+"],
    &["-e", "fault=chdir"],
    &["-e", "fault=chdir:error=EXDEV:when=2"],
    &["-e", "fault=chdir:when=3+"],
    &["-e", "fault=getuid:when=1..2"],
    &["-e", "fault=openat,read:error=EIO:when=3"],
];

/// Looks at calls that are answered without being made.
pub const ANSWERED: &[&[&str]] = &[
    &["-e", "inject=ioctl,bpf:retval=0"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v", "-X", "raw"],
    &["-e", "inject=ioctl,bpf:retval=0", "-v", "-X", "verbose"],
    &["-e", "inject=ioctl,bpf:error=EINVAL", "-v"],
    &["-e", "inject=prctl,fcntl:retval=3"],
    &["-e", "inject=prctl,fcntl:retval=0x10"],
    &["-e", "inject=prctl,fcntl:retval=0x40000"],
    &["-e", "inject=prctl,fcntl:retval=0x46000f", "-X", "verbose"],
    &["-e", "inject=prctl,fcntl:retval=0x46000f", "-X", "raw"],
];
