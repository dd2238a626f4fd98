//! Houdini's classic binary geometry, version 5, as `output::formats::bgeo` and Partio write it: the points and their
//! attributes. Anything after the points, such as polygons, is ignored.

use super::columns::{Column, ComponentLayout, Layout, NumberType, POSITION};

/// Maximum number of attributes, and of components of one.
/// Attributes, and what Houdini calls them.
pub const NAMES: [(&str, &str); 4] = [
    ("velocity", "v"),
    ("number", "id"),
    ("color", "Cd"),
    ("radius", "pscale"),
];
const MAX_ATTRIBUTES: u32 = 1024;
const FLOAT: u32 = 0;
const INTEGER: u32 = 1;
/// An index into a list of texts.
const INDEX: u32 = 4;
const VECTOR: u32 = 5;

/// A cursor over the bytes of a header.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.saturating_add(count);
        let taken = self.bytes.get(self.at..end);
        self.at = end;
        taken.ok_or_else(|| "its header is incomplete or larger than 1 MiB".into())
    }

    fn short(&mut self) -> Result<u32, String> {
        let bytes = self.take(2)?;
        Ok(u32::from(u16::from_be_bytes([bytes[0], bytes[1]])))
    }

    fn word(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// The description of an attribute, with its default values; `first` words precede it in each point.
    fn attribute(&mut self, first: u32) -> Result<Attribute, String> {
        let length = self.short()? as usize;
        let name = String::from_utf8_lossy(self.take(length)?).into_owned();
        let (size, kind) = (self.short()?, self.word()?);
        if size == 0 || size > MAX_ATTRIBUTES {
            return Err(format!("its `{name}` has {size} numbers per point"));
        }
        match kind {
            FLOAT | VECTOR | INTEGER => drop(self.take(4 * size as usize)?),
            INDEX => {
                for _ in 0..self.word()? {
                    let text = self.short()? as usize;
                    self.take(text)?;
                }
            }
            _ => return Err(format!("its `{name}` is of an unknown type, {kind}")),
        }
        let is_whole = kind == INTEGER || kind == INDEX;
        let kind = if is_whole {
            NumberType::Word
        } else {
            NumberType::F32
        };
        Ok(Attribute {
            name,
            kind,
            first,
            size,
        })
    }
}

/// An attribute of points: `size` words from word `first` of each.
struct Attribute {
    name: String,
    kind: NumberType,
    first: u32,
    size: u32,
}

/// The layout of a file of `length` bytes that begins with `start`.
pub(super) fn layout(start: &[u8], length: u64) -> Result<Layout, String> {
    let mut reader = Reader { bytes: start, at: 0 };
    if reader.take(5).ok() != Some(b"BgeoV") {
        return Err("it is not a classic bgeo file, which begins with BgeoV".into());
    }
    let version = reader.word()?;
    if version != 5 {
        return Err(format!(
            "it has version {version} of the format; only 5 is supported"
        ));
    }
    let points = reader.word()?;
    // Counts of polygons, point groups and polygon groups.
    reader.take(12)?;
    let attributes = reader.word()?;
    // Counts of attributes of corners, of polygons and of the whole.
    reader.take(12)?;
    if attributes > MAX_ATTRIBUTES {
        return Err(format!(
            "it claims {attributes} attributes, more than {MAX_ATTRIBUTES}"
        ));
    }
    // Positions have a fourth coordinate, which is ignored.
    let mut words = 4;
    let mut found = vec![Attribute {
        name: POSITION.to_string(),
        kind: NumberType::F32,
        first: 0,
        size: 3,
    }];
    for _ in 0..attributes {
        let attribute = reader.attribute(words)?;
        words += attribute.size;
        found.push(attribute);
    }
    let first = reader.at as u64;
    let stride = 4 * u64::from(words);
    let needed = first + u64::from(points) * stride;
    if needed > length {
        return Err(format!(
            "it is truncated: its {points} points require {needed} bytes, but it has {length}"
        ));
    }
    let column = |attribute: Attribute| Column {
        name: attribute.name,
        points: u64::from(points),
        components: (attribute.first..attribute.first + attribute.size)
            .map(|word| ComponentLayout {
                kind: attribute.kind,
                big_endian: true,
                block: 0,
                first: first + 4 * u64::from(word),
                stride,
            })
            .collect(),
    };
    let mut columns: Vec<Column> = found.into_iter().map(column).collect();
    // Houdini has names of its own.
    for (name, own) in NAMES {
        let named = |name: &str| columns.iter().find(|column| column.name == name).cloned();
        if let (Some(column), None) = (named(own), named(name)) {
            columns.push(Column {
                name: name.into(),
                ..column
            });
        }
    }
    Ok(Layout { columns })
}
