//! ESRI ASCII grid: one field of vertices or of cells on a map, as text.

use std::io::{self, Write};

use super::super::content::{Content, Scalar};
use super::super::select::View;
use super::descriptor::{Beside, Descriptor, FormatKind, without_halves};
use super::raster::{self, Raster};
use super::rows::invalid;
use crate::heights::DEFAULT_NO_DATA;

pub(super) const ASC: Descriptor = Descriptor {
    note: "ESRI ASCII grid; as geotiff; with a `.prj`",
    has_map: true,
    beside,
    unfit: raster::unfit,
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Grids, write)
};

/// The coordinate system, if there is text for it.
fn beside(content: &Content) -> Option<Beside> {
    let text = content.map.as_ref()?.reference.projection.text()?;
    Some(Beside {
        extension: "prj",
        text: text.to_owned(),
    })
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Some(raster) = Raster::of(view) else {
        return Err(invalid("a map has a position and two sides"));
    };
    let ([columns, rows], map) = (raster.size, &raster.georeference);
    let ([x, north], [width, height]) = (map.tie, map.pixel);
    let (corner, below) = if map.is_point {
        ("center", rows - 1)
    } else {
        ("corner", rows)
    };
    let y = north - below as f64 * height;
    let sides = if width == height {
        format!("cellsize {width}")
    } else {
        format!("dx {width}\ndy {height}")
    };
    let no_data = no_data(&raster);
    let header = format!(
        "ncols {columns}\nnrows {rows}\nxll{corner} {x}\nyll{corner} {y}\n{sides}\nNODATA_value {no_data}\n"
    );
    out.write_all(header.as_bytes())?;
    let words: Box<dyn Iterator<Item = String>> = match raster.values.column.scalar {
        Scalar::U8 | Scalar::Colour => Box::new(raster.rows::<u8>().map(|value| value.to_string())),
        Scalar::I8 => Box::new(raster.rows::<i8>().map(|value| value.to_string())),
        Scalar::U16 => Box::new(raster.rows::<u16>().map(|value| value.to_string())),
        Scalar::I16 => Box::new(raster.rows::<i16>().map(|value| value.to_string())),
        Scalar::U32 => Box::new(raster.rows::<u32>().map(|value| value.to_string())),
        Scalar::I32 => Box::new(raster.rows::<i32>().map(|value| value.to_string())),
        Scalar::U64 => Box::new(raster.rows::<u64>().map(|value| value.to_string())),
        Scalar::I64 => Box::new(raster.rows::<i64>().map(|value| value.to_string())),
        // The shortest text that reads as the same number, with a point or an exponent: a float for every reader.
        Scalar::F16 | Scalar::F32 => Box::new(raster.rows::<f32>().map(|value| {
            let word = value.is_finite().then(|| format!("{value:?}"));
            word.unwrap_or_else(|| no_data.clone())
        })),
        Scalar::F64 => Box::new(raster.rows::<f64>().map(|value| {
            let word = value.is_finite().then(|| format!("{value:?}"));
            word.unwrap_or_else(|| no_data.clone())
        })),
    };
    let mut text = String::new();
    for (number, word) in words.enumerate() {
        text.push_str(&word);
        if (number + 1) % columns == 0 {
            text.push('\n');
            out.write_all(text.as_bytes())?;
            text.clear();
        } else {
            text.push(' ');
        }
    }
    Ok(())
}

/// The number of elements without data: that of the elevation model, unless it is a value of the field.
fn no_data(raster: &Raster) -> String {
    let stated = raster.georeference.no_data.clone();
    let others = [DEFAULT_NO_DATA, f64::from(f32::MIN)].map(|number| number.to_string());
    let is_free = |text: &String| {
        let number: Option<f64> = text.parse().ok();
        number.is_some_and(|number| !raster.contains(number))
    };
    let mut candidates = stated.into_iter().chain(others);
    candidates.find(is_free).unwrap_or_else(|| f64::MIN.to_string())
}
