//! Houdini's classic binary geometry, version 5: points with attributes, big-endian.
//!
//! The layout is that which Partio reads and writes (Walt Disney Animation Studios, `src/lib/io/BHCLASSIC.cpp`): a
//! header of counts, the definitions of the attributes but for the position, then all numbers point by point, the
//! position first and with a fourth, homogeneous, coordinate of 1; two bytes end the file.

use std::io::{self, Write};

use super::super::content::Scalar;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::{Part, interleave};

pub(super) const BGEO: Descriptor = Descriptor {
    note: "Houdini",
    unfit: |content| fit::points(content, i32::MAX as u64),
    numbers: words,
    settings: &[Setting::Names],
    conventions: NAMES,
    ..Descriptor::new(FormatKind::Particles, write)
};

/// Houdini's own names: of a velocity, a number that follows a particle, a colour, and a radius.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("velocity", "v"),
    ("number", "id"),
    ("color", "Cd"),
    ("radius", "pscale"),
];

const FLOAT: i32 = 0;
const INTEGER: i32 = 1;
/// Three floats that are a direction, as a velocity is.
const VECTOR: i32 = 5;

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let position = view.position()?;
    let others = || (view.columns.iter().enumerate()).filter(|(number, _)| *number != position);
    let points = i32::try_from(view.elements()).map_err(io::Error::other)?;
    out.write_all(b"BgeoV")?;
    let [version, primitives, groups] = [5, 0, 0];
    let counts = [
        version,
        points,
        primitives,
        groups,
        groups,
        others().count() as i32,
        0,
        0,
        0,
    ];
    counts
        .iter()
        .try_for_each(|count| out.write_all(&count.to_be_bytes()))?;
    for (_, values) in others() {
        define(values, &values.column.label, out)?;
    }
    let mut parts = vec![Part::Column(&view.columns[position]), Part::One];
    parts.extend(others().map(|(_, values)| Part::Column(values)));
    interleave(&parts, view.elements(), u32::to_be_bytes, out)?;
    out.write_all(&[0x00, 0xff])
}

/// One attribute's name, size, type and default values.
fn define(values: &Values, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let length = u16::try_from(name.len()).map_err(io::Error::other)?;
    let size = u16::try_from(values.column.components).map_err(io::Error::other)?;
    let kind = match (values.column.scalar, size) {
        (Scalar::F32, 3) => VECTOR,
        (Scalar::F32, _) => FLOAT,
        _ => INTEGER,
    };
    out.write_all(&length.to_be_bytes())?;
    out.write_all(name.as_bytes())?;
    out.write_all(&size.to_be_bytes())?;
    out.write_all(&kind.to_be_bytes())?;
    (0..size).try_for_each(|_| out.write_all(&0i32.to_be_bytes()))
}
