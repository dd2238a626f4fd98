//! Resources of a pipeline file: grids, height fields, particle sets, buffers and images, with their fields.

use super::Element;
use super::document::pointer_part;
use super::file::{ChannelFile, Named, Number};
use super::model::*;
use super::names::check_name;
use super::problem::Problem;
use super::resolve::{Resolver, no_value};
use super::sources::Begun;
use crate::heights;

/// Most elements of one resource: 2^40, beyond any device and far below overflow of a byte count.
const MOST_ELEMENTS: u64 = 1 << 40;
/// Most copies of a particle set.
const LONGEST_RING: u32 = 16;
/// Ring of a particle set that names none: one copy is drawn and downloaded while the other is written.
const DEFAULT_RING: u32 = 2;

impl Resolver<'_> {
    fn sizes<const N: usize>(&mut self, numbers: &[Number; N], pointer: &str) -> Option<[u64; 3]> {
        let mut size = [1; 3];
        let mut complete = true;
        for (axis, number) in numbers.iter().enumerate() {
            match self.count(number, &format!("{pointer}/{axis}"), 1, 1 << 31) {
                Some(n) => size[axis] = n,
                None => complete = false,
            }
        }
        if !complete {
            return None;
        }
        let elements = size.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
        if elements.is_none_or(|n| n > MOST_ELEMENTS) {
            let [x, y, z] = size;
            self.problems.push(
                Problem::new(pointer, format!("{x} x {y} x {z} is more than 2^40 elements"))
                    .help("fewer or larger elements: no device holds that many"),
            );
            return None;
        }
        Some(size)
    }

    fn vector<const N: usize>(&mut self, numbers: Option<&[Number; N]>, pointer: &str) -> [f64; 3] {
        let mut values = [0.0; 3];
        for (axis, number) in numbers.into_iter().flatten().enumerate() {
            values[axis] = self.number(number, &format!("{pointer}/{axis}")).unwrap_or(0.0);
        }
        values
    }

    /// Adds a resource; `known` says whether its size is, rather than a stand-in after a problem.
    pub(super) fn resource(&mut self, resource: Resource, section: &str, known: bool) -> ResourceId {
        let pointer = format!("/{section}/{}", pointer_part(&resource.name));
        check_name(&resource.name, &pointer, &mut self.problems);
        if self.resources.iter().any(|other| other.name == resource.name) {
            let message = format!("`{}` is already the name of another resource", resource.name);
            self.problems
                .push(Problem::on_key(&pointer, message).help("resource names are unique over all kinds"));
        }
        let axes = if resource.live.is_some() {
            0
        } else {
            resource.axes()
        };
        for (axis, name) in ["nx", "ny", "nz"].iter().take(axes as usize).enumerate() {
            let value = known.then_some(resource.size[axis] as f64);
            self.define(format!("{}.{name}", resource.name), value);
        }
        if resource.live.is_some() {
            let value = known.then_some(resource.size[0] as f64);
            self.define(format!("{}.capacity", resource.name), value);
        } else if resource.axes() == 1 {
            let value = known.then_some(resource.size[0] as f64);
            self.define(format!("{}.count", resource.name), value);
        }
        self.resources.push(resource);
        self.resources.len() - 1
    }

    pub(super) fn field(&mut self, field: Field) -> FieldId {
        self.field_ids.insert(field.name.clone(), self.fields.len());
        self.fields.push(field);
        self.fields.len() - 1
    }

    fn channels(&mut self, resource: ResourceId, channels: &Named<ChannelFile>, pointer: &str, ring: u32) {
        if channels.is_empty() {
            let message = "a resource without channels holds nothing";
            self.problems.push(
                Problem::new(pointer, message).help("name at least one, such as {\"heat\": \"float\"}"),
            );
        }
        for (name, channel) in channels {
            let pointer = format!("{pointer}/{}", pointer_part(name));
            check_name(name, &pointer, &mut self.problems);
            let (element, background, bounds) = match channel {
                ChannelFile::Element(element) => (*element, None, None),
                ChannelFile::Full(full) => (full.element, full.background.as_ref(), full.bounds.as_ref()),
            };
            if element == Element::Rgba8 && !matches!(self.resources[resource].kind, Kind::Image) {
                self.problems.push(
                    Problem::new(&pointer, "`rgba8` is a type of image channels").help("use uint, or vec4"),
                );
            }
            let given = background.is_some();
            let background = self.background(background, element, &format!("{pointer}/background"));
            let bounds = self.bounds(bounds, element, &format!("{pointer}/bounds"));
            let name = format!("{}.{name}", self.resources[resource].name);
            self.field(Field {
                name,
                resource,
                element,
                background,
                values: None,
                given,
                bounds,
                ring,
                home: Home::Device,
            });
        }
    }

    fn background(&mut self, number: Option<&Number>, element: Element, pointer: &str) -> f64 {
        let Some(value) = number.and_then(|number| self.number(number, pointer)) else {
            return 0.0;
        };
        if element.component_bits(value).is_none() {
            self.problems.push(no_value(value, element, pointer));
        }
        value
    }

    pub(super) fn grids(&mut self) {
        for (name, grid) in &self.file.grids {
            let pointer = format!("/grids/{}", pointer_part(name));
            let size = self.sizes(&grid.cells, &format!("{pointer}/cells"));
            let spacing = self.positive(&grid.cell_size, &format!("{pointer}/cell_size"));
            self.define(format!("{name}.dx"), spacing);
            let spacing = spacing.unwrap_or(1.0);
            let origin = self.vector(grid.origin.as_ref(), &format!("{pointer}/origin"));
            let size_or_one = size.unwrap_or([1; 3]);
            let sparse = self.sparse_grid(name, grid, size_or_one);
            let resource = Resource {
                name: name.clone(),
                kind: Kind::Grid,
                size: size_or_one,
                origin,
                spacing: [spacing; 3],
                sparse,
                live: None,
            };
            let id = self.resource(resource, "grids", size.is_some());
            let first = self.fields.len();
            self.channels(id, &grid.channels, &format!("{pointer}/channels"), 1);
            if let Some(sparse) = &mut self.resources[id].sparse {
                sparse.channels = (first..self.fields.len()).collect();
                for field in &mut self.fields[first..] {
                    field.home = Home::Pages;
                }
            }
        }
    }

    pub(super) fn heights(&mut self) {
        for (name, field) in &self.file.heights {
            let pointer = format!("/heights/{}", pointer_part(name));
            let path = self
                .document
                .directory_of(&format!("{pointer}/image"))
                .join(&field.image);
            let pixels = match heights::image_size(&path) {
                Ok(size) => Some(size),
                Err(cause) => {
                    self.problems.push(
                        Problem::new(format!("{pointer}/image"), format!("{}: {cause}", path.display()))
                            .help("the path is relative to the pipeline file, and names an 8- or 16-bit grey PNG"),
                    );
                    None
                }
            };
            let known = match &field.vertices {
                Some(vertices) => self.sizes(vertices, &format!("{pointer}/vertices")),
                None => pixels.map(|[width, height]| [width, height, 1]),
            };
            let size = known.unwrap_or([2, 2, 1]);
            if size[0] < 2 || size[1] < 2 {
                self.problems.push(
                    Problem::new(
                        format!("{pointer}/vertices"),
                        "a height field has at least 2 x 2 vertices",
                    )
                    .help("choose larger numbers, or leave `vertices` out for one per pixel"),
                );
            }
            let mut spacing = [1.0; 3];
            for axis in 0..2 {
                let pointer = format!("{pointer}/metres_per_pixel/{axis}");
                let metres = self.positive(&field.metres_per_pixel[axis], &pointer);
                let known = match (metres, pixels, known) {
                    (Some(metres), Some(pixels), Some(size)) => {
                        Some(metres * (pixels[axis] - 1) as f64 / (size[axis] - 1).max(1) as f64)
                    }
                    _ => None,
                };
                spacing[axis] = known.unwrap_or(1.0);
                self.define(format!("{name}.{}", ["dx", "dy"][axis]), known);
            }
            let origin = self.vector(field.origin.as_ref(), &format!("{pointer}/origin"));
            let metres_per_level = self
                .number(&field.metres_per_level, &format!("{pointer}/metres_per_level"))
                .unwrap_or(1.0);
            let base_level = match &field.base_level {
                Some(level) => self
                    .number(level, &format!("{pointer}/base_level"))
                    .unwrap_or(0.0),
                None => 0.0,
            };
            let image = HeightImage {
                path,
                metres_per_level,
                base_level,
                into: 0,
            };
            let resource = Resource {
                name: name.clone(),
                kind: Kind::Heights(image),
                size,
                origin,
                spacing,
                sparse: None,
                live: None,
            };
            let id = self.resource(resource, "heights", known.is_some());
            self.channels(id, &field.channels, &format!("{pointer}/channels"), 1);
            let target = self.field_ids.get(&format!("{name}.{}", field.into)).copied();
            match target.filter(|id| self.fields[*id].element == Element::Float) {
                Some(field) => {
                    self.fields[field].given = true;
                    if let Kind::Heights(image) = &mut self.resources[id].kind {
                        image.into = field;
                    }
                }
                None => {
                    let message = format!("`{}` is no float channel of `{name}`", field.into);
                    let problem = Problem::new(format!("{pointer}/into"), message);
                    self.problems.push(match target {
                        Some(_) => problem.help("heights are metres: make its type float"),
                        None => problem
                            .help("name one of the `channels`")
                            .suggest(&field.into, field.channels.keys().map(String::as_str)),
                    });
                }
            }
        }
    }

    pub(super) fn particles(&mut self) {
        for (name, set) in &self.file.particles {
            let pointer = format!("/particles/{}", pointer_part(name));
            let ring = set.ring.unwrap_or(DEFAULT_RING);
            if !(1..=LONGEST_RING).contains(&ring) {
                let message = format!("{ring} is no ring length from 1 to {LONGEST_RING}");
                self.problems.push(
                    Problem::new(format!("{pointer}/ring"), message)
                        .help("2 lets frames be drawn and written while the next step runs"),
                );
            }
            let ring = ring.clamp(1, LONGEST_RING);
            let begun = set.from.as_ref().and_then(|from| self.origins(from, &pointer));
            let given = begun.as_ref().map(|begun| begun.iter().map(Begun::count).sum());
            let (most, live) = self.population(name, set, ring, given, &pointer);
            let resource = Resource {
                name: name.clone(),
                kind: Kind::Particles {
                    ring,
                    from: Vec::new(),
                },
                size: [most.unwrap_or(1), 1, 1],
                origin: [0.0; 3],
                spacing: [1.0; 3],
                sparse: None,
                live,
            };
            let id = self.resource(resource, "particles", most.is_some());
            self.channels(id, &set.attributes, &format!("{pointer}/attributes"), ring);
            if let (Some(from), Some(begun)) = (&set.from, begun) {
                self.sources(id, from, begun, &pointer);
            }
        }
    }

    pub(super) fn buffers(&mut self) {
        for (name, buffer) in &self.file.buffers {
            let pointer = format!("/buffers/{}", pointer_part(name));
            if buffer.element == Element::Rgba8 {
                self.problems.push(
                    Problem::new(format!("{pointer}/type"), "`rgba8` is a type of image channels")
                        .help("use uint, or vec4"),
                );
            }
            let values = buffer.values.as_ref().map(|list| {
                let mut bits = Vec::new();
                for (i, item) in list.iter().enumerate() {
                    bits.extend(self.bits(item, buffer.element, &format!("{pointer}/values/{i}")));
                }
                bits
            });
            let length = match (&buffer.length, &buffer.values) {
                (Some(length), None) => self.count(length, &format!("{pointer}/length"), 1, 1 << 32),
                (None, Some(values)) if !values.is_empty() => Some(values.len() as u64),
                _ => {
                    let problem =
                        Problem::new(&pointer, "a buffer has either a `length` or a list of `values`");
                    self.problems
                        .push(problem.help("for example \"length\": 64, or \"values\": [1, 2.5]"));
                    None
                }
            };
            let background = self.background(
                buffer.background.as_ref(),
                buffer.element,
                &format!("{pointer}/background"),
            );
            let bounds = self.bounds(
                buffer.bounds.as_ref(),
                buffer.element,
                &format!("{pointer}/bounds"),
            );
            let resource = Resource {
                name: name.clone(),
                kind: Kind::Buffer,
                size: [length.unwrap_or(1), 1, 1],
                origin: [0.0; 3],
                spacing: [1.0; 3],
                sparse: None,
                live: None,
            };
            let resource = self.resource(resource, "buffers", length.is_some());
            self.field(Field {
                name: name.clone(),
                resource,
                element: buffer.element,
                background,
                given: values.is_some() || buffer.background.is_some(),
                bounds,
                values,
                ring: 1,
                home: Home::Device,
            });
        }
    }

    pub(super) fn images(&mut self) {
        for (name, image) in &self.file.images {
            let pointer = format!("/images/{}", pointer_part(name));
            let size = self.sizes(&image.size, &format!("{pointer}/size"));
            let resource = Resource {
                name: name.clone(),
                kind: Kind::Image,
                size: size.unwrap_or([1; 3]),
                origin: [0.0; 3],
                spacing: [1.0; 3],
                sparse: None,
                live: None,
            };
            let id = self.resource(resource, "images", size.is_some());
            self.channels(id, &image.channels, &format!("{pointer}/channels"), 1);
        }
    }
}
