//! Page faults in user space: `ioctl_userfaultfd(2)`.

requests! {
    UFFDIO_API => struct_in_out!(USERFAULT_API),
    UFFDIO_REGISTER => struct_in_out!(USERFAULT_REGISTER),
    UFFDIO_UNREGISTER | UFFDIO_WAKE => struct_in!(USERFAULT_RANGE),
    UFFDIO_COPY => struct_in_out!(USERFAULT_COPY),
    UFFDIO_ZEROPAGE => struct_in_out!(USERFAULT_ZEROPAGE),
    UFFDIO_WRITEPROTECT => struct_in!(USERFAULT_PROTECT),
    UFFDIO_CONTINUE => struct_in_out!(USERFAULT_CONTINUE),
    UFFDIO_POISON => struct_in_out!(USERFAULT_POISON),
    UFFDIO_MOVE => struct_in_out!(USERFAULT_MOVE),
}
