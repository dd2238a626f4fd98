//! Stanford's polygon file format, as text and binary: the vertices with their scalar properties, and faces.

use super::columns::{Column, ComponentLayout, Layout, NumberType};
use super::ply_attributes::{COMPONENTS, attributes};
use super::soup::Soup;

/// Maximum number of elements and properties.
const MAX_DEFINITIONS: usize = 1024;
/// Maximum number of corners of a polygon.
const MAX_CORNERS: u32 = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Text,
    Binary { big_endian: bool },
}

#[derive(Debug)]
enum Property {
    Number(NumberType, String),
    /// Type of the length, and of the entries.
    List(NumberType, NumberType, String),
}

#[derive(Debug)]
struct Definition {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Header {
    encoding: Encoding,
    elements: Vec<Definition>,
    /// Bytes before the data.
    length: usize,
}

fn kind(name: &str) -> Result<NumberType, String> {
    Ok(match name {
        "char" | "int8" => NumberType::I8,
        "uchar" | "uint8" => NumberType::U8,
        "short" | "int16" => NumberType::I16,
        "ushort" | "uint16" => NumberType::U16,
        "int" | "int32" => NumberType::I32,
        "uint" | "uint32" => NumberType::U32,
        "float" | "float32" => NumberType::F32,
        "double" | "float64" => NumberType::F64,
        _ => return Err(format!("`{name}` is not a property type")),
    })
}

fn header(bytes: &[u8]) -> Result<Header, String> {
    let mut at = 0;
    let mut encoding = None;
    let mut elements: Vec<Definition> = Vec::new();
    let mut definitions = 0;
    for number in 1.. {
        let rest = &bytes[at..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or("its header is incomplete or larger than 1 MiB")?;
        at += end + 1;
        let line = String::from_utf8_lossy(&rest[..end]);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let wrong = || format!("line {number}: `{}` is not supported", line.trim());
        match words.as_slice() {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return Err("it is not a PLY file, which begins with ply".into()),
            ["comment" | "obj_info", ..] | [] => {}
            ["format", name, "1.0"] => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::Binary { big_endian: false },
                    "binary_big_endian" => Encoding::Binary { big_endian: true },
                    _ => return Err(wrong()),
                });
            }
            ["element", name, count] => elements.push(Definition {
                name: (*name).into(),
                count: count.parse().map_err(|_| wrong())?,
                properties: Vec::new(),
            }),
            ["property", rest @ ..] => {
                let property = match rest {
                    ["list", length, entries, name] => {
                        Property::List(kind(length)?, kind(entries)?, (*name).into())
                    }
                    [scalar, name] => Property::Number(kind(scalar)?, (*name).into()),
                    _ => return Err(wrong()),
                };
                elements.last_mut().ok_or_else(wrong)?.properties.push(property);
            }
            ["end_header"] => break,
            _ => return Err(wrong()),
        }
        definitions += 1;
        if definitions > MAX_DEFINITIONS {
            return Err(format!("its header has more than {MAX_DEFINITIONS} lines"));
        }
    }
    Ok(Header {
        encoding: encoding.ok_or("its header does not name a format")?,
        elements,
        length: at,
    })
}

impl Definition {
    /// Bytes of one element in a binary file; `None` if lists make it vary.
    fn stride(&self) -> Option<u64> {
        let mut sizes = self.properties.iter().map(|property| match property {
            Property::Number(kind, _) => Some(kind.size() as u64),
            Property::List(..) => None,
        });
        sizes.try_fold(0, |sum, size| Some(sum + size?))
    }

    /// The properties as attributes. `place` gives the location of a property.
    fn columns(&self, place: impl Fn(usize, u64) -> ComponentLayout) -> Vec<Column> {
        let mut offset = 0;
        let mut singles = Vec::new();
        for (number, property) in self.properties.iter().enumerate() {
            if let Property::Number(kind, name) = property {
                singles.push((name.as_str(), place(number, offset)));
                offset += kind.size() as u64;
            }
        }
        attributes(&singles, self.count)
    }
}

/// The header and the layout of the vertices, for a file of `length` bytes that begins with `start`. For text, the
/// layout is that of the table that [`points`] creates.
pub(super) fn layout(start: &[u8], length: u64) -> Result<(Layout, Header), String> {
    let header = header(start)?;
    let vertices = (header.elements.iter()).position(|element| element.name == "vertex");
    let vertices = vertices.ok_or("it has no element `vertex`")?;
    let element = &header.elements[vertices];
    let lists = || "lists in or before its vertices are not supported".to_string();
    let stride = element.stride().ok_or_else(lists)?;
    let rest = length.saturating_sub(header.length as u64);
    let columns = match header.encoding {
        Encoding::Text => {
            let numbers = element.properties.len() as u64;
            // A number and the space behind it; the last may have none.
            check_size(element.count, 2 * numbers, rest + 1)?;
            element.columns(|number, _| ComponentLayout {
                kind: match &element.properties[number] {
                    Property::Number(kind, _) if !kind.is_float() => NumberType::I64,
                    _ => NumberType::F64,
                },
                big_endian: false,
                block: 0,
                first: 8 * number as u64,
                stride: 8 * numbers,
            })
        }
        Encoding::Binary { big_endian } => {
            let mut before = 0u64;
            for element in &header.elements[..vertices] {
                let bytes = element.stride().ok_or_else(lists)?.checked_mul(element.count);
                before = bytes
                    .and_then(|bytes| before.checked_add(bytes))
                    .unwrap_or(u64::MAX);
            }
            check_size(element.count, stride, rest.saturating_sub(before))?;
            let first = header.length as u64 + before;
            element.columns(|number, offset| ComponentLayout {
                kind: match &element.properties[number] {
                    Property::Number(kind, _) | Property::List(_, kind, _) => *kind,
                },
                big_endian,
                block: 0,
                first: first + offset,
                stride,
            })
        }
    };
    Ok((Layout { columns }, header))
}

fn check_size(count: u64, stride: u64, rest: u64) -> Result<(), String> {
    let needed = count.checked_mul(stride);
    if needed.is_some_and(|needed| needed <= rest) {
        Ok(())
    } else {
        Err(format!(
            "it is truncated: it has fewer than {count} vertices of at least {stride} bytes"
        ))
    }
}

/// The layout of the points of a file, and the bytes that it refers to: the file, or for text a table of 8-byte
/// numbers.
pub(super) fn points(bytes: Vec<u8>) -> Result<(Layout, Vec<u8>), String> {
    let (layout, header) = layout(&bytes, bytes.len() as u64)?;
    if header.encoding != Encoding::Text {
        return Ok((layout, bytes));
    }
    let mut data = Data::new(&bytes, &header);
    let mut table = Vec::new();
    // Elements without properties have no words, however many they are.
    for element in header
        .elements
        .iter()
        .filter(|element| !element.properties.is_empty())
    {
        let is_vertex = element.name == "vertex";
        for _ in 0..element.count {
            for property in &element.properties {
                match property {
                    Property::Number(kind, _) => {
                        let number = data.number(*kind)?;
                        if is_vertex {
                            table.extend(if kind.is_float() {
                                number.to_le_bytes()
                            } else {
                                (number as i64).to_le_bytes()
                            });
                        }
                    }
                    Property::List(length, entries, _) => {
                        let length = data.length(*length)?;
                        data.skip(length, *entries)?;
                    }
                }
            }
        }
        if is_vertex {
            break;
        }
    }
    Ok((layout, table))
}

/// The mesh in a file.
pub fn mesh(bytes: &[u8]) -> Result<Soup, String> {
    let header = header(bytes)?;
    let mut data = Data::new(bytes, &header);
    let mut soup = Soup::default();
    let mut corners = Vec::new();
    // Elements without properties have no words, however many they are.
    for element in header
        .elements
        .iter()
        .filter(|element| !element.properties.is_empty())
    {
        let axis = |property: &Property| match property {
            Property::Number(_, name) => COMPONENTS[..3].iter().position(|axis| axis == name),
            Property::List(..) => None,
        };
        let axes: Vec<Option<usize>> = element.properties.iter().map(axis).collect();
        let is_vertex = element.name == "vertex";
        if is_vertex && (0..3).any(|axis| !axes.contains(&Some(axis))) {
            return Err("its vertices have no x, y and z".into());
        }
        for number in 0..element.count {
            let mut place = [0.0; 3];
            for (property, axis) in element.properties.iter().zip(&axes) {
                match property {
                    Property::Number(kind, _) => {
                        let value = data.number(*kind)?;
                        if let Some(axis) = axis {
                            place[*axis] = value;
                        }
                    }
                    Property::List(length, entries, name) => {
                        let length = data.length(*length)?;
                        let is_face = matches!(name.as_str(), "vertex_indices" | "vertex_index");
                        if !is_face {
                            data.skip(length, *entries)?;
                            continue;
                        }
                        if !(3..=MAX_CORNERS).contains(&length) {
                            return Err(format!("face {number} has {length} corners"));
                        }
                        corners.clear();
                        for _ in 0..length {
                            corners.push(data.length(*entries)?);
                        }
                        soup.polygon(&corners)
                            .map_err(|corner| format!("face {number}: there is no vertex {corner}"))?;
                    }
                }
            }
            if is_vertex {
                if !place.iter().all(|x| x.is_finite()) {
                    return Err(format!("the position of vertex {number} is not finite"));
                }
                soup.vertices.push(place);
            }
        }
    }
    Ok(soup)
}

/// The data of a file as a stream of numbers, from text or binary.
struct Data<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
}

impl<'a> Data<'a> {
    fn new(bytes: &'a [u8], header: &Header) -> Data<'a> {
        Data {
            bytes: &bytes[header.length..],
            encoding: header.encoding,
        }
    }

    fn number(&mut self, kind: NumberType) -> Result<f64, String> {
        let Encoding::Binary { big_endian } = self.encoding else {
            return self.word();
        };
        let early = || "it is truncated".to_string();
        let (found, rest) = self.bytes.split_at_checked(kind.size()).ok_or_else(early)?;
        self.bytes = rest;
        let mut bytes = [0; 8];
        bytes[..found.len()].copy_from_slice(found);
        if big_endian {
            bytes[..found.len()].reverse();
        }
        let whole = u64::from_le_bytes(bytes);
        Ok(match kind {
            NumberType::I8 => f64::from(whole as i8),
            NumberType::I16 => f64::from(whole as i16),
            NumberType::I32 => f64::from(whole as i32),
            NumberType::F32 => f64::from(f32::from_bits(whole as u32)),
            NumberType::F64 => f64::from_bits(whole),
            _ => whole as f64,
        })
    }

    /// The next word of a text as a number.
    fn word(&mut self) -> Result<f64, String> {
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        let start = self.bytes.iter().position(|byte| !is_space(byte));
        let word = &self.bytes[start.ok_or("it is truncated")?..];
        let end = word.iter().position(is_space).unwrap_or(word.len());
        let (word, rest) = word.split_at(end);
        self.bytes = rest;
        let text = String::from_utf8_lossy(word);
        text.parse().map_err(|_| format!("`{text}` is not a number"))
    }

    /// The length of a list, or an index.
    fn length(&mut self, kind: NumberType) -> Result<u32, String> {
        let number = self.number(kind)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            Ok(number as u32)
        } else {
            Err(format!(
                "{number} is neither the length of a list nor the number of a vertex"
            ))
        }
    }

    fn skip(&mut self, count: u32, kind: NumberType) -> Result<(), String> {
        (0..count).try_for_each(|_| self.number(kind).map(drop))
    }
}
