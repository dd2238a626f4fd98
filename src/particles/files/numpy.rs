//! NumPy's npy (an N x 3 array: positions) and npz (an array for each attribute, under its name).

use std::io::{BufReader, Read};
use std::path::Path;

use npyz::zip::ZipArchive;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use super::bytes::{MAX_FILE_BYTES, open};
use super::columns::{Column, ComponentLayout, Layout, NumberType, POSITION};

/// Maximum size of an array's header, bytes.
const MAX_HEADER_BYTES: u32 = 1 << 16;
/// Maximum number of arrays in an archive.
const MAX_ARRAYS: usize = 1024;

/// Reads the header of an array; also returns its length.
pub(super) fn header(mut from: impl Read) -> Result<(NpyHeader, u64), String> {
    let mut start = [0; 12];
    let short = |_| "a header is incomplete".to_string();
    from.read_exact(&mut start[..8]).map_err(short)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("it is not an npy array, which begins with \\x93NUMPY".into());
    }
    // The length of the header has two bytes in version 1, four in later ones.
    let wide = start[6] > 1;
    let end = if wide { 12 } else { 10 };
    from.read_exact(&mut start[8..end]).map_err(short)?;
    let length = if wide {
        u32::from_le_bytes([start[8], start[9], start[10], start[11]])
    } else {
        u32::from(u16::from_le_bytes([start[8], start[9]]))
    };
    if length > MAX_HEADER_BYTES {
        return Err(format!("a header of {length} bytes is longer than 64 KiB"));
    }
    let mut bytes = start[..end].to_vec();
    from.take(u64::from(length))
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    check_shape(&String::from_utf8_lossy(&bytes[end..]))?;
    let header = NpyHeader::from_reader(bytes.as_slice()).map_err(|error| error.to_string())?;
    Ok((header, bytes.len() as u64))
}

/// Refuses shapes whose product may overflow, which the reader of headers does not check.
fn check_shape(header: &str) -> Result<(), String> {
    let shape = header
        .split_once("'shape'")
        .and_then(|(_, rest)| rest.split_once('('));
    let shape = shape.and_then(|(_, rest)| rest.split_once(')'));
    let (shape, _) = shape.ok_or("its header has no shape")?;
    let sides = shape.split(',').filter(|side| !side.trim().is_empty());
    let product = sides.into_iter().try_fold(1u64, |product, side| {
        let side: u64 = side.trim().trim_end_matches('L').parse().ok()?;
        product.checked_mul(side.max(1))
    });
    if product.is_some_and(|product| product <= MAX_FILE_BYTES) {
        Ok(())
    } else {
        Err(format!("its shape ({shape}) is more than 16 GiB"))
    }
}

/// The array as an attribute; the error says why it cannot be one.
fn column(name: &str, header: &NpyHeader, block: usize, first: u64) -> Result<Column, String> {
    let shape = header.shape();
    let (points, components) = match shape {
        [points] => (*points, 1),
        [points, components] if (1..=1024).contains(components) => (*points, *components),
        _ => {
            return Err(format!("its shape {shape:?} is not points times components"));
        }
    };
    let dtype = header.dtype();
    let (kind, big_endian) =
        number(&dtype).ok_or_else(|| format!("its type {} is not supported", dtype.descr()))?;
    let size = kind.size() as u64;
    let (step, stride) = match header.order() {
        Order::C => (size, components * size),
        Order::Fortran => (points.saturating_mul(size), size),
    };
    let layout = |component: u64| ComponentLayout {
        kind,
        big_endian,
        block,
        first: first + component * step,
        stride,
    };
    let bytes = points.checked_mul(components * size);
    if bytes.is_none_or(|bytes| bytes > MAX_FILE_BYTES) {
        return Err(format!(
            "its {points} x {components} numbers are more than 16 GiB"
        ));
    }
    Ok(Column {
        name: name.into(),
        points,
        components: (0..components).map(layout).collect(),
    })
}

pub(super) fn number(dtype: &DType) -> Option<(NumberType, bool)> {
    let DType::Plain(plain) = dtype else {
        return None;
    };
    let kind = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Int, 1) => NumberType::I8,
        (TypeChar::Int, 2) => NumberType::I16,
        (TypeChar::Int, 4) => NumberType::I32,
        (TypeChar::Int, 8) => NumberType::I64,
        (TypeChar::Uint, 1) => NumberType::U8,
        (TypeChar::Uint, 2) => NumberType::U16,
        (TypeChar::Uint, 4) => NumberType::U32,
        (TypeChar::Uint, 8) => NumberType::U64,
        (TypeChar::Float, 2) => NumberType::F16,
        (TypeChar::Float, 4) => NumberType::F32,
        (TypeChar::Float, 8) => NumberType::F64,
        _ => return None,
    };
    Some((kind, plain.endianness() == Endianness::Big))
}

fn bytes_of(column: &Column) -> u64 {
    let sizes = column
        .components
        .iter()
        .map(|component| component.kind.size() as u64);
    column.points * sizes.sum::<u64>()
}

/// The layout of an npy file of `length` bytes that begins with `start`.
pub(super) fn layout(start: &[u8], length: u64) -> Result<Layout, String> {
    let (header, first) = header(start)?;
    let column = column(POSITION, &header, 0, first)?;
    let needed = first + bytes_of(&column);
    if needed > length {
        return Err(format!(
            "it is truncated: its {} points require {needed} bytes, but it has {length}",
            column.points
        ));
    }
    Ok(Layout {
        columns: vec![column],
    })
}

fn each_array(
    path: &Path,
    mut use_it: impl FnMut(Column, &mut dyn Read) -> Result<(), String>,
) -> Result<(), String> {
    let (file, _) = open(path)?;
    let text = |error: npyz::zip::result::ZipError| format!("it is not a complete npz file: {error}");
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(text)?;
    if archive.len() > MAX_ARRAYS {
        return Err(format!("it has {} arrays, more than {MAX_ARRAYS}", archive.len()));
    }
    let mut blocks = 0;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(text)?;
        let entry_name = entry.name().to_string();
        let Some(name) = entry_name.strip_suffix(".npy") else {
            continue;
        };
        let (header, _) = header(&mut entry).map_err(|cause| format!("array `{name}`: {cause}"))?;
        // Ignore arrays that cannot be attributes: other programs may use them.
        if let Ok(column) = column(name, &header, blocks, 0) {
            use_it(column, &mut entry)?;
            blocks += 1;
        }
    }
    Ok(())
}

/// The arrays of an archive, by their headers.
pub(super) fn archive(path: &Path) -> Result<Layout, String> {
    let mut columns = Vec::new();
    each_array(path, |column, _| {
        columns.push(column);
        Ok(())
    })?;
    Ok(Layout { columns })
}

/// The arrays of an archive, and their numbers.
pub(super) fn unpack(path: &Path) -> Result<(Layout, Vec<Vec<u8>>), String> {
    let (mut columns, mut blocks) = (Vec::new(), Vec::new());
    each_array(path, |column, from| {
        let needed = bytes_of(&column);
        // Grows with the data, since the header may claim any size.
        let mut bytes = Vec::new();
        let failed = |error| format!("array `{}`: {error}", column.name);
        (&mut *from)
            .take(needed)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        // The checksum is checked at the end of the data.
        if from.read(&mut [0]).map_err(failed)? > 0 {
            return Err(format!("array `{}` is longer than its shape", column.name));
        }
        if (bytes.len() as u64) < needed {
            return Err(format!(
                "array `{}` is truncated: its {} points require {needed} bytes, but it has {}",
                column.name,
                column.points,
                bytes.len()
            ));
        }
        blocks.push(bytes);
        columns.push(column);
        Ok(())
    })?;
    Ok((Layout { columns }, blocks))
}
