//! Two bytes with the length of the file tables, the file tables, the records of functions. Any bytes
//! are read or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length));
        let (tables, functions) = rest.split_at(length.min(rest.len()));
        let _ = fdc_collect::llvm::regions(tables, functions);
    }
});
