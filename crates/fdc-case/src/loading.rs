//! All rows of coverage out of a case: one thread reads them, while the others decode.

use fdc_core::rows::Rows;
use rayon::prelude::*;
use rusqlite::Connection;

use crate::row;

/// Bytes of rows that are read before the threads get them.
const BATCH: usize = 1 << 22;
/// Rows that one thread decodes at a time.
const PIECE: usize = 64;

/// The rows of tests `0..`, up to the first one that is not as it should be, and what is wrong with that.
pub(crate) fn read_rows(
    connection: &Connection,
    elements: u32,
) -> rusqlite::Result<(Rows, Option<String>)> {
    read_in_batches(connection, elements, BATCH)
}

/// Does one thing on another thread, if there is one, and the other meanwhile on this one.
pub(crate) fn beside<T: Send, U>(
    there: impl FnOnce() -> T + Send,
    here: impl FnOnce() -> U,
) -> (T, U) {
    if rayon::current_num_threads() == 1 {
        return (there(), here());
    }
    let mut done = None;
    let own = rayon::in_place_scope(|scope| {
        scope.spawn(|_| done = Some(there()));
        here()
    });
    (done.expect("the scope ends when all is done"), own)
}

fn read_in_batches(
    connection: &Connection,
    elements: u32,
    size: usize,
) -> rusqlite::Result<(Rows, Option<String>)> {
    let mut rows = Rows::new(elements);
    let mut query = connection.prepare("SELECT test, elements FROM coverage ORDER BY test")?;
    let mut found = query.query([])?;
    let (mut full, mut next) = (Batch::default(), Batch::default());
    next.fill(&mut found, size)?;
    while !next.is_empty() {
        std::mem::swap(&mut full, &mut next);
        next.clear(full.first + full.ends.len());
        let decode = || full.decode_behind(&mut rows);
        let (decoded, filled) = beside(decode, || next.fill(&mut found, size));
        if let Err(problem) = decoded {
            return Ok((rows, Some(problem)));
        }
        filled?;
    }
    let problem = next
        .ends_early
        .then(|| "the row of another test".to_owned());
    Ok((rows, problem))
}

/// Encoded rows, one behind the other.
#[derive(Default)]
struct Batch {
    /// The test of the first row.
    first: usize,
    bytes: Vec<u8>,
    /// Where each row ends.
    ends: Vec<usize>,
    /// The next row is not of the next test.
    ends_early: bool,
}

impl Batch {
    fn clear(&mut self, first: usize) {
        self.first = first;
        self.bytes.clear();
        self.ends.clear();
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Reads rows until there are so many bytes.
    fn fill(&mut self, found: &mut rusqlite::Rows<'_>, size: usize) -> rusqlite::Result<()> {
        while !self.ends_early && self.bytes.len() < size {
            let Some(row) = found.next()? else { break };
            let test: i64 = row.get(0)?;
            if test == (self.first + self.ends.len()) as i64 {
                let row = row.get_ref(1)?.as_blob()?;
                self.bytes.extend_from_slice(row);
                self.ends.push(self.bytes.len());
            } else {
                self.ends_early = true;
            }
        }
        Ok(())
    }

    /// Decodes the rows and puts them behind others, up to one that cannot be decoded.
    fn decode_behind(&self, rows: &mut Rows) -> Result<(), String> {
        let width = rows.width();
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans: Vec<_> = starts.zip(self.ends.iter().copied()).collect();
        let decode = |spans: &[(usize, usize)]| {
            let mut rows = Rows::new(width);
            let decoded = spans.iter().try_for_each(|&(start, end)| {
                row::push_decoded(&self.bytes[start..end], &mut rows)
            });
            (rows, decoded)
        };
        let pieces: Vec<_> = spans.par_chunks(PIECE).map(decode).collect();
        for (piece, decoded) in pieces {
            rows.append(&piece);
            decoded?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::params;

    /// One row after the other, as far as they go.
    fn naive(blobs: &[(i64, Vec<u8>)], elements: u32) -> (Rows, Option<String>) {
        let mut rows = Rows::new(elements);
        for (index, (test, blob)) in blobs.iter().enumerate() {
            let pushed = match *test == index as i64 {
                true => row::push_decoded(blob, &mut rows),
                false => Err("the row of another test".to_owned()),
            };
            if let Err(problem) = pushed {
                return (rows, Some(problem));
            }
        }
        (rows, None)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_in_batches_are_as_if_read_one_by_one(
            elements in 20u32..200,
            sets in proptest::collection::vec(proptest::collection::btree_set(0u32..200, 0..60), 0..300),
            damaged in proptest::option::weighted(0.5, 0usize..300),
            gap in proptest::option::weighted(0.3, 0usize..300),
            size in 1usize..4000,
        ) {
            let within = |set: &std::collections::BTreeSet<u32>| {
                row::encode_elements(set.iter().copied().filter(|&element| element < elements))
            };
            let mut blobs: Vec<(i64, Vec<u8>)> = (0..).zip(sets.iter().map(within)).collect();
            if let Some((_, blob)) = damaged.and_then(|at| blobs.get_mut(at)) {
                *blob = vec![7];
            }
            if let Some(at) = gap {
                blobs.iter_mut().skip(at).for_each(|(test, _)| *test += 1);
            }
            let connection = Connection::open_in_memory().unwrap();
            let table = "CREATE TABLE coverage (test INTEGER PRIMARY KEY, elements BLOB NOT NULL)";
            connection.execute_batch(table).unwrap();
            for (test, blob) in &blobs {
                let insert = "INSERT INTO coverage VALUES (?, ?)";
                connection.execute(insert, params![test, blob]).unwrap();
            }
            let expected = naive(&blobs, elements);
            let found = read_in_batches(&connection, elements, size).unwrap();
            prop_assert!(found == expected);
        }
    }

    #[test]
    fn one_thread_does_one_thing_after_the_other() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        for threads in [pool, rayon::ThreadPoolBuilder::new().num_threads(3).build()] {
            let both = threads.unwrap().install(|| beside(|| 1, || 2));
            assert_eq!(both, (1, 2));
        }
    }
}
