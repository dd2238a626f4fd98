//! Files of OpenVDB: a header, facts about the file, then the grids, each with its facts, its transform and its tree.
//!
//! Format: OpenVDB, `io/Archive.cc`, `io/GridDescriptor.cc`, `math/Maps.h`, file version 224.

use super::tree::Tree;

const MAGIC: u64 = 0x5644_4220;
const FILE_VERSION: u32 = 224;
/// The version of the library whose format this is.
const LIBRARY_VERSION: [u32; 2] = [10, 0];
/// Hexadecimal digits of the parts of an identity.
const IDENTITY: [usize; 5] = [8, 4, 4, 4, 12];

/// A value of a fact about a file or a grid.
pub(super) enum Fact {
    Text(String),
    Int(i64),
    Double(f64),
    Bool(bool),
    Coordinates([i32; 3]),
}

pub(super) type Facts = Vec<(&'static str, Fact)>;

/// The position of voxel (0, 0, 0), and the distances between voxels, m.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub origin: [f64; 3],
    pub spacing: [f64; 3],
}

pub(super) struct Grid {
    pub name: String,
    /// The type of a value: `float`, `int32`, `vec3s`.
    pub kind: &'static str,
    pub half: bool,
    pub compression: u32,
    pub facts: Facts,
    pub place: Place,
    pub tree: Tree,
}

/// A whole file. Its identity is a hash of its contents, so that equal frames are equal files.
pub(super) fn file(facts: &Facts, grids: &[Grid]) -> Vec<u8> {
    let mut out = Writer(Vec::new());
    out.bytes(&MAGIC.to_le_bytes());
    out.word(FILE_VERSION);
    LIBRARY_VERSION.iter().for_each(|number| out.word(*number));
    // The offsets of grids are set.
    out.bytes(&[1]);
    let identity = out.0.len();
    let length = IDENTITY.iter().sum::<usize>() + IDENTITY.len() - 1;
    out.bytes(&vec![b'-'; length]);
    out.facts(facts);
    out.word(grids.len() as u32);
    grids.iter().for_each(|grid| out.grid(grid));
    let Writer(mut bytes) = out;
    let digits = blake3::hash(&bytes).to_hex();
    let mut at = 0;
    let parts = IDENTITY.map(|length| {
        at += length;
        &digits[at - length..at]
    });
    bytes[identity..identity + length].copy_from_slice(parts.join("-").as_bytes());
    bytes
}

struct Writer(Vec<u8>);

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn word(&mut self, word: u32) {
        self.bytes(&word.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u32);
        self.bytes(text.as_bytes());
    }

    fn facts(&mut self, facts: &Facts) {
        self.word(facts.len() as u32);
        for (name, fact) in facts {
            self.text(name);
            let (kind, bytes) = match fact {
                Fact::Text(text) => ("string", text.as_bytes().to_vec()),
                Fact::Int(number) => ("int64", number.to_le_bytes().to_vec()),
                Fact::Double(number) => ("double", number.to_le_bytes().to_vec()),
                Fact::Bool(is_true) => ("bool", vec![u8::from(*is_true)]),
                Fact::Coordinates(at) => ("vec3i", at.iter().flat_map(|at| at.to_le_bytes()).collect()),
            };
            self.text(kind);
            self.word(bytes.len() as u32);
            self.bytes(&bytes);
        }
    }

    fn grid(&mut self, grid: &Grid) {
        self.text(&grid.name);
        let half = if grid.half { "_HalfFloat" } else { "" };
        self.text(&format!("Tree_{}_5_4_3{half}", grid.kind));
        // It shares no tree with another grid.
        self.text("");
        let offsets = self.0.len();
        self.bytes(&[0; 24]);
        let begin = self.0.len();
        self.word(grid.compression);
        self.facts(&grid.facts);
        self.transform(&grid.place);
        self.bytes(&grid.tree.topology);
        let values = self.0.len();
        self.bytes(&grid.tree.buffers);
        let places = [begin, values, self.0.len()];
        for (slot, place) in self.0[offsets..offsets + 24].chunks_exact_mut(8).zip(places) {
            slot.copy_from_slice(&(place as u64).to_le_bytes());
        }
    }

    /// A map with one distance for all axes, which some tools demand, or with three.
    fn transform(&mut self, place: &Place) {
        let Place { origin, spacing } = *place;
        let is_uniform = spacing.iter().all(|distance| *distance == spacing[0]);
        self.text(if is_uniform {
            "UniformScaleTranslateMap"
        } else {
            "ScaleTranslateMap"
        });
        let of_each = |value: &dyn Fn(f64) -> f64| spacing.map(value);
        let derived = [
            of_each(&f64::abs),
            of_each(&|distance| 1.0 / distance),
            of_each(&|distance| 1.0 / (distance * distance)),
            of_each(&|distance| 0.5 / distance),
        ];
        for vector in [origin, spacing].iter().chain(&derived) {
            vector.iter().for_each(|number| self.bytes(&number.to_le_bytes()));
        }
    }
}
