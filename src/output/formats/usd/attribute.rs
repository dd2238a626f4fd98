//! Attributes of points and vertices in USD, from the columns of an output.

use std::io::{self, Write};

use super::super::super::content::{Column, Scalar};
use super::super::super::select::Values;

/// An attribute of points.
pub(super) struct Attribute {
    kind: String,
    name: String,
    /// Numbers of a value in parentheses, and values of a point.
    components: usize,
    values: usize,
    factor: f32,
}

impl Attribute {
    /// The attribute of a column, whose type and name depend on its name in the file.
    pub fn of(column: &Column, is_position: bool) -> Attribute {
        let is_float = column.scalar == Scalar::F32;
        let own = |kind: &str, name: &str| Attribute {
            kind: kind.to_owned(),
            name: name.to_owned(),
            components: column.components as usize,
            values: 1,
            factor: 1.0,
        };
        match (column.label.as_str(), is_float, column.components) {
            _ if is_position => own("point3f", "points"),
            ("velocities", true, 3) => own("vector3f", "velocities"),
            ("normals", true, 3) => own("normal3f", "normals"),
            ("ids", false, 1) => own("int64", "ids"),
            ("widths", true, 1) => Attribute {
                // A width is a diameter.
                factor: if column.name == "radius" { 2.0 } else { 1.0 },
                ..own("float", "widths")
            },
            ("displayColor", true, 3) => own("color3f", "primvars:displayColor"),
            (label, _, components) => {
                let base = match column.scalar {
                    Scalar::F32 => "float",
                    Scalar::I32 => "int",
                    _ => "uint",
                };
                let name = format!("primvars:{label}");
                match components {
                    1 => own(base, &name),
                    // There are no vectors of unsigned numbers, and none with more than four parts.
                    2..=4 if base != "uint" => own(&format!("{base}{components}"), &name),
                    _ => Attribute {
                        components: 1,
                        values: components as usize,
                        ..own(base, &name)
                    },
                }
            }
        }
    }

    /// Its declaration, without values.
    pub fn declaration(&self) -> String {
        let Attribute {
            kind, name, values, ..
        } = self;
        let mut facts = Vec::new();
        if *values > 1 {
            facts.push(format!("elementSize = {values}"));
        }
        if name.contains(':') || name == "widths" || name == "normals" {
            facts.push("interpolation = \"vertex\"".to_owned());
        }
        match &facts[..] {
            [] => format!("{kind}[] {name}"),
            facts => format!("{kind}[] {name} ({})", facts.join("; ")),
        }
    }

    pub fn write(&self, values: &Values, frame: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "    {}", self.declaration())?;
        write!(
            out,
            "    {}[] {}.timeSamples = {{ {frame}: [",
            self.kind, self.name
        )?;
        let words = values.bytes.chunks_exact(4);
        for (number, word) in words.enumerate() {
            let place = number % self.components;
            let before = match (number, place, self.components) {
                (0, _, 1) => "",
                (0, ..) => "(",
                (_, 0, 1) => ", ",
                (_, 0, _) => "), (",
                _ => ", ",
            };
            out.write_all(before.as_bytes())?;
            let word = [word[0], word[1], word[2], word[3]];
            match values.column.scalar {
                Scalar::F32 => write_float(f32::from_ne_bytes(word) * self.factor, out)?,
                Scalar::I32 => write!(out, "{}", i32::from_ne_bytes(word))?,
                _ => write!(out, "{}", u32::from_ne_bytes(word))?,
            }
        }
        let end = if self.components > 1 && !values.bytes.is_empty() {
            ")"
        } else {
            ""
        };
        writeln!(out, "{end}] }}")
    }
}

/// The shortest text that is the same float.
fn write_float(number: f32, out: &mut dyn Write) -> io::Result<()> {
    if number.is_finite() {
        write!(out, "{number}")
    } else if number.is_nan() {
        out.write_all(b"nan")
    } else {
        out.write_all(if number > 0.0 { b"inf" } else { b"-inf" })
    }
}
