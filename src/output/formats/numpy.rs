//! NumPy's npy, and npz: a zip file of them.

use std::io::{self, Cursor, Write};

use npyz::zip::{CompressionMethod, DateTime, ZipWriter, write::FileOptions};
use npyz::{DType, Endianness, WriterBuilder};

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, Encoder, FormatKind, Section, Setting};
use super::sections::write_numbers;

/// One array; takes every column.
pub(super) const NPY: Descriptor = Descriptor {
    settings: &[Setting::Precision],
    unfit: several,
    ..Descriptor::of(FormatKind::Arrays, Encoder::Sections(npy))
};

/// One array per column.
pub(super) const NPZ: Descriptor = Descriptor {
    note: "NumPy",
    settings: &[Setting::Precision, Setting::Names],
    compression: Some(Compression::None),
    ..Descriptor::new(FormatKind::Arrays, npz)
};

fn several(content: &Content) -> Option<String> {
    (content.columns.len() > 1).then(|| "an npy contains one field: choose npz for several".to_owned())
}

fn npy(view: &View) -> io::Result<Vec<Section>> {
    let header = header(view.columns[0].column, &view.shape, view.content.style.half)?;
    Ok(vec![Section::Bytes(header), Section::Column(0)])
}

/// The header of a column. The values of arrays form an axis, and components the last axis if there are several.
fn header(column: &Column, shape: &[u64], half: bool) -> io::Result<Vec<u8>> {
    let mut shape = shape.to_vec();
    shape.extend(column.entries.map(u64::from));
    let components = column.components / column.entries.unwrap_or(1);
    if components > 1 {
        shape.push(u64::from(components));
    }
    let mut bytes = Vec::new();
    npyz::WriteOptions::new_header_only()
        .dtype(dtype(column.scalar, half && column.scalar == Scalar::F32)?)
        .shape(&shape)
        .writer(&mut bytes)
        .write_header_only()?;
    Ok(bytes)
}

/// All columns, each under its name.
fn npz(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // By default a zip entry has the current time.
    let options = FileOptions::default().last_modified_time(DateTime::default());
    let options = match view.content.style.compression {
        None | Some(Compression::None) => options.compression_method(CompressionMethod::Stored),
        Some(Compression::Fast) => level(options, 1),
        Some(Compression::Best) => level(options, 9),
    };
    for values in &view.columns {
        // A little more than the data: the header of an npy has 128 bytes.
        let options = options.large_file(values.bytes.len() as u64 > u64::from(u32::MAX) - (1 << 16));
        zip.start_file(format!("{}.npy", values.column.label), options)?;
        zip.write_all(&header(values.column, &view.shape, view.content.style.half)?)?;
        write_numbers(values, view.content.style.half, &mut zip)?;
    }
    let bytes = zip.finish()?.into_inner();
    out.write_all(&bytes)
}

fn level(options: FileOptions, level: i32) -> FileOptions {
    options
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(level))
}

fn dtype(scalar: Scalar, half: bool) -> io::Result<DType> {
    let order = Endianness::of_machine().to_str();
    let name = match scalar {
        Scalar::F32 if half => format!("{order}f2"),
        Scalar::F16 => format!("{order}f2"),
        Scalar::F32 => format!("{order}f4"),
        Scalar::F64 => format!("{order}f8"),
        Scalar::I8 => "|i1".to_owned(),
        Scalar::I16 => format!("{order}i2"),
        Scalar::I32 => format!("{order}i4"),
        Scalar::I64 => format!("{order}i8"),
        Scalar::U16 => format!("{order}u2"),
        Scalar::U32 => format!("{order}u4"),
        Scalar::U64 => format!("{order}u8"),
        Scalar::U8 | Scalar::Colour => "|u1".to_owned(),
    };
    name.parse().map(DType::new_scalar).map_err(io::Error::other)
}
