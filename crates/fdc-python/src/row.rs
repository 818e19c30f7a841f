//! Rows as Python has them: element numbers, bits in bytes, or a numpy array of either kind.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error::{exception, wrong};
use fdc::Failure;

/// A row as words of 64 bits, appended to `words`: element `e` is bit `e % 64` of word `e / 64`.
///
/// - `bytes`, `bytearray`, `memoryview` and numpy arrays of `uint8`: bits, element `e` is bit
///   `e % 8` of byte `e / 8`;
/// - numpy arrays of `bool`: a value for every element;
/// - any other iterable: numbers of elements.
pub(crate) fn append(row: &Bound<'_, PyAny>, elements: usize, into: &mut Vec<u64>) -> PyResult<()> {
    if let Ok(bytes) = row.cast::<PyBytes>() {
        return append_bits(bytes.as_bytes(), elements, into);
    }
    if row.cast::<PyList>().is_err()
        && let Some(kind) = buffer_kind(row)?
    {
        return append_buffer(row, kind, elements, into);
    }
    let start = into.len();
    into.resize(start + elements.div_ceil(64), 0);
    let numbers = match row.extract::<Vec<i64>>() {
        Ok(numbers) => numbers,
        Err(_) => numbers_of(row)?,
    };
    for number in numbers {
        let element = usize::try_from(number).ok().filter(|&e| e < elements);
        let element = element.ok_or_else(|| {
            let message = format!("element {number} is out of range: there are {elements}");
            exception(Failure::input(message).hint("elements are counted from 0"))
        })?;
        into[start + element / 64] |= 1 << (element % 64);
    }
    Ok(())
}

pub(crate) fn words(row: &Bound<'_, PyAny>, elements: usize) -> PyResult<Vec<u64>> {
    let mut words = Vec::new();
    append(row, elements, &mut words)?;
    Ok(words)
}

pub(crate) fn count(elements: i64) -> PyResult<u32> {
    u32::try_from(elements)
        .map_err(|_| wrong(format!("expected a number of elements, found {elements}")))
}

/// The element numbers of a row, ascending and each once.
pub(crate) fn numbers(words: &[u64], elements: usize) -> Vec<u32> {
    let covered = (0..elements).filter(|e| words[e / 64] >> (e % 64) & 1 == 1);
    covered.map(|e| e as u32).collect()
}

/// Words as bytes, bit for bit.
pub(crate) fn bytes(words: &[u64], elements: usize) -> Vec<u8> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(elements.div_ceil(8)).collect()
}

#[derive(Clone, Copy)]
enum Buffer {
    Bits,
    Flags,
    Numbers,
}

/// What an object with its own memory holds; `None` for one without.
fn buffer_kind(row: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    let name = row.get_type().name()?;
    if name == "bytearray" || name == "memoryview" {
        return Ok(Some(Buffer::Bits));
    }
    let Some(dtype) = row.getattr_opt("dtype")? else {
        return Ok(None);
    };
    let kind: String = dtype.getattr("kind")?.extract()?;
    let size: usize = dtype.getattr("itemsize")?.extract()?;
    match (&*kind, size) {
        ("b", _) => Ok(Some(Buffer::Flags)),
        ("u", 1) => Ok(Some(Buffer::Bits)),
        ("i" | "u", _) => Ok(Some(Buffer::Numbers)),
        _ => {
            let message = format!("expected a row of bool, uint8 or whole numbers, found {dtype}");
            Err(wrong(message))
        }
    }
}

fn append_buffer(
    row: &Bound<'_, PyAny>,
    kind: Buffer,
    elements: usize,
    words: &mut Vec<u64>,
) -> PyResult<()> {
    if matches!(kind, Buffer::Numbers) {
        return append(&row.call_method0("tolist")?, elements, words);
    }
    let raw = row.call_method0("tobytes").or_else(|_| {
        let bytes = row.py().get_type::<PyBytes>();
        bytes.call1((row,))
    })?;
    let raw = raw.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
    if matches!(kind, Buffer::Bits) {
        return append_bits(raw, elements, words);
    }
    if raw.len() != elements {
        let message = format!("expected {elements} values in a row, found {}", raw.len());
        return Err(wrong(message));
    }
    words.extend(raw.chunks(64).map(|flags| {
        let bits = flags.iter().enumerate();
        bits.fold(0, |word, (bit, &flag)| word | u64::from(flag != 0) << bit)
    }));
    Ok(())
}

fn append_bits(raw: &[u8], elements: usize, words: &mut Vec<u64>) -> PyResult<()> {
    let (exact, padded) = (elements.div_ceil(8), elements.div_ceil(64) * 8);
    if raw.len() != exact && raw.len() != padded {
        let (wanted, found) = (format!("{exact} bytes for {elements} elements"), raw.len());
        let message = format!("expected a row of {wanted}, found {found} bytes");
        let hint = "a list of element numbers is taken as well";
        return Err(exception(Failure::input(message).hint(hint)));
    }
    words.extend(raw.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
    Ok(())
}

fn numbers_of(row: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let wrong = |found: &Bound<'_, PyAny>| {
        let kind = found.get_type();
        let kind = kind.name().map(|name| name.to_string()).unwrap_or_default();
        let expected = "element numbers or bits for a row";
        wrong(format!("expected {expected}, found {kind}"))
    };
    let items = row.try_iter().map_err(|_| wrong(row))?;
    let number = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        item.extract().map_err(|_| wrong(&item))
    };
    items.map(number).collect()
}
