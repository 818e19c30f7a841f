//! Raw profiles, as LLVM's runtime writes them at the end of a process or while it runs.
//!
//! A header, then a record per function that has code in the program, then all counters. Versions
//! 9 and 10 are read (seen from LLVM 18 and 22); other versions are for LLVM's own tools.

use super::bytes::{Bytes, Result, Unreadable};

/// `\xfflprofr\x81` as a little-endian number.
const MAGIC: u64 = 0xff6c_7072_6f66_7281;
/// The variant, of those that rustc sets, that changes the layout: counters of one byte.
const BYTE_COUNTERS: u64 = 1 << 60;
const RECORD: usize = 64;
const COUNTER: usize = 8;

#[derive(Debug)]
pub(crate) struct Profile<'b> {
    records: &'b [u8],
    counters: &'b [u8],
    /// Where the counters begin, seen from the first record of the running program.
    counters_delta: u64,
}

/// How often the parts of one function have run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts<'b> {
    /// The digest of the function's name.
    pub(crate) name: u64,
    /// The digest of its shape: profiles and mappings fit only if it is the same.
    pub(crate) shape: u64,
    counters: &'b [u8],
}

impl<'b> Profile<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Result<Self> {
        let mut header = Bytes(bytes);
        if header.u64()? != MAGIC {
            let what = "not a raw profile of this kind of machine";
            return Err(Unreadable::Unknown(what));
        }
        let version = header.u64()?;
        if version & BYTE_COUNTERS != 0 || !matches!(version & 0xff_ffff, 9 | 10) {
            return Err(Unreadable::Unknown("a raw profile of another version"));
        }
        let binary_ids = header.size()?;
        let records = header.size()?;
        let padding_before = header.size()?;
        let counters = header.size()?;
        // Padding, bytes of bitmaps, padding, bytes of names.
        header.take_many(4, 8)?;
        let counters_delta = header.u64()?;
        // Where bitmaps and names begin; from 10 on virtual tables and their names; kinds of values.
        header.take_many(if version & 0xff_ffff == 10 { 5 } else { 3 }, 8)?;
        header.take(binary_ids)?;
        let records = header.take_many(records, RECORD)?;
        header.take(padding_before)?;
        let counters = header.take_many(counters, COUNTER)?;
        Ok(Profile {
            records,
            counters,
            counters_delta,
        })
    }

    /// The functions of which any part has run.
    pub(crate) fn run_functions(&self) -> impl Iterator<Item = Result<Counts<'b>>> {
        let records = self.records.chunks_exact(RECORD).enumerate();
        let counts = records.map(|(number, record)| self.counts(number, record));
        counts.filter(|counts| counts.as_ref().map_or(true, Counts::any))
    }

    fn counts(&self, number: usize, record: &'b [u8]) -> Result<Counts<'b>> {
        let mut record = Bytes(record);
        let (name, shape) = (record.u64()?, record.u64()?);
        let pointer = record.u64()?;
        record.take(24)?;
        let length = record.u32()? as usize;
        // Pointers are relative to their own record.
        let start = pointer.wrapping_add((number * RECORD) as u64);
        let start = usize::try_from(start.wrapping_sub(self.counters_delta));
        let mut counters = Bytes(self.counters);
        counters.take(start.map_err(|_| Unreadable::Damaged("a counter out of place"))?)?;
        Ok(Counts {
            name,
            shape,
            counters: counters.take_many(length, COUNTER)?,
        })
    }
}

impl Counts<'_> {
    /// Counter `number`; 0 if there is none.
    pub(crate) fn get(&self, number: usize) -> u64 {
        let (counters, _) = self.counters.as_chunks::<COUNTER>();
        counters
            .get(number)
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn any(&self) -> bool {
        self.counters.iter().any(|&byte| byte != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two functions with three and two counters, and padding before the counters.
    fn profile(version: u64) -> Vec<u8> {
        let (records, padding, counters): (u64, u64, [u64; 5]) = (2, 16, [0, 0, 0, 7, 1 << 40]);
        // The counters of the running program begin 1000 bytes before its records.
        let delta = 1000u64.wrapping_neg();
        let mut words = vec![
            MAGIC, version, 8, records, padding, 5, 0, 0, 0, 0, delta, 0, 0,
        ];
        if version == 10 {
            words.extend([0, 0]);
        }
        words.extend([1, 0xb1_4a7]);
        for (number, (name, first, count)) in [(11, 0, 3), (22, 3, 2)].into_iter().enumerate() {
            let own_place = 64 * number as u64;
            let pointer = delta.wrapping_add(8 * first).wrapping_sub(own_place);
            words.extend([name, name * 10, pointer, 0, 0, 0, count, 0]);
        }
        words.extend([0, 0]);
        words.extend(counters);
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn functions_that_ran_come_with_their_counters() {
        for version in [9, 10] {
            let bytes = profile(version);
            let profile = Profile::new(&bytes).unwrap();
            let ran: Vec<Counts> = profile.run_functions().map(Result::unwrap).collect();
            let [only] = ran.as_slice() else {
                panic!("{ran:?}");
            };
            assert_eq!((only.name, only.shape), (22, 220));
            assert_eq!([only.get(0), only.get(1), only.get(2)], [7, 1 << 40, 0]);
        }
    }

    #[test]
    fn another_version_is_for_the_tools() {
        for version in [8, 11, 10 | BYTE_COUNTERS] {
            let found = Profile::new(&profile(version)).unwrap_err();
            let expected = Unreadable::Unknown("a raw profile of another version");
            assert_eq!(found, expected, "{version}");
        }
    }

    #[test]
    fn damaged_profiles_are_refused_or_read_but_never_more() {
        let whole = profile(10);
        for length in 0..whole.len() {
            assert!(Profile::new(&whole[..length]).is_err(), "{length} bytes");
        }
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(profile) = Profile::new(&bytes) {
                    for counts in profile.run_functions().flatten() {
                        counts.get(usize::MAX / 8);
                    }
                }
            }
        }
    }
}
