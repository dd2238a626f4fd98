//! Object headers (section IV): groups with links and attributes, and datasets.

use std::io;

use super::super::content::Scalar;
use super::attribute::{Attribute, Value};
use super::bytes::{Put, Take, UNDEFINED, damaged, seal, unseal};
use super::dataset::Dataset;

/// The members of a group with their names.
pub type Members = Vec<(String, Node)>;

/// A member of a group.
#[derive(Debug, Clone)]
pub enum Node {
    Group(Vec<Attribute>, Members),
    /// The dataset with this number. It may have several names.
    Dataset(usize),
}

/// Types of messages (section IV.A.2).
const DATASPACE: u8 = 0x01;
const LINK_INFO: u8 = 0x02;
const DATATYPE: u8 = 0x03;
const FILL_VALUE: u8 = 0x05;
const LINK: u8 = 0x06;
const LAYOUT: u8 = 0x08;
const GROUP_INFO: u8 = 0x0a;
const FILTERS: u8 = 0x0b;
const ATTRIBUTE: u8 = 0x0c;
const REFERENCES: u8 = 0x16;

/// A header under construction.
struct Header(Vec<u8>);

impl Header {
    fn add(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        let Ok(length) = u16::try_from(content.len()) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a file of this kind cannot have that many fields",
            ));
        };
        self.0.push(kind);
        self.0.extend(length.to_le_bytes());
        // Flags.
        self.0.push(0);
        self.0.extend(content);
        Ok(())
    }

    fn add_attributes(&mut self, attributes: &[Attribute]) -> io::Result<()> {
        attributes
            .iter()
            .try_for_each(|attribute| self.add(ATTRIBUTE, &attribute_message(attribute)))
    }

    /// Version 2, with a length of 4 bytes and no times.
    fn finish(self) -> Vec<u8> {
        let mut header = b"OHDR\x02\x02".to_vec();
        header.number(self.0.len() as u64, 4).extend(self.0);
        seal(&mut header);
        header
    }
}

pub(super) fn group(attributes: &[Attribute], links: &[(String, u64)]) -> io::Result<Vec<u8>> {
    let mut header = Header(Vec::new());
    let mut info = vec![0, 0];
    info.number(UNDEFINED, 8).number(UNDEFINED, 8);
    header.add(LINK_INFO, &info)?;
    header.add(GROUP_INFO, &[0, 0])?;
    for (name, address) in links {
        // A hard link with a character set, UTF-8, and a name whose length has two bytes.
        let mut link = vec![1, 0b1_0001, 1];
        link.number(name.len() as u64, 2).extend(name.as_bytes());
        link.number(*address, 8);
        header.add(LINK, &link)?;
    }
    header.add_attributes(attributes)?;
    Ok(header.finish())
}

/// The header of a dataset with an index at an address, and a number of names.
pub(super) fn dataset(dataset: &Dataset, index: u64, names: u64) -> io::Result<Vec<u8>> {
    let form = &dataset.form;
    let mut header = Header(Vec::new());
    let single = usize::from(dataset.is_single());
    let mut sides = vec![dataset.rows];
    sides.extend(&form.row);
    let mut most = sides.clone();
    most[0] = u64::MAX;
    header.add(DATASPACE, &dataspace(&sides[single..], &most[single..]))?;
    header.add(DATATYPE, &datatype(form.scalar))?;
    // Space is allocated as chunks come, and filled only with a value that somebody sets.
    header.add(FILL_VALUE, &[3, 0b1011])?;
    let chunk = &dataset.shape.chunk[single..];
    let mut layout = vec![3, 2, chunk.len() as u8 + 1];
    layout.number(index, 8);
    for side in chunk {
        layout.number(*side, 4);
    }
    layout.number(form.scalar.size(), 4);
    header.add(LAYOUT, &layout)?;
    if let Some(effort) = form.deflate {
        let mut filters = vec![2, 2];
        for (filter, value) in [(SHUFFLE, form.scalar.size()), (DEFLATE, effort.into())] {
            // No flags, and one value.
            filters
                .number(filter, 2)
                .number(0, 2)
                .number(1, 2)
                .number(value, 4);
        }
        header.add(FILTERS, &filters)?;
    }
    header.add_attributes(&form.attributes)?;
    if names != 1 {
        let mut references = vec![0];
        references.number(names, 4);
        header.add(REFERENCES, &references)?;
    }
    Ok(header.finish())
}

/// Filters (section IV.A.2.l).
const DEFLATE: u64 = 1;
const SHUFFLE: u64 = 2;

fn dataspace(sides: &[u64], most: &[u64]) -> Vec<u8> {
    let kind = u64::from(!sides.is_empty());
    let mut message = vec![2, sides.len() as u8];
    message.number(u64::from(!most.is_empty()), 1).number(kind, 1);
    for side in sides.iter().chain(most) {
        message.number(*side, 8);
    }
    message
}

/// The type of numbers in the byte order of the machine.
fn datatype(scalar: Scalar) -> Vec<u8> {
    let order = u64::from(cfg!(target_endian = "big"));
    let bits = 8 * scalar.size();
    let is_signed = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
    let mut message = Vec::new();
    // Places and lengths of exponent and mantissa in bits, and the bias of the exponent.
    let float = |exponent: u64, bias: u64| {
        let mantissa = bits - 1 - exponent;
        let mut message = vec![0x11];
        // The highest bit of a mantissa is not stored; the sign is the highest bit of all.
        message
            .number(order | 0x20 | (bits - 1) << 8, 3)
            .number(scalar.size(), 4);
        message.number(0, 2).number(bits, 2);
        message.number(mantissa, 1).number(exponent, 1);
        message.number(0, 1).number(mantissa, 1).number(bias, 4);
        message
    };
    match scalar {
        Scalar::F16 => float(5, 15),
        Scalar::F32 => float(8, 127),
        Scalar::F64 => float(11, 1023),
        _ => {
            message.push(0x10);
            message.number(order | u64::from(is_signed) << 3, 3);
            message.number(scalar.size(), 4).number(0, 2).number(bits, 2);
            message
        }
    }
}

fn attribute_message(attribute: &Attribute) -> Vec<u8> {
    let integers = |numbers: &[i64]| numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let (kind, space, bytes): (Vec<u8>, Vec<u8>, Vec<u8>) = match &attribute.value {
        Value::Text(text) => {
            // A text of fixed length in UTF-8, padded with zeros.
            let mut kind = vec![0x13];
            kind.number(0x11, 3).number(text.len().max(1) as u64, 4);
            let mut bytes = text.clone().into_bytes();
            bytes.resize(text.len().max(1), 0);
            (kind, dataspace(&[], &[]), bytes)
        }
        Value::Integer(number) => (datatype(Scalar::I64), dataspace(&[], &[]), integers(&[*number])),
        Value::Integers(numbers) => (
            datatype(Scalar::I64),
            dataspace(&[numbers.len() as u64], &[]),
            integers(numbers),
        ),
        Value::Floats(numbers) => (
            datatype(Scalar::F64),
            dataspace(&[numbers.len() as u64], &[]),
            numbers.iter().flat_map(|number| number.to_ne_bytes()).collect(),
        ),
    };
    let mut message = vec![3, 0];
    message.number(attribute.name.len() as u64 + 1, 2);
    message.number(kind.len() as u64, 2).number(space.len() as u64, 2);
    // The name is UTF-8, too.
    message.push(1);
    message.extend(attribute.name.as_bytes());
    message.push(0);
    [message, kind, space, bytes].concat()
}

/// The text of an attribute of a header that this module wrote.
pub(super) fn text_of(header: &[u8], name: &str) -> io::Result<String> {
    let mut messages = Take(unseal(header)?);
    messages.bytes(PREFIX)?;
    while !messages.0.is_empty() {
        let kind = messages.number(1)?;
        let length = messages.number(2)? as usize;
        messages.bytes(1)?;
        let mut content = Take(messages.bytes(length)?);
        if kind != u64::from(ATTRIBUTE) {
            continue;
        }
        content.bytes(2)?;
        let [named, kind, space] = [content.number(2)?, content.number(2)?, content.number(2)?];
        content.bytes(1)?;
        let found = content.bytes(named as usize)?;
        content.bytes((kind + space) as usize)?;
        if found.strip_suffix(&[0]) == Some(name.as_bytes()) {
            return String::from_utf8(content.0.to_vec()).map_err(|_| damaged());
        }
    }
    Err(damaged())
}

/// Bytes of a header before its messages, of which the last four have their length.
pub(super) const PREFIX: usize = 10;

/// Bytes of a header, from those before its messages.
pub(super) fn length(prefix: &[u8]) -> io::Result<usize> {
    let mut prefix = Take(prefix);
    match prefix.bytes(6)? {
        b"OHDR\x02\x02" => Ok(PREFIX + prefix.number(4)? as usize + 4),
        _ => Err(damaged()),
    }
}
