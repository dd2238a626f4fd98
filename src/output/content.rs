//! What the files of an output hold: formats, the types of their columns, and where elements lie.

use crate::grid::Layout;

/// The number type of one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    F32,
    I32,
    U32,
    U8,
}

impl Scalar {
    pub fn size(self) -> u64 {
        match self {
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::U8 => 1,
        }
    }
}

/// A file format that frames can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 8-bit RGBA from four `u8` per pixel, or 8- or 16-bit grey from one number.
    Png,
    /// OpenEXR, of 32-bit or 16-bit floats and 32-bit unsigned integers.
    Exr,
    /// NumPy array; takes every column. Components become the last axis when there is more than one.
    Npy,
    /// NumPy arrays in a zip file, one per column.
    Npz,
    /// Stanford polygon file of points, binary and little-endian.
    Ply,
    /// Houdini's classic geometry, version 5, as Partio writes it.
    Bgeo,
    /// VTK image data.
    Vti,
    /// VTK poly data of points.
    Vtp,
    /// OpenVDB grids.
    Vdb,
    /// A film in pieces, encoded by ffmpeg.
    Mp4,
}

impl Format {
    pub const ALL: [Format; 10] = [
        Format::Png,
        Format::Exr,
        Format::Npy,
        Format::Npz,
        Format::Ply,
        Format::Bgeo,
        Format::Vti,
        Format::Vtp,
        Format::Vdb,
        Format::Mp4,
    ];

    /// The format that a pipeline file calls `name`.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.extension() == name)
    }

    /// Both the name in pipeline files and the file name's extension.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Exr => "exr",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Ply => "ply",
            Format::Bgeo => "bgeo",
            Format::Vti => "vti",
            Format::Vtp => "vtp",
            Format::Vdb => "vdb",
            Format::Mp4 => "mp4",
        }
    }

    /// Whether its files hold points with positions.
    pub fn holds_points(self) -> bool {
        matches!(self, Format::Ply | Format::Bgeo | Format::Vtp)
    }

    /// Whether its files hold pixels.
    pub fn holds_pixels(self) -> bool {
        matches!(self, Format::Png | Format::Exr | Format::Mp4)
    }

    /// Whether a `<output>.pvd` lists its files with their times.
    pub fn has_series(self) -> bool {
        matches!(self, Format::Vti | Format::Vtp)
    }

    /// Whether its files can be compressed, more or less.
    pub fn compresses(self) -> bool {
        matches!(
            self,
            Format::Png | Format::Exr | Format::Npz | Format::Vdb | Format::Mp4
        )
    }

    /// Whether it can hold floats of 16 bits.
    pub fn has_half(self) -> bool {
        matches!(self, Format::Exr | Format::Npy | Format::Npz | Format::Vdb)
    }
}

/// How hard an encoder tries to make files small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Fast,
    Best,
}

/// One array of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub scalar: Scalar,
    /// Numbers per element: 1 for a float, 3 for a vec3, 4 for an RGBA pixel.
    pub components: u32,
    /// What elements that nobody holds are worth: OpenVDB's background.
    pub background: f64,
}

impl Column {
    /// Bytes of one element.
    pub fn element_bytes(&self) -> u64 {
        self.scalar.size().saturating_mul(u64::from(self.components))
    }
}

/// Where elements lie.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Nowhere: a plain array.
    Nowhere,
    /// Pixels, the first row on top.
    Image,
    /// Cells of a grid; the corner of the first one and the sides of all, m.
    Cells { origin: [f64; 3], spacing: [f64; 3] },
    /// Vertices over the ground; the place of the first one and the distances of neighbours, m.
    Vertices { origin: [f64; 3], spacing: [f64; 3] },
    /// Particles; the part of a payload that holds their positions (three floats each, m).
    Particles { position: Option<usize> },
}

/// Which elements are written. The default is all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Along x, y and z, of a lattice: the first element,
    pub first: [u64; 3],
    /// how many from there on come into question (fewer where the lattice ends),
    pub within: [u64; 3],
    /// and of those every n-th along each axis; of lists, every n-th.
    pub stride: u64,
    /// Of particles: the corners of the box that their positions must lie in, m.
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

/// How numbers are encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// Floats become 16 bits wide.
    pub half: bool,
    /// Bits per channel of a PNG.
    pub bits: u32,
    /// The numbers that become black and white in a grey PNG.
    pub range: Option<[f64; 2]>,
    /// Without it, what suits the format.
    pub compression: Option<Compression>,
    /// Frames of a film per second.
    pub rate: f64,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            half: false,
            bits: 8,
            range: None,
            compression: None,
            rate: 30.0,
        }
    }
}

/// What every file of an output holds. A payload has one part per column, then those that this names.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub format: Format,
    pub columns: Vec<Column>,
    /// Elements along each axis, the slowest varying first: `[height, width]` for an image.
    pub shape: Vec<u64>,
    pub place: Place,
    /// The part whose first word is the number of elements in use.
    pub live: Option<usize>,
    /// The part with the bitmap of active blocks, and how those lie.
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
                scalar,
                components,
                background: 0.0,
            }],
            shape: shape.to_vec(),
            place: match shape.len() {
                2 => Place::Image,
                _ => Place::Nowhere,
            },
            live: None,
            active: None,
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

    /// Elements along x, y and z; lists are all x.
    pub fn sides(&self) -> [u64; 3] {
        let mut sides = [1; 3];
        for (side, length) in sides.iter_mut().zip(self.shape.iter().rev()) {
            *side = *length;
        }
        sides
    }

    /// How many elements along x, y and z are written, of lattices.
    pub fn selected(&self) -> [u64; 3] {
        let (sides, selection) = (self.sides(), &self.selection);
        std::array::from_fn(|axis| {
            let rest = sides[axis].saturating_sub(selection.first[axis]);
            let stride = match axis < self.shape.len() {
                true => selection.stride.max(1),
                false => 1,
            };
            rest.min(selection.within[axis]).div_ceil(stride)
        })
    }

    /// The axes of a picture, horizontal and vertical, of a lattice that is one element thick.
    pub fn picture_axes(&self) -> Option<[usize; 2]> {
        let selected = self.selected();
        [(2, [0, 1]), (1, [0, 2]), (0, [1, 2])]
            .into_iter()
            .find(|(thin, _)| selected[*thin] == 1)
            .map(|(_, axes)| axes)
    }

    /// Why the format cannot hold this, if so, with what to do.
    pub fn unfit(&self) -> Option<String> {
        if self.columns.is_empty() || self.columns.iter().any(|column| column.components == 0) {
            return Some("its elements have no components".to_owned());
        }
        if self.format.has_half() && self.style.half {
            let whole = |column: &&Column| column.scalar != Scalar::F32;
            if let Some(column) = self.columns.iter().find(whole) {
                let name = &column.name;
                return Some(format!(
                    "`{name}` holds no floats, which alone can be halved: leave `precision` out"
                ));
            }
        }
        match self.format {
            Format::Png | Format::Exr | Format::Mp4 => self.unfit_for_pixels(),
            Format::Npy if self.columns.len() > 1 => {
                Some("an npy holds one field: choose npz for several".to_owned())
            }
            Format::Npy | Format::Npz => None,
            Format::Ply | Format::Bgeo | Format::Vtp => match self.place {
                Place::Particles {
                    position: Some(position),
                } if position < self.columns.len() => self.unfit_for_points(position),
                Place::Particles { .. } => {
                    Some("it holds points, and no positions are written: list them in `fields` of the whole set, or name \
                     the vec3 attribute with `position`"
                        .to_owned())
                }
                _ => Some("it holds points: choose vti or vdb for grids, npz for anything".to_owned()),
            },
            Format::Vti => match self.place {
                Place::Cells { .. } | Place::Vertices { .. } => self.unfit_for_empty(),
                _ => Some("it holds grids and height fields: choose npz, or another format".to_owned()),
            },
            Format::Vdb => match self.place {
                Place::Cells { .. } => self.unfit_for_empty(),
                _ => Some("it holds grids: choose npz, or another format".to_owned()),
            },
        }
    }

    fn unfit_for_pixels(&self) -> Option<String> {
        if !matches!(self.shape.len(), 2 | 3) || matches!(self.place, Place::Particles { .. }) {
            return Some("it needs a height and a width: choose npy".to_owned());
        }
        let Some([across, up]) = self.picture_axes() else {
            return Some(
                "it needs a height and a width: choose a `region` one cell thick, or npy".to_owned(),
            );
        };
        let selected = self.selected();
        let fits = |side: &u64| (1..=i32::MAX as u64).contains(side);
        if ![selected[across], selected[up]].iter().all(fits) {
            return Some("it needs a height and a width of 1 to 2147483647: choose npy".to_owned());
        }
        let [column] = &self.columns[..] else {
            return match self.format {
                Format::Exr => self.unfit_for_exr(),
                _ => Some("it holds one field: choose one, or exr for several".to_owned()),
            };
        };
        let rgba = column.scalar == Scalar::U8 && column.components == 4;
        let flat = self.style.range.is_some_and(|[low, high]| low >= high);
        match self.format {
            Format::Exr => self.unfit_for_exr(),
            _ if rgba && (self.format == Format::Mp4 || self.style.bits == 8) => None,
            Format::Mp4 => Some("a film is made of rgba8 pixels: render one, or choose png".to_owned()),
            _ if rgba => Some("an rgba8 image has 8 bits per channel: leave `bits` out".to_owned()),
            _ if column.components != 1 || column.scalar == Scalar::U8 => Some(
                "a PNG holds four 8-bit components per pixel (rgba8), or one number as grey: choose exr or npy"
                    .to_owned(),
            ),
            _ if flat => Some("the range of grey levels must ascend: exchange its ends".to_owned()),
            _ if self.style.range.is_none() => Some(
                "a number becomes grey by a `range` [black, white]: state one, or choose exr or npy".to_owned(),
            ),
            _ => None,
        }
    }

    fn unfit_for_exr(&self) -> Option<String> {
        let bad = |column: &&Column| {
            column.scalar == Scalar::I32 || (column.scalar == Scalar::U8 && column.components != 4)
        };
        let column = self.columns.iter().find(bad)?;
        let name = &column.name;
        Some(format!(
            "`{name}` is signed, and an EXR holds float and uint: choose npy"
        ))
    }

    fn unfit_for_points(&self, position: usize) -> Option<String> {
        let column = &self.columns[position];
        if column.scalar != Scalar::F32 || column.components != 3 {
            return Some(format!("the positions, `{}`, are no vec3", column.name));
        }
        let most = match self.format {
            Format::Bgeo | Format::Ply => i32::MAX as u64,
            _ => i64::MAX as u64,
        };
        match self.elements() {
            Some(elements) if elements <= most => None,
            _ => Some(format!(
                "it holds at most {most} points: choose vtp, or write fewer of them with `stride`"
            )),
        }
    }

    fn unfit_for_empty(&self) -> Option<String> {
        let selected = self.selected();
        let fits = |side: &u64| (1..i32::MAX as u64).contains(side);
        match selected.iter().all(fits) {
            true => None,
            false => {
                let [x, y, z] = selected;
                Some(format!(
                    "{x} x {y} x {z} elements are none, or too many along one axis"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_their_names() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.extension()), Some(format));
        }
        assert_eq!(Format::from_name("PNG"), None);
        assert_eq!(Format::from_name("obj"), None);
    }

    #[test]
    fn sizes_count_components_and_never_wrap() {
        let bytes = |components, shape: &[u64]| {
            let content = Content::array(Format::Npy, Scalar::F32, components, shape);
            content.column_bytes(&content.columns[0])
        };
        assert_eq!(bytes(3, &[5, 2]), Some(120));
        assert_eq!(bytes(1, &[]), Some(4));
        assert_eq!(bytes(1, &[1 << 40, 1 << 40]), None);
    }

    #[test]
    fn selections_count_what_is_left_of_a_lattice() {
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
