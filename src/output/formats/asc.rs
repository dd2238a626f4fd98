//! ESRI ASCII grid: one field of vertices or of cells on a map, as text.

use std::io::{self, Write};

use super::super::content::{Content, Scalar};
use super::super::select::View;
use super::descriptor::{Beside, Descriptor, FormatKind, words};
use super::raster::{self, Raster};
use super::rows::invalid;
use crate::heights::DEFAULT_NO_DATA;

pub(super) const ASC: Descriptor = Descriptor {
    note: "ESRI ASCII grid; as geotiff; with a `.prj`",
    has_map: true,
    beside,
    unfit: raster::unfit,
    numbers: words,
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
    let Some([width, height]) = map.sides() else {
        return Err(invalid("an asc has no place for a rotation: choose geotiff"));
    };
    let [x, north] = map.tie;
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
        Scalar::I32 => Box::new(raster.rows::<i32>().map(|value| value.to_string())),
        // Others are converted to one of these types.
        Scalar::U32 => Box::new(integers(&raster)?),
        // The shortest text that reads as the same number, with a point or an exponent: a float for every reader.
        _ => Box::new(raster.rows::<f32>().map(|value| {
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

/// Unsigned numbers as text. Readers take whole numbers as signed ones of 32 bits.
fn integers(raster: &Raster) -> io::Result<impl Iterator<Item = String>> {
    if let Some(number) = raster.rows::<u32>().find(|number| *number > i32::MAX as u32) {
        return Err(invalid(format!(
            "`{}` has the value {number}, but GIS read whole numbers of an asc as signed ones up to 2147483647: add a \
             `scale`, or choose geotiff",
            raster.values.column.name
        )));
    }
    Ok(raster.rows::<u32>().map(|value| value.to_string()))
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

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;
    use crate::heights::Georeference;
    use crate::output::{Format, Geometry, Map};

    fn text(scalar: Scalar, bytes: Vec<u8>, no_data: Option<&str>) -> Result<String, String> {
        let mut content = Content::array(Format::Asc, scalar, 1, &[2, 3]);
        content.geometry = Geometry::Vertices {
            origin: [0.0; 3],
            spacing: [1.0; 3],
        };
        let reference = Georeference {
            no_data: no_data.map(str::to_owned),
            ..Georeference::local()
        };
        content.map = Some(Map {
            reference,
            first: [10.0, -20.0],
            step: [1.0, 2.5],
            is_point: true,
            warning: None,
        });
        let mut file = Vec::new();
        encode(&content, 1, &bytes, &mut file).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(file).unwrap())
    }

    fn floats(values: [f32; 6]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    }

    #[test]
    fn floats_read_as_themselves_and_gaps_have_a_free_value() {
        let values = [1.0, f32::NAN, 1e-7, -9999.0, f32::INFINITY, 0.1];
        let wanted = "ncols 3\nnrows 2\nxllcenter 10\nyllcenter 20\ndx 1\ndy 2.5\n";
        let free = f64::from(f32::MIN).to_string();
        assert_eq!(
            text(Scalar::F32, floats(values), Some("-9999")).unwrap(),
            format!("{wanted}NODATA_value {free}\n-9999.0 {free} 0.1\n1.0 {free} 1e-7\n")
        );
        let kept = text(Scalar::F32, floats([1.0; 6]), Some("-32768")).unwrap();
        assert!(kept.contains("NODATA_value -32768\n1.0 1.0 1.0\n"), "{kept}");
    }

    #[test]
    fn whole_numbers_that_readers_would_wrap_are_refused() {
        let bytes = |last: u32| {
            [0, 1, 2, 3, 4, last]
                .iter()
                .flat_map(|n: &u32| n.to_ne_bytes())
                .collect()
        };
        let fits = text(Scalar::U32, bytes(0x7fff_ffff), None).unwrap();
        assert!(fits.ends_with("3 4 2147483647\n0 1 2\n"), "{fits}");
        let refused = text(Scalar::U32, bytes(0x8000_0000), None).unwrap_err();
        assert!(
            refused.contains("the value 2147483648") && refused.contains("`scale`"),
            "{refused}"
        );
    }
}
