//! Code that makes calls for the supervisor, where nothing but that is wanted in a guest.

use super::Stub;

impl Stub {
    /// The code of a stub. It can be mapped anywhere.
    #[rustfmt::skip]
    pub const CODE: &[u8] = &[
        0x0f, 0x05,                         // syscall
        0xcc,                               // int3
        0x49, 0x8b, 0x06,                   // batch: mov (%r14),%rax
        0x49, 0x8b, 0x7e, 0x08,             // mov 8(%r14),%rdi
        0x49, 0x8b, 0x76, 0x10,             // mov 16(%r14),%rsi
        0x49, 0x8b, 0x56, 0x18,             // mov 24(%r14),%rdx
        0x4d, 0x8b, 0x56, 0x20,             // mov 32(%r14),%r10
        0x4d, 0x8b, 0x46, 0x28,             // mov 40(%r14),%r8
        0x4d, 0x8b, 0x4e, 0x30,             // mov 48(%r14),%r9
        0x0f, 0x05,                         // syscall
        0x48, 0x3d, 0x00, 0xf0, 0xff, 0xff, // cmp $-4096,%rax
        0x76, 0x05,                         // jbe made
        0x4d, 0x85, 0xed,                   // test %r13,%r13
        0x75, 0x17,                         // jne end
        0x4d, 0x85, 0xe4,                   // made: test %r12,%r12
        0x74, 0x08,                         // je next
        0x49, 0x89, 0x04, 0x24,             // mov %rax,(%r12)
        0x49, 0x83, 0xc4, 0x08,             // add $8,%r12
        0x49, 0x83, 0xc6, 0x38,             // next: add $56,%r14
        0x48, 0x83, 0xed, 0x01,             // sub $1,%rbp
        0x75, 0xbf,                         // jne batch
        0xcc,                               // end: int3
    ];

    /// The stub whose [`Stub::CODE`] is mapped at this address.
    pub const fn at(address: u64) -> Stub {
        let end = address + Stub::CODE.len() as u64 - 1;
        Stub { call: address, batch: address + 3, batch_end: end }
    }
}
