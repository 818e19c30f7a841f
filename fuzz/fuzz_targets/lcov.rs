//! Any bytes are read or refused, never a panic; what is read makes a spectrum.
#![no_main]

use fdc_fuzz::read_lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read_lines(bytes, |input, bytes, matrix| {
    fdc_formats::lcov::parse(input, bytes, matrix)
}));
