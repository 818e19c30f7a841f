//! A table in Parquet: one flat group of required columns, written whole or not at all. Every table
//! begins with the columns that say which unit a row belongs to. Its metadata `checksum` is over all
//! values.

use std::path::Path;
use std::sync::Arc;

use fdc_case::FileError;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::checksum;
use crate::evaluate::StudyUnit;

const CHECKSUM: &str = "checksum";

pub(super) enum Column {
    Text(Vec<ByteArray>),
    Wide(Vec<i64>),
    Whole(Vec<i32>),
    Real(Vec<f64>),
}

/// A few bytes of Parquet can stand for billions of rows that are alike; an evaluation has millions
/// at most.
const MOST_ROWS: usize = 20_000_000;

/// Which unit a row belongs to, and the failing test.
const UNIT: [&str; 6] = [
    "metric",
    "seed",
    "division",
    "subject",
    "version",
    "failing_test",
];

impl Column {
    pub(super) fn text<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Column::Text(texts.into_iter().map(ByteArray::from).collect())
    }

    fn checksum(&self) -> String {
        let bytes: Vec<u8> = match self {
            Column::Text(texts) => {
                let sized = |text: &ByteArray| [&text.len().to_le_bytes(), text.data()].concat();
                texts.iter().flat_map(sized).collect()
            }
            Column::Wide(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Column::Whole(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Column::Real(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        checksum(&bytes)
    }
}

fn checksum_of<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let sums: Vec<String> = columns.map(Column::checksum).collect();
    checksum(sums.concat().as_bytes())
}

/// Writes a table of this name: a unit and failing test per row, and columns of its own.
pub(super) fn write(
    path: &Path,
    name: &str,
    units: &[(&StudyUnit, &str)],
    own: impl Iterator<Item = (&'static str, Column)>,
) -> Result<(), FileError> {
    let rows = || units.iter();
    let unit = [
        Column::text(rows().map(|(unit, _)| &*unit.metric)),
        Column::Wide(rows().map(|(unit, _)| unit.seed as i64).collect()),
        Column::text(rows().map(|(unit, _)| &*unit.division)),
        Column::text(rows().map(|(unit, _)| &*unit.subject)),
        Column::Whole(rows().map(|(unit, _)| unit.version as i32).collect()),
        Column::text(rows().map(|(_, failing)| *failing)),
    ];
    let columns: Vec<_> = UNIT.into_iter().zip(unit).chain(own).collect();
    let bytes = encode(name, &columns)
        .map_err(|error| FileError::bad(path, "results that fit a table", error.to_string()))?;
    fdc_case::write_whole(path, |file| file.write_all(&bytes))
}

/// Reads the columns of a table that has these behind those of the unit.
pub(super) fn read(path: &Path, own: &[&str]) -> Result<Vec<Column>, FileError> {
    let bytes = fdc_formats::read_bytes(path)?;
    let decoded = fdc_case::fenced(path, || Ok(decode(bytes, own)))?;
    decoded.map_err(|error| damaged(path, &error.to_string()))
}

/// The unit of a row and the failing test; `None` if no unit has such values.
pub(super) fn unit(columns: &[Column], row: usize) -> Option<(StudyUnit, String)> {
    use Column::{Text, Whole, Wide};
    let [
        Text(metric),
        Wide(seed),
        Text(division),
        Text(subject),
        Whole(version),
        Text(failing),
        ..,
    ] = columns
    else {
        return None;
    };
    let unit = StudyUnit {
        metric: string(&metric[row])?,
        seed: seed[row] as u64,
        division: string(&division[row])?,
        subject: string(&subject[row])?,
        version: u32::try_from(version[row]).ok()?,
    };
    Some((unit, string(&failing[row])?))
}

pub(super) fn string(text: &ByteArray) -> Option<String> {
    text.as_utf8().ok().map(str::to_owned)
}

/// The error for a file that is not what it should be.
pub(super) fn damaged(path: &Path, found: &str) -> FileError {
    FileError::bad(path, "results of `fdc evaluate`", found)
        .hint("the file is damaged or something else: evaluate again")
}

fn encode(name: &str, columns: &[(&str, Column)]) -> Result<Vec<u8>> {
    let column = |(name, column): &(&str, Column)| match column {
        Column::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (UTF8);"),
        Column::Wide(_) => format!("REQUIRED INT64 {name};"),
        Column::Whole(_) => format!("REQUIRED INT32 {name};"),
        Column::Real(_) => format!("REQUIRED DOUBLE {name};"),
    };
    let schema: String = columns.iter().map(column).collect();
    let schema = format!("message {name} {{ {schema} }}");
    let schema = Arc::new(parse_message_type(&schema)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("fdc {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![KeyValue::new(
            CHECKSUM.to_owned(),
            checksum_of(columns.iter().map(|(_, column)| column)),
        )]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        match column {
            Column::Text(values) => put::<ByteArrayType>(&mut group, values)?,
            Column::Wide(values) => put::<Int64Type>(&mut group, values)?,
            Column::Whole(values) => put::<Int32Type>(&mut group, values)?,
            Column::Real(values) => put::<DoubleType>(&mut group, values)?,
        }
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
) -> Result<()> {
    let mut column = group.next_column()?.expect("the schema is of the columns");
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// Results are one group of rows.
fn decode(bytes: Vec<u8>, own: &[&str]) -> Result<Vec<Column>> {
    let other = || ParquetError::General("a table of other columns".into());
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names = fields.iter().map(|field| field.name());
    if !names.eq(UNIT.iter().chain(own).copied()) || reader.num_row_groups() != 1 {
        return Err(other());
    }
    let group = reader.get_row_group(0)?;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    if rows > MOST_ROWS {
        let message = format!("{rows} rows, of which at most {MOST_ROWS} are read");
        return Err(ParquetError::General(message));
    }
    let column = |number| match group.get_column_reader(number)? {
        ColumnReader::ByteArrayColumnReader(column) => Ok(Column::Text(take(column, rows)?)),
        ColumnReader::Int64ColumnReader(column) => Ok(Column::Wide(take(column, rows)?)),
        ColumnReader::Int32ColumnReader(column) => Ok(Column::Whole(take(column, rows)?)),
        ColumnReader::DoubleColumnReader(column) => Ok(Column::Real(take(column, rows)?)),
        _ => Err(other()),
    };
    let columns = (0..fields.len()).map(column).collect::<Result<Vec<_>>>()?;
    let notes = reader.metadata().file_metadata().key_value_metadata();
    let told = notes.into_iter().flatten();
    let told = { told }.find(|note| note.key == CHECKSUM);
    let sum = checksum_of(columns.iter());
    match told.and_then(|note| note.value.as_ref()) {
        Some(told) if *told == sum => Ok(columns),
        Some(_) => Err("values that are not those of its checksum"),
        // A damaged footer may lose it, and rows with it.
        None => Err("no checksum"),
    }
    .map_err(|message| ParquetError::General(message.into()))
}

fn take<T: DataType>(mut column: ColumnReaderImpl<T>, rows: usize) -> Result<Vec<T::T>> {
    let mut values = Vec::new();
    while values.len() < rows {
        let left = rows - values.len();
        if column.read_records(left, None, None, &mut values)?.0 == 0 {
            return Err(ParquetError::General("a column that is cut off".into()));
        }
    }
    Ok(values)
}
