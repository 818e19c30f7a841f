//! The bytes of a safetensors file.
//!
//! The `safetensors` crate reads; the header is written here, because the crate keeps metadata in
//! a hash map and would write it in another order each time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use safetensors::SafeTensors;
use safetensors::tensor::Dtype;
use serde_json::Value;

use super::{CHECKSUM, MOST_BYTES, ModelProblem, Result, Tensor, digest};

/// Stands for the checksum while it is computed.
const BLANK: &str = match str::from_utf8(&[b'0'; 64]) {
    Ok(text) => text,
    Err(_) => unreachable!(),
};
/// The header's length comes first, in so many bytes.
const LENGTH_BYTES: usize = 8;

/// A file's content, its structure checked, its meaning not.
pub(crate) struct Container<'a> {
    bytes: &'a [u8],
    metadata: BTreeMap<String, String>,
    tensors: SafeTensors<'a>,
}

impl<'a> Container<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self> {
        check_length(bytes)?;
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_safetensors)?;
        let metadata = header.metadata().iter().flatten();
        let metadata = metadata.map(|(key, value)| (key.clone(), value.clone()));
        Ok(Self {
            bytes,
            metadata: metadata.collect(),
            tensors: SafeTensors::deserialize(bytes).map_err(not_safetensors)?,
        })
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.metadata.keys().map(String::as_str)
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str> {
        let value = self.metadata.get(key).map(String::as_str);
        value.ok_or_else(|| ModelProblem::MissingKey(key.to_owned()))
    }

    pub(crate) fn json(&self, key: &str) -> Result<Value> {
        let text = self.text(key)?;
        serde_json::from_str(text).map_err(|_| ModelProblem::NotJson {
            key: key.to_owned(),
            found: text.to_owned(),
        })
    }

    /// All tensors, sorted by name; every one must be finite `f32`, and the file what its checksum says,
    /// if it has one.
    pub(crate) fn tensors(&self) -> Result<Vec<Tensor>> {
        let mut views: Vec<_> = self.tensors.iter().collect();
        views.sort_by_key(|(name, _)| *name);
        let tensors = views.into_iter().map(|(name, view)| {
            let name = name.to_owned();
            if view.dtype() != Dtype::F32 {
                let found = format!("{:?}", view.dtype());
                return Err(ModelProblem::Type { name, found });
            }
            let (numbers, _) = view.data().as_chunks();
            let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
            let tensor = Tensor {
                name,
                shape: view.shape().to_vec(),
                data: numbers.collect(),
            };
            check_finite(&tensor)?;
            Ok(tensor)
        });
        let tensors = tensors.collect::<Result<_>>()?;
        self.check_sum()?;
        Ok(tensors)
    }

    fn check_sum(&self) -> Result<()> {
        let Some(told) = self.metadata.get(CHECKSUM) else {
            return Ok(());
        };
        let entry = pair(&(CHECKSUM, told.clone()));
        let mut places = self.bytes.windows(entry.len());
        let place = places.position(|bytes| bytes == entry.as_bytes());
        let whole = place.is_some_and(|place| {
            let end = place + entry.len() - 1;
            let blank = BLANK.as_bytes();
            let parts = [&self.bytes[..end - told.len()], blank, &self.bytes[end..]];
            digest(&parts.concat()) == *told
        });
        whole.then_some(()).ok_or(ModelProblem::Damaged)
    }
}

/// The file's bytes, metadata and tensors in the given order, the checksum after the metadata.
pub(crate) fn encode(metadata: &[(&str, String)], tensors: &[Tensor]) -> Result<Vec<u8>> {
    let blank = encode_with(metadata, BLANK, tensors)?;
    encode_with(metadata, &digest(&blank), tensors)
}

fn encode_with(metadata: &[(&str, String)], checksum: &str, tensors: &[Tensor]) -> Result<Vec<u8>> {
    let checksum = (CHECKSUM, checksum.to_owned());
    let pairs: Vec<_> = metadata.iter().chain([&checksum]).map(pair).collect();
    let mut header = format!("{{\"__metadata__\":{{{}}}", pairs.join(","));
    let mut end = 0;
    for tensor in tensors {
        check_finite(tensor)?;
        let (start, name, shape) = (end, quoted(&tensor.name), Value::from(tensor.shape.clone()));
        end += size_of::<f32>() * tensor.data.len();
        write!(
            header,
            ",{name}:{{\"dtype\":\"F32\",\"shape\":{shape},\"data_offsets\":[{start},{end}]}}"
        )
        .expect("a string takes everything");
    }
    header.push('}');
    // The tensors start at a multiple of eight bytes.
    let padded = header.len().next_multiple_of(LENGTH_BYTES);
    header.extend(std::iter::repeat_n(' ', padded - header.len()));

    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.into_bytes());
    let numbers = tensors.iter().flat_map(|tensor| &tensor.data);
    bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
    Ok(bytes)
}

fn pair((key, value): &(&str, String)) -> String {
    format!("{}:{}", quoted(key), quoted(value))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Tells a file that was cut short or grew from one that is something else.
fn check_length(bytes: &[u8]) -> Result<()> {
    let found = bytes.len() as u64;
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
        return Err(ModelProblem::Truncated {
            expected: LENGTH_BYTES as u64,
            found,
        });
    };
    let header = u64::from_le_bytes(*length);
    if header > MOST_BYTES || rest.first().is_some_and(|first| *first != b'{') {
        return Err(ModelProblem::NotSafetensors("no header".to_owned()));
    }
    let Some(text) = rest.get(..header as usize) else {
        return Err(ModelProblem::Truncated {
            expected: LENGTH_BYTES as u64 + header,
            found,
        });
    };
    let entries: BTreeMap<String, Value> = serde_json::from_slice(text).map_err(not_safetensors)?;
    let end = |entry: &Value| entry["data_offsets"][1].as_u64();
    let data = entries.values().filter_map(end).max().unwrap_or(0);
    let expected = data.saturating_add(LENGTH_BYTES as u64 + header);
    match found.cmp(&expected) {
        std::cmp::Ordering::Less => Err(ModelProblem::Truncated { expected, found }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(ModelProblem::Trailing { expected, found }),
    }
}

fn check_finite(tensor: &Tensor) -> Result<()> {
    match tensor.data.iter().position(|number| !number.is_finite()) {
        Some(place) => {
            let (name, found) = (tensor.name.clone(), tensor.data[place]);
            Err(ModelProblem::NotFinite { name, place, found })
        }
        None => Ok(()),
    }
}

fn not_safetensors(error: impl std::error::Error) -> ModelProblem {
    ModelProblem::NotSafetensors(error.to_string())
}
