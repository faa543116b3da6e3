//! Virtual machines: KVM.

use super::*;
use crate::flags;

requests! {
    KVM_CHECK_EXTENSION => Kind::Flags(Width::ULong, &flags::KVM_CAP),
    KVM_CREATE_VCPU => Kind::UINT,
    KVM_SET_USER_MEMORY_REGION => struct_in!(KVM_MEMORY_REGION),
    KVM_SET_USER_MEMORY_REGION2 => struct_in!(KVM_MEMORY_REGION2),
    KVM_GET_REGS => struct_out!(KVM_REGISTERS),
    KVM_SET_REGS => struct_in!(KVM_REGISTERS),
    KVM_GET_SREGS => struct_out!(KVM_SPECIAL),
    KVM_SET_SREGS => struct_in!(KVM_SPECIAL),
    KVM_SET_CPUID2 => struct_in!(KVM_CPUID),
    KVM_GET_SUPPORTED_CPUID | KVM_GET_EMULATED_CPUID => struct_out!(KVM_CPUID),
}
