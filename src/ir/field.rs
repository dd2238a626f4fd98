//! Fields: channels of lattices, attributes of particle sets, and buffers.

use std::path::PathBuf;

use super::ids::ResourceId;
use super::location::{Borders, Location};
use super::sources::Component;
use crate::element::Element;
use crate::particles::fill::Areas;
use crate::particles::placing::Placing;

/// One channel, attribute or buffer.
#[derive(Debug, Clone)]
pub struct Field {
    /// For example `air.u`; for a buffer, the name of the buffer.
    pub name: String,
    pub resource: ResourceId,
    pub element: Element,
    /// Entries of an array; `None` for a single value. Memory holds entry 0 of every element, then entry 1, and so on:
    /// invocations next to each other touch numbers next to each other.
    pub count: Option<u32>,
    /// Initial value of every component, and the result of a faulting read.
    pub background: f64,
    /// The file gives initial values: a background, values, an image or sources of particles.
    pub given: bool,
    /// Smallest and largest valid value, for the watch.
    pub bounds: Option<[f64; 2]>,
    pub start: Start,
    /// Length of the ring: copies that steps cycle through; 1 if steps do not write the field.
    pub ring: u32,
    pub home: Home,
    /// The location of the values of a grid's channel in their cells, if the file states it.
    pub at: Option<Location>,
    /// The results of reads beyond the border; if `None`, such a read is a fault.
    pub border: Option<Borders>,
    /// JSON pointer of its declaration; empty for fields of the engine.
    pub pointer: String,
}

/// Content of a field before the first stage. Particle sources overwrite it.
#[derive(Debug, Clone, Default)]
pub enum Start {
    /// Its background everywhere.
    #[default]
    Background,
    /// Its memory from the first byte on.
    Values(Vec<u8>),
    Heights(HeightImage),
    /// The numbers of an npy file.
    Array(PathBuf),
    /// For each component, an expression of the position and the index of an element.
    Formula(Vec<Component>),
    /// 1 inside a closed mesh, 0 outside.
    Inside {
        path: PathBuf,
        placing: Placing,
    },
    /// 1 inside the polygons of a file, 0 outside.
    Areas {
        path: PathBuf,
        /// In metres.
        areas: Areas,
    },
}

impl Start {
    /// The file for the `values` of a channel, and the key that names the file.
    pub fn file(&self) -> Option<(&'static str, &PathBuf)> {
        match self {
            Start::Array(path) => Some(("file", path)),
            Start::Heights(image) => Some(("file", &image.path)),
            Start::Inside { path, .. } => Some(("mesh", path)),
            Start::Areas { path, .. } => Some(("polygon", path)),
            _ => None,
        }
    }
}

/// The image that a channel of heights starts from.
#[derive(Debug, Clone)]
pub struct HeightImage {
    pub path: PathBuf,
    /// Height of one grey level, m.
    pub metres_per_level: f64,
    pub base_level: f64,
}

/// The memory of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Home {
    #[default]
    Device,
    /// Mapped, for the host to read.
    HostReads,
    /// Mapped, for the host to write.
    HostWrites,
    /// In the blocks of its sparse grid.
    Pages,
}

impl Start {
    /// Initial content of a buffer of unsigned integers.
    pub fn words(words: &[u32]) -> Start {
        Start::Values(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// A name of a pipeline, such as `air[2].u`, as an identifier in shaders. Names in pipeline files have no capital letters.
pub(super) fn symbol(name: &str) -> String {
    name.replace('[', "_L").replace(']', "").replace('.', "_")
}

impl Field {
    /// A buffer of unsigned integers for the engine.
    pub fn words(name: impl Into<String>, resource: ResourceId) -> Field {
        Field {
            name: name.into(),
            resource,
            element: Element::Uint,
            count: None,
            background: 0.0,
            given: true,
            bounds: None,
            start: Start::Background,
            ring: 1,
            home: Home::Device,
            at: None,
            border: None,
            pointer: String::new(),
        }
    }

    /// Number of values per element: more than one for an array.
    pub fn entries(&self) -> u64 {
        self.count.map_or(1, u64::from)
    }

    /// The place in memory of entry `entry` of the element with number `element`, in elements: arrays are stored plane by
    /// plane in z, and the entries of a plane one after the other.
    pub fn place_of_entry(&self, size: [u64; 3], entry: u64, element: u64) -> u64 {
        let plane = size[0] * size[1];
        (element / plane * self.entries() + entry) * plane + element % plane
    }

    /// The entry and the number of the element at a place in memory: the inverse of [`Field::place_of_entry`].
    pub fn entry_at(&self, size: [u64; 3], place: u64) -> (u64, u64) {
        let plane = size[0] * size[1];
        let of_planes = place / plane;
        let (z, entry) = (of_planes / self.entries(), of_planes % self.entries());
        (entry, z * plane + place % plane)
    }

    /// Bytes that an element of its resource takes.
    pub fn bytes(&self) -> u64 {
        self.entries() * self.element.bytes()
    }

    /// Returns true if it holds single values of a type.
    pub fn is(&self, element: Element) -> bool {
        self.element == element && self.count.is_none()
    }

    /// Its type in messages: `vec3`, or `float[19]` for an array.
    pub fn type_name(&self) -> String {
        match self.count {
            None => self.element.name().to_string(),
            Some(count) => format!("{}[{count}]", self.element.name()),
        }
    }

    /// The location of its values in their cells.
    pub fn location(&self) -> Location {
        self.at.unwrap_or_default()
    }

    /// Number of values minus number of cells along an axis of its grid.
    pub fn more(&self, axis: usize) -> u64 {
        self.location().more(self.border, axis)
    }

    /// Its name in kernels that do not bind it to another name.
    pub fn symbol(&self) -> String {
        symbol(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_fields_are_stored_plane_by_plane() {
        let mut field = Field::words("f", 0);
        field.count = Some(3);
        let size = [5, 2, 4];
        let mut places = Vec::new();
        for z in 0..4 {
            for entry in 0..3 {
                places.extend((0..10).map(|i| field.place_of_entry(size, entry, 10 * z + i)));
            }
        }
        assert_eq!(places, (0..120).collect::<Vec<_>>());
        for place in 0..120 {
            let (entry, element) = field.entry_at(size, place);
            assert_eq!(field.place_of_entry(size, entry, element), place);
        }
        // Without planes, entry by entry.
        assert_eq!(field.place_of_entry([40, 1, 1], 2, 7), 87);
    }
}
