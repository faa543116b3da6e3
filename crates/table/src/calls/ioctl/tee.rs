//! Environments that are to be trusted: TEE.

requests! {
    TEE_IOC_VERSION => struct_out!(TEE_VERSION),
    TEE_IOC_SHM_ALLOC => exchange!(TEE_MEMORY_ASKED, TEE_MEMORY),
    TEE_IOC_SHM_REGISTER => exchange!(TEE_REGISTER_ASKED, TEE_REGISTER),
    TEE_IOC_OPEN_SESSION => struct_in!(TEE_OPEN_BUFFER),
    TEE_IOC_INVOKE => struct_in!(TEE_INVOKE_BUFFER),
    TEE_IOC_SUPPL_RECV => struct_in!(TEE_RECEIVE_BUFFER),
    TEE_IOC_SUPPL_SEND => struct_in!(TEE_SEND_BUFFER),
    TEE_IOC_CANCEL => struct_in!(TEE_CANCEL),
    TEE_IOC_CLOSE_SESSION => struct_in!(TEE_CLOSE),
}
