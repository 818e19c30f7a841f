//! A table in Parquet: one flat group of required columns, written whole or not at all. Every table
//! begins with the columns that say which unit a row belongs to.

use std::path::Path;
use std::sync::Arc;

use fdc_case::FileError;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::data_type::{DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::evaluate::StudyUnit;

/// The values of a column.
pub(super) enum Values {
    Text(Vec<ByteArray>),
    Wide(Vec<i64>),
    Whole(Vec<i32>),
    Real(Vec<f64>),
}

/// A value of a row.
pub(super) enum Value<'a> {
    Text(&'a str),
    Wide(u64),
    Whole(i32),
    Real(f64),
}

pub(super) const TEXT: fn() -> Values = || Values::Text(Vec::new());
pub(super) const WIDE: fn() -> Values = || Values::Wide(Vec::new());
pub(super) const WHOLE: fn() -> Values = || Values::Whole(Vec::new());
pub(super) const REAL: fn() -> Values = || Values::Real(Vec::new());

/// A column's name and type.
pub(super) type Column = (&'static str, fn() -> Values);

/// Which unit a row belongs to, and the failing test.
const UNIT: [Column; 6] = [
    ("metric", TEXT),
    ("seed", WIDE),
    ("division", TEXT),
    ("subject", TEXT),
    ("version", WHOLE),
    ("failing_test", TEXT),
];

/// The rows, column by column. Columns are counted behind those of the unit.
pub(super) struct Columns {
    schema: String,
    values: Vec<Values>,
}

impl Columns {
    /// An empty table of this name, with these columns behind those of the unit.
    pub(super) fn new(name: &str, own: &[Column]) -> Self {
        let mut schema = format!("message {name} {{ ");
        let mut columns = Vec::new();
        for (name, values) in UNIT.iter().chain(own) {
            let values = values();
            schema += &match values {
                Values::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (UTF8); "),
                Values::Wide(_) => format!("REQUIRED INT64 {name}; "),
                Values::Whole(_) => format!("REQUIRED INT32 {name}; "),
                Values::Real(_) => format!("REQUIRED DOUBLE {name}; "),
            };
            columns.push(values);
        }
        Columns {
            schema: schema + "}",
            values: columns,
        }
    }

    /// Adds a row, its own values in the order of the columns.
    pub(super) fn push<const N: usize>(
        &mut self,
        unit: &StudyUnit,
        failing: &str,
        own: [Value<'_>; N],
    ) {
        let unit = [
            Value::Text(&unit.metric),
            Value::Wide(unit.seed),
            Value::Text(&unit.division),
            Value::Text(&unit.subject),
            Value::Whole(unit.version as i32),
            Value::Text(failing),
        ];
        for (values, value) in self.values.iter_mut().zip(unit.into_iter().chain(own)) {
            match (values, value) {
                (Values::Text(values), Value::Text(text)) => values.push(text.into()),
                (Values::Wide(values), Value::Wide(number)) => values.push(number as i64),
                (Values::Whole(values), Value::Whole(number)) => values.push(number),
                (Values::Real(values), Value::Real(number)) => values.push(number),
                _ => unreachable!("a value of another type than its column's"),
            }
        }
    }

    pub(super) fn rows(&self) -> usize {
        match &self.values[0] {
            Values::Text(values) => values.len(),
            _ => 0,
        }
    }

    /// The unit of a row and the failing test; `None` if no unit has such values.
    pub(super) fn unit(&self, row: usize) -> Option<(StudyUnit, String)> {
        let text = |column| text(&self.values[column], row);
        let Values::Wide(seed) = &self.values[1] else {
            return None;
        };
        let unit = StudyUnit {
            metric: text(0)?,
            seed: seed[row] as u64,
            division: text(2)?,
            subject: text(3)?,
            version: u32::try_from(whole(&self.values[4], row)?).ok()?,
        };
        Some((unit, text(5)?))
    }

    pub(super) fn text(&self, column: usize, row: usize) -> Option<String> {
        text(&self.values[UNIT.len() + column], row)
    }

    pub(super) fn whole(&self, column: usize, row: usize) -> Option<i32> {
        whole(&self.values[UNIT.len() + column], row)
    }

    pub(super) fn wide(&self, column: usize, row: usize) -> Option<u64> {
        match &self.values[UNIT.len() + column] {
            Values::Wide(values) => Some(values[row] as u64),
            _ => None,
        }
    }

    pub(super) fn real(&self, column: usize, row: usize) -> Option<f64> {
        match &self.values[UNIT.len() + column] {
            Values::Real(values) => Some(values[row]),
            _ => None,
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self
            .encode()
            .map_err(|error| FileError::bad(path, "results that fit a table", error.to_string()))?;
        fdc_case::write_whole(path, |file| file.write_all(&bytes))
    }

    /// Reads the rows of a table with the columns of this one.
    pub(super) fn read(mut self, path: &Path) -> Result<Self, FileError> {
        let bytes = std::fs::read(path).map_err(FileError::io(path, "read it"))?;
        self.decode(bytes)
            .map_err(|error| damaged(path, &error.to_string()))?;
        Ok(self)
    }

    fn encode(&self) -> Result<Vec<u8>, ParquetError> {
        let schema = Arc::new(parse_message_type(&self.schema)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(format!("fdc {}", env!("CARGO_PKG_VERSION")))
            .build();
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for values in &self.values {
            match values {
                Values::Text(values) => put::<ByteArrayType>(&mut group, values)?,
                Values::Wide(values) => put::<Int64Type>(&mut group, values)?,
                Values::Whole(values) => put::<Int32Type>(&mut group, values)?,
                Values::Real(values) => put::<DoubleType>(&mut group, values)?,
            }
        }
        group.close()?;
        writer.close()?;
        Ok(bytes)
    }

    fn decode(&mut self, bytes: Vec<u8>) -> Result<(), ParquetError> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
        let expected = parse_message_type(&self.schema)?;
        if reader.metadata().file_metadata().schema().get_fields() != expected.get_fields() {
            return Err(ParquetError::General("a table of other columns".into()));
        }
        for group in 0..reader.num_row_groups() {
            let group = &*reader.get_row_group(group)?;
            for (number, values) in self.values.iter_mut().enumerate() {
                match values {
                    Values::Text(values) => take::<ByteArrayType>(group, number, values)?,
                    Values::Wide(values) => take::<Int64Type>(group, number, values)?,
                    Values::Whole(values) => take::<Int32Type>(group, number, values)?,
                    Values::Real(values) => take::<DoubleType>(group, number, values)?,
                }
            }
        }
        Ok(())
    }
}

/// The error for a file that is not what it should be.
pub(super) fn damaged(path: &Path, found: &str) -> FileError {
    FileError::bad(path, "results of `fdc evaluate`", found)
        .hint("the file is damaged or something else: evaluate again")
}

fn text(values: &Values, row: usize) -> Option<String> {
    match values {
        Values::Text(values) => values[row].as_utf8().ok().map(str::to_owned),
        _ => None,
    }
}

fn whole(values: &Values, row: usize) -> Option<i32> {
    match values {
        Values::Whole(values) => Some(values[row]),
        _ => None,
    }
}

/// Puts the next column.
fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// Takes a column by its number.
fn take<T: DataType>(
    group: &dyn RowGroupReader,
    number: usize,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(number)?);
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader.read_records(rows - read, None, None, values)?;
        if records == 0 {
            return Err(ParquetError::General("a column that is cut off".into()));
        }
        read += records;
    }
    Ok(())
}
