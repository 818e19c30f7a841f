//! What tables in Parquet share: one flat group of required columns, written whole or not at all.

use std::path::Path;
use std::sync::Arc;

use fdc_case::FileError;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// Columns being written.
pub(super) type Group<'g, 'b> = SerializedRowGroupWriter<'g, &'b mut Vec<u8>>;

/// Writes a table of this schema; `fill` puts the columns in their order.
pub(super) fn write(
    path: &Path,
    schema: &str,
    fill: impl FnOnce(&mut Group<'_, '_>) -> Result<(), ParquetError>,
) -> Result<(), FileError> {
    let mut bytes = Vec::new();
    encode(&mut bytes, schema, fill)
        .map_err(|error| FileError::bad(path, "results that fit a table", error.to_string()))?;
    fdc_case::write_whole(path, |file| file.write_all(&bytes))
}

/// Reads a table of this schema; `empty` takes the columns of each group out.
pub(super) fn read(
    path: &Path,
    schema: &str,
    empty: impl FnMut(&dyn RowGroupReader) -> Result<(), ParquetError>,
) -> Result<(), FileError> {
    let bytes = std::fs::read(path).map_err(FileError::io(path, "read it"))?;
    decode(bytes, schema, empty).map_err(|error| damaged(path, &error.to_string()))
}

/// The error for a file that is not what it should be.
pub(super) fn damaged(path: &Path, found: &str) -> FileError {
    FileError::bad(path, "results of `fdc evaluate`", found)
        .hint("the file is damaged or something else: evaluate again")
}

/// Puts the next column.
pub(super) fn put<T: DataType>(
    group: &mut Group<'_, '_>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// Takes a column by its number.
pub(super) fn take<T: DataType>(
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

fn encode(
    bytes: &mut Vec<u8>,
    schema: &str,
    fill: impl FnOnce(&mut Group<'_, '_>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(schema)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("fdc {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(bytes, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    fill(&mut group)?;
    group.close()?;
    writer.close()?;
    Ok(())
}

fn decode(
    bytes: Vec<u8>,
    schema: &str,
    mut empty: impl FnMut(&dyn RowGroupReader) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let expected = parse_message_type(schema)?;
    if reader.metadata().file_metadata().schema().get_fields() != expected.get_fields() {
        return Err(ParquetError::General("a table of other columns".into()));
    }
    for group in 0..reader.num_row_groups() {
        empty(&*reader.get_row_group(group)?)?;
    }
    Ok(())
}
