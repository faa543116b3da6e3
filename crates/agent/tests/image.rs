//! What must hold of the image's code, instruction by instruction.

use agent::abi::{IMAGE, TABLES, TRUSTED_LEN};
use agent::image::{CODE_END, IMAGE_BYTES, SYMBOLS};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Register};

/// The code in a range of addresses, decoded from its beginning.
fn decode(start: u64, end: u64) -> Vec<Instruction> {
    let bytes = &IMAGE_BYTES[(start - IMAGE) as usize..(end - IMAGE) as usize];
    Decoder::with_ip(64, bytes, start, DecoderOptions::NONE).iter().collect()
}

fn code() -> Vec<Instruction> {
    [decode(IMAGE, IMAGE + TRUSTED_LEN), decode(IMAGE + TRUSTED_LEN, CODE_END)].concat()
}

#[test]
fn the_image_lies_below_the_tables() {
    assert!(CODE_END <= IMAGE + IMAGE_BYTES.len() as u64);
    assert!(IMAGE + IMAGE_BYTES.len() as u64 <= TABLES);
}

#[test]
fn all_of_it_decodes() {
    let code = code();
    assert!(code.len() > 100);
    assert!(code.iter().all(|instruction| !instruction.is_invalid()));
}

#[test]
fn only_general_registers_are_used() {
    let mut factory = InstructionInfoFactory::new();
    for instruction in code() {
        let used = factory.info(&instruction).used_registers().to_vec();
        for register in used.iter().map(|used| used.register()) {
            let plain = register.is_gpr() || register == Register::RIP;
            // What a string instruction addresses by, and `rdgsbase` reads.
            let segment = register.is_segment_register();
            assert!(plain || segment, "{:x}: {instruction:?}: {register:?}", instruction.ip());
        }
        assert!(!instruction.is_save_restore_instruction(), "{instruction:?}");
    }
}

#[test]
fn calls_are_made_in_the_trusted_page_only() {
    let is_call = |instruction: &&Instruction| {
        matches!(instruction.code(), Code::Syscall | Code::Sysenter | Code::Int_imm8)
    };
    let code = code();
    let calls: Vec<_> = code.iter().filter(is_call).map(Instruction::ip).collect();
    // The last is the one of `orphaned`.
    let [call, remote, batch, plain] = calls[..] else { panic!("{calls:x?}") };
    assert_eq!([call, remote], [SYMBOLS.call, SYMBOLS.remote]);
    assert!((SYMBOLS.batch..SYMBOLS.batch_end).contains(&batch));
    assert!((SYMBOLS.batch_end..SYMBOLS.restore).contains(&plain));
    // Nor at any other byte, where a guest could jump to.
    let trusted = &IMAGE_BYTES[..TRUSTED_LEN as usize];
    let hidden = trusted.windows(2).enumerate();
    let hidden = hidden.filter(|(_, two)| matches!(two, [0x0f, 0x05 | 0x34] | [0xcd, _]));
    let places: Vec<_> = hidden.map(|(at, _)| IMAGE + at as u64).collect();
    assert_eq!(places, calls);
}

#[test]
fn symbols_are_where_they_should_be() {
    let code = code();
    let at = |ip| code.iter().find(|instruction| instruction.ip() == ip).unwrap();
    let behind = |ip| at(ip).next_ip();
    assert_eq!(behind(SYMBOLS.call), SYMBOLS.call + 2);
    assert_eq!(at(behind(SYMBOLS.remote)).code(), Code::Int3);
    assert_eq!(at(SYMBOLS.batch_end).code(), Code::Int3);
    let order = [SYMBOLS.entry, SYMBOLS.saved, SYMBOLS.after, SYMBOLS.returned];
    assert!(order.is_sorted());
    assert!((SYMBOLS.remote..IMAGE + TRUSTED_LEN).contains(&SYMBOLS.restore));
    assert!((SYMBOLS.returned..CODE_END).contains(&SYMBOLS.orphaned));
    let [(word, faulted), (byte, byte_end), (bytes, end)] = SYMBOLS.faults;
    assert_eq!(at(word).code(), Code::Mov_r64_rm64);
    assert!(at(faulted).ip() > word);
    assert_eq!((at(byte).code(), byte_end), (Code::Mov_r8_rm8, end));
    assert_eq!((at(bytes).code(), at(bytes).has_rep_prefix()), (Code::Movsb_m8_m8, true));
    assert_eq!(behind(bytes), end);
}
