//! How a coverage row lies in the case file: a tag byte, then
//! - tag 1: pairs of LEB128 numbers, the gap since the last run's end and the run's length;
//! - tag 2: a bit set, bit `e % 8` of byte `e / 8`, trailing zero bytes left out.
//!
//! The shorter of the two is written.

use std::ops::Range;

use fdc_core::rows::Rows;

const RUNS: u8 = 1;
const BITS: u8 = 2;

/// Encodes ascending elements.
pub(crate) fn encode_elements(elements: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut runs = Vec::new();
    for element in elements {
        push_joined(&mut runs, element..element + 1);
    }
    encode(&runs)
}

/// Decodes a row and puts it after the others; the error says what is wrong.
pub(crate) fn push_decoded(bytes: &[u8], rows: &mut Rows) -> Result<(), String> {
    let mut runs = Vec::new();
    decode(bytes, &mut runs)?;
    rows.push(runs).map_err(|error| error.to_string())
}

/// Adds a run after the others, as part of the last one if they touch.
#[inline]
pub fn push_joined(runs: &mut Vec<Range<u32>>, next: Range<u32>) {
    match runs.last_mut() {
        Some(run) if run.end == next.start => run.end = next.end,
        _ => runs.push(next),
    }
}

/// Encodes ascending, non-overlapping, maximal runs of elements.
pub fn encode(runs: &[Range<u32>]) -> Vec<u8> {
    let mut bytes = vec![RUNS];
    let mut end = 0;
    for run in runs {
        push_number(&mut bytes, run.start - end);
        push_number(&mut bytes, run.end - run.start);
        end = run.end;
    }
    let bit_bytes = end.div_ceil(8) as usize;
    if bytes.len() <= bit_bytes + 1 {
        return bytes;
    }
    let mut bits = vec![0u8; bit_bytes + 1];
    bits[0] = BITS;
    for element in runs.iter().cloned().flatten() {
        bits[1 + element as usize / 8] |= 1 << (element % 8);
    }
    bits
}

/// Decodes a row, appending its runs; the error says what is wrong with the bytes.
pub fn decode(bytes: &[u8], runs: &mut Vec<Range<u32>>) -> Result<(), &'static str> {
    match bytes.split_first() {
        Some((&RUNS, mut rest)) => {
            let mut end = 0u32;
            while !rest.is_empty() {
                let gap = take_number(&mut rest)?;
                let length = take_number(&mut rest)?;
                let start = end.checked_add(gap).ok_or("a run beyond 32 bits")?;
                end = start.checked_add(length).ok_or("a run beyond 32 bits")?;
                runs.push(start..end);
            }
            Ok(())
        }
        Some((&BITS, rest)) => {
            for (index, &byte) in rest.iter().enumerate() {
                let base = u32::try_from(index * 8).map_err(|_| "a bit set beyond 32 bits")?;
                for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                    runs.push(base + bit..base + bit + 1);
                }
            }
            Ok(())
        }
        Some(_) => Err("an unknown tag"),
        None => Err("no bytes"),
    }
}

fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Result<u32, &'static str> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("a number that is cut off")?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return u32::try_from(number).map_err(|_| "a number beyond 32 bits");
        }
    }
    Err("a number beyond 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elements(runs: &[Range<u32>]) -> Vec<u32> {
        runs.iter().cloned().flatten().collect()
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(set in proptest::collection::btree_set(0u32..600, 0..400)) {
            let mut runs: Vec<Range<u32>> = Vec::new();
            for element in set {
                push_joined(&mut runs, element..element + 1);
            }
            let mut decoded = Vec::new();
            decode(&encode(&runs), &mut decoded).unwrap();
            prop_assert_eq!(elements(&decoded), elements(&runs));
        }

        #[test]
        fn any_bytes_decode_or_say_why_not(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut runs = Vec::new();
            let _ = decode(&bytes, &mut runs);
        }
    }
}
