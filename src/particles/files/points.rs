//! Points with attributes of any format, and their conversion to attributes of a particle set.

use std::ffi::OsStr;
use std::path::Path;

use super::bytes::{start, whole};
use super::columns::{Column, ComponentLayout, Layout, POSITION};
use super::{bgeo, numpy, ply};
use crate::element::Element;
use crate::particles::parallel;

/// Maximum size of a header, bytes.
const MAX_HEADER_BYTES: u64 = 1 << 20;
/// Minimum number of points that a thread converts at a time.
const MIN_PIECE: u32 = 1 << 14;

/// The contents of a file of points.
pub struct Points {
    pub layout: Layout,
    blocks: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy)]
enum Format {
    Npy,
    Npz,
    Ply,
    Bgeo,
}

fn format(path: &Path) -> Result<Format, String> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("");
    match ending.to_ascii_lowercase().as_str() {
        "npy" => Ok(Format::Npy),
        "npz" => Ok(Format::Npz),
        "ply" => Ok(Format::Ply),
        "bgeo" => Ok(Format::Bgeo),
        _ => Err("supported files of points are .npy, .npz, .ply and .bgeo".into()),
    }
}

impl Layout {
    /// Reads only the header; the error describes a defect of the file.
    pub fn of(path: &Path) -> Result<Layout, String> {
        let format = format(path)?;
        if let Format::Npz = format {
            return numpy::archive(path);
        }
        let (start, length) = start(path, MAX_HEADER_BYTES)?;
        match format {
            Format::Ply => Ok(ply::layout(&start, length)?.0),
            Format::Bgeo => bgeo::layout(&start, length),
            Format::Npy | Format::Npz => numpy::layout(&start, length),
        }
    }
}

impl Points {
    pub fn read(path: &Path) -> Result<Points, String> {
        let format = format(path)?;
        if let Format::Npz = format {
            let (layout, blocks) = numpy::unpack(path)?;
            return Ok(Points { layout, blocks });
        }
        let bytes = whole(path)?;
        let length = bytes.len() as u64;
        let (layout, bytes) = match format {
            Format::Ply => ply::points(bytes)?,
            Format::Bgeo => (bgeo::layout(&bytes, length)?, bytes),
            Format::Npy | Format::Npz => (numpy::layout(&bytes, length)?, bytes),
        };
        Ok(Points {
            layout,
            blocks: vec![bytes],
        })
    }

    /// The positions in the file.
    pub fn positions(&self) -> Result<Vec<[f64; 3]>, String> {
        let points = self.layout.points()?;
        let column = self
            .layout
            .column(POSITION)
            .ok_or("it has no positions of points")?;
        let pieces = parallel::map(parallel::pieces(points as u32, MIN_PIECE), |piece| {
            piece
                .map(|point| {
                    [0, 1, 2].map(|axis| {
                        let component = &column.components[axis];
                        component.kind.float(self.bytes(component, point))
                    })
                })
                .collect::<Vec<_>>()
        });
        Ok(pieces.concat())
    }

    /// An attribute in the form of a set's memory, arrays point by point. The error names a point whose number does not
    /// fit.
    pub fn bytes_of(&self, column: &Column, element: Element, entries: u64) -> Result<Vec<u8>, String> {
        column.check(element, entries)?;
        let pieces = parallel::map(parallel::pieces(column.points as u32, MIN_PIECE), |piece| {
            let scalar = element.scalar();
            let mut bytes =
                Vec::with_capacity(piece.len() * column.components.len() * scalar.bytes() as usize);
            for point in piece {
                for component in &column.components {
                    let number = self.bytes(component, point);
                    let bits = component.kind.component(number, scalar).map_err(|value| {
                        let name = &column.name;
                        format!(
                            "`{name}` of point {point} is {value}, which is not a value of type {}",
                            element.name()
                        )
                    })?;
                    scalar.push(bits, &mut bytes);
                }
            }
            Ok::<_, String>(bytes)
        });
        Ok(pieces.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The bytes of a number in the first of eight bytes, least significant first.
    fn bytes(&self, component: &ComponentLayout, point: u32) -> [u8; 8] {
        let at = (component.first + u64::from(point) * component.stride) as usize;
        let size = component.kind.size();
        let mut bytes = [0; 8];
        // The layout was checked against the size of the block.
        if let Some(found) = self.blocks[component.block].get(at..at + size) {
            bytes[..size].copy_from_slice(found);
        }
        if component.big_endian {
            bytes[..size].reverse();
        }
        bytes
    }
}
