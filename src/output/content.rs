//! Content of the files of an output: the types of their columns, and the positions of elements.

use super::colormap::Colormap;
use super::format::Format;
use super::map::Map;
use crate::grid::Layout;

/// The number type of one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    F16,
    F32,
    F64,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// 8 bits of a colour.
    Colour,
}

impl Scalar {
    pub fn size(self) -> u64 {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Colour => 1,
            Scalar::F16 | Scalar::I16 | Scalar::U16 => 2,
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::F64 | Scalar::I64 | Scalar::U64 => 8,
        }
    }
}

/// Effort of an encoder to make files small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Fast,
    Best,
}

/// The class of a grid, for programs that draw or move it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeClass {
    Unknown,
    FogVolume,
    LevelSet,
    /// Components of vectors are on the faces of a cell with smaller coordinates.
    Staggered,
}

/// One array of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name of the field, for messages.
    pub name: String,
    /// The name in the file.
    pub label: String,
    /// Number type in memory.
    pub stored: Scalar,
    /// Number type in the file.
    pub scalar: Scalar,
    /// Numbers per element: 1 for a float, 3 for a vec3, 4 for an RGBA pixel, 9 for a mat3, 19 for an array with 19
    /// entries.
    pub components: u32,
    /// The only component of the elements in memory that is written.
    pub picked: Option<Picked>,
    /// Values of an array. Memory holds them plane by plane in z: the first value of all elements, then the second.
    /// Files are ordered element by element.
    pub entries: Option<u32>,
    /// Factor of the numbers, which are then floats in the file.
    pub scale: Option<f64>,
    /// Units of the numbers in the file.
    pub units: Option<String>,
    /// Value of elements that are not stored: the background of OpenVDB.
    pub background: f64,
}

/// One component of elements that have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picked {
    pub component: u32,
    /// Components in memory.
    pub of: u32,
}

impl Column {
    /// Bytes of one element in memory.
    pub fn element_bytes(&self) -> u64 {
        let components = self.picked.map_or(self.components, |picked| picked.of);
        self.stored.size().saturating_mul(u64::from(components))
    }

    /// Bytes of one element in the file, unless the format makes floats shorter.
    pub fn file_bytes(&self) -> u64 {
        self.scalar.size().saturating_mul(u64::from(self.components))
    }

    /// Number type before it is adapted to the format.
    pub fn unadapted(&self) -> Scalar {
        match self.scale {
            None => self.stored,
            Some(_) if self.stored.size() > 4 => Scalar::F64,
            Some(_) => Scalar::F32,
        }
    }

    /// Name of a component: a letter, or a number if there are more than four; `None` if there is only one.
    pub fn part_name(&self, component: usize) -> Option<String> {
        match self.components {
            1 => None,
            2..=4 => ["x", "y", "z", "w"]
                .get(component)
                .map(|letter| (*letter).to_owned()),
            _ => Some(component.to_string()),
        }
    }
}

/// The geometry of the elements.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A plain array without positions.
    Nowhere,
    /// Pixels, the first row on top.
    Image,
    /// Cells of a grid: the corner of the first cell, and the side lengths, m.
    Cells { origin: [f64; 3], spacing: [f64; 3] },
    /// Vertices, or faces or corners of a grid's cells: the position of the first one, and the distances between
    /// neighbours, m.
    Vertices { origin: [f64; 3], spacing: [f64; 3] },
    /// Particles: the part of a payload with their positions (three floats each, m).
    Particles { position: Option<usize> },
}

/// The elements to write; all by default.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// First element of a lattice along x, y and z.
    pub first: [u64; 3],
    /// Number of elements from there on, at most, along x, y and z.
    pub within: [u64; 3],
    /// Every n-th element along each axis of a lattice, or of a list.
    pub stride: u64,
    /// For particles: the corners of the box that must contain their positions, m.
    pub region: Option<[[f64; 3]; 2]>,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            first: [0; 3],
            within: [u64::MAX; 3],
            stride: 1,
            region: None,
        }
    }
}

/// Encoding of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// Write floats with 16 bits.
    pub half: bool,
    /// Bits per channel of a PNG.
    pub bits: u32,
    /// The numbers that become black and white in a grey picture, or the ends of a colour map.
    pub range: Option<[f64; 2]>,
    /// Map numbers to colours instead of grey.
    pub colormap: Option<Colormap>,
    /// By default the format decides.
    pub compression: Option<Compression>,
    /// Cells that have the background are not active in an OpenVDB.
    pub prune: bool,
    /// The class of the grids of an OpenVDB.
    pub class: Option<VolumeClass>,
    /// Frames of a film per second.
    pub rate: f64,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            half: false,
            bits: 8,
            range: None,
            colormap: None,
            compression: None,
            prune: false,
            class: None,
            rate: 30.0,
        }
    }
}

/// Triangles of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Faces {
    /// The part with the numbers of their vertices, three 32-bit integers each.
    pub part: usize,
    /// As that of the vertices, for the triangles.
    pub live: Option<usize>,
    /// Largest number of triangles.
    pub capacity: u64,
    /// The names of the set of vertices, and of the list of triangles.
    pub sets: [String; 2],
}

/// Content of every file of an output. A payload has one part per column, then the parts that are named here.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub format: Format,
    pub columns: Vec<Column>,
    /// Elements along each axis, the slowest varying first: `[height, width]` for an image.
    pub shape: Vec<u64>,
    pub geometry: Geometry,
    /// Positions on a map, for formats that have them.
    pub map: Option<Map>,
    /// The part whose first word is the number of elements in use, and whose second word that of those without room.
    pub live: Option<usize>,
    /// The elements along x, y and z of three parts, each with one component of the only column: the one along an axis is
    /// on the faces of cells across that axis. The shape has room for all of them.
    pub staggered: Option<[[u64; 3]; 3]>,
    /// The triangles that join points to a mesh.
    pub faces: Option<Faces>,
    /// The part with the numbers of particles that move in their set; a stride counts these.
    pub identity: Option<usize>,
    /// The part with the bitmap of active blocks, and their layout.
    pub active: Option<(usize, Layout)>,
    pub selection: Selection,
    pub style: Style,
    /// Simulated time from one frame to the next, s.
    pub frame_seconds: f64,
}

impl Content {
    /// One array, whole.
    pub fn array(format: Format, scalar: Scalar, components: u32, shape: &[u64]) -> Content {
        Content {
            format,
            columns: vec![Column {
                name: "value".to_owned(),
                label: "value".to_owned(),
                stored: scalar,
                scalar,
                components,
                picked: None,
                entries: None,
                scale: None,
                units: None,
                background: 0.0,
            }],
            shape: shape.to_vec(),
            geometry: match shape.len() {
                2 => Geometry::Image,
                _ => Geometry::Nowhere,
            },
            map: None,
            live: None,
            staggered: None,
            identity: None,
            active: None,
            faces: None,
            selection: Selection::default(),
            style: Style::default(),
            frame_seconds: 1.0,
        }
    }

    /// Elements; `None` when their number does not fit 64 bits.
    pub fn elements(&self) -> Option<u64> {
        let mut sides = self.shape.iter();
        sides.try_fold(1u64, |product, side| product.checked_mul(*side))
    }

    /// Bytes of a column's part; `None` when they do not fit 64 bits.
    pub fn column_bytes(&self, column: &Column) -> Option<u64> {
        self.elements()?.checked_mul(column.element_bytes())
    }

    /// The number of parts with columns.
    pub fn column_parts(&self) -> usize {
        self.staggered.map_or(self.columns.len(), |sides| sides.len())
    }

    /// Bytes of the parts with columns, each `None` when they do not fit 64 bits.
    pub fn part_bytes(&self) -> Vec<Option<u64>> {
        match (self.staggered, self.columns.as_slice()) {
            (Some(sides), [column]) => sides
                .iter()
                .map(|sides| {
                    let elements = sides
                        .iter()
                        .try_fold(1u64, |product, side| product.checked_mul(*side));
                    elements?.checked_mul(column.stored.size())
                })
                .collect(),
            (_, columns) => columns.iter().map(|column| self.column_bytes(column)).collect(),
        }
    }

    /// Elements along x, y and z; lists are all x.
    pub fn sides(&self) -> [u64; 3] {
        let mut sides = [1; 3];
        for (side, length) in sides.iter_mut().zip(self.shape.iter().rev()) {
            *side = *length;
        }
        sides
    }

    /// Number of elements of a lattice to write along x, y and z.
    pub fn selected(&self) -> [u64; 3] {
        let (sides, selection) = (self.sides(), &self.selection);
        std::array::from_fn(|axis| {
            let rest = sides[axis].saturating_sub(selection.first[axis]);
            rest.min(selection.within[axis]).div_ceil(self.stride(axis))
        })
    }

    /// The distance between selected elements of a lattice along an axis.
    pub(super) fn stride(&self, axis: usize) -> u64 {
        if axis < self.shape.len() {
            self.selection.stride.max(1)
        } else {
            1
        }
    }

    /// The axes of a picture, horizontal and vertical, of a lattice that is one element thick.
    pub fn picture_axes(&self) -> Option<[usize; 2]> {
        let selected = self.selected();
        [(2, [0, 1]), (1, [0, 2]), (0, [1, 2])]
            .into_iter()
            .find(|(thin, _)| selected[*thin] == 1)
            .map(|(_, axes)| axes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_sizes_count_components_without_overflow() {
        let bytes = |components, shape: &[u64]| {
            let content = Content::array(Format::Npy, Scalar::F32, components, shape);
            content.column_bytes(&content.columns[0])
        };
        assert_eq!(bytes(3, &[5, 2]), Some(120));
        assert_eq!(bytes(1, &[]), Some(4));
        assert_eq!(bytes(1, &[1 << 40, 1 << 40]), None);
    }

    #[test]
    fn lattice_selection_sizes_are_counted() {
        let mut content = Content::array(Format::Npy, Scalar::F32, 1, &[5, 7, 9]);
        assert_eq!(content.selected(), [9, 7, 5]);
        content.selection = Selection {
            first: [2, 6, 4],
            within: [4, 9, 1],
            stride: 3,
            region: None,
        };
        assert_eq!(content.selected(), [2, 1, 1]);
        content.selection.first = [9, 0, 0];
        assert_eq!(content.selected()[0], 0);
    }
}
