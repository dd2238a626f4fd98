//! Resources of a pipeline file with their fields, a file for each section.

mod buffers;
mod grids;
mod heights;
mod images;
mod levels;
mod locations;
mod particles;
mod population;
mod sparse;
mod tables;
mod values;

use super::file::{ChannelFile, FullChannelFile, Named, Number};
use super::names::check_name;
use super::resolver::{Resolver, no_value};
use crate::element::Element;
use crate::ir::*;
use crate::problem::Problem;
use crate::problem::pointer_part;

/// Most elements of one resource: 2^40, beyond any device and far below overflow of a byte count.
const MOST_ELEMENTS: u64 = 1 << 40;

/// Most entries of an array.
const MOST_ENTRIES: u64 = 1 << 16;

impl Resolver<'_> {
    /// All resources, in the order in which the pipeline numbers them.
    pub(super) fn all_resources(&mut self) {
        self.grids();
        self.heights();
        self.particles();
        self.buffers();
        self.images();
        self.tables();
    }

    pub(super) fn sizes(&mut self, numbers: &[Number], pointer: &str) -> Option<[u64; 3]> {
        let mut size = [1; 3];
        let mut complete = true;
        for (axis, number) in numbers.iter().enumerate().take(3) {
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
                    .help("use fewer or larger elements: no device has that much memory"),
            );
            return None;
        }
        Some(size)
    }

    pub(super) fn vector(&mut self, numbers: &[Number], pointer: &str) -> [f64; 3] {
        let mut values = [0.0; 3];
        for (axis, number) in numbers.iter().enumerate().take(3) {
            let pointer = format!("{pointer}/{axis}");
            values[axis] = self.coordinate(number, &pointer).unwrap_or(0.0);
        }
        values
    }

    /// Adds a resource; `known` says whether its size is, rather than a stand-in after a problem.
    pub(super) fn resource(&mut self, resource: Resource, known: bool) -> ResourceId {
        let pointer = resource.pointer();
        check_name(&resource.name, &pointer, &mut self.problems);
        let axes = match resource.live() {
            Some(_) => 0,
            None => resource.axes(),
        };
        // A 2-D grid has one layer, so an expression over all cells serves both kinds of grid.
        let sides = if resource.is_grid() { 3 } else { axes as usize };
        for (axis, name) in ["nx", "ny", "nz"].iter().take(sides).enumerate() {
            let value = known.then_some(resource.size[axis] as f64);
            self.define(format!("{}.{name}", resource.name), value);
        }
        let lists: &[&str] = match (&resource.kind, resource.live()) {
            (Kind::Set(_), Some(_)) => &["capacity"],
            (Kind::Set(_), None) => &["count", "capacity"],
            (Kind::Lattice(_), _) if resource.axes() == 1 => &["count"],
            (Kind::Lattice(_), _) => &[],
        };
        for list in lists {
            let value = known.then_some(resource.size[0] as f64);
            self.define(format!("{}.{list}", resource.name), value);
        }
        let section = resource.section();
        let id = self.pipeline.add_resource(resource);
        self.take_in(section);
        id
    }

    /// Makes what has been added to the pipeline known by name, and reports names that are taken. The engine's buffers
    /// are told as those of the section that they belong to.
    pub(super) fn take_in(&mut self, section: &str) {
        while self.resources_known < self.pipeline.resources.len() {
            let name = &self.pipeline.resources[self.resources_known].name;
            if !self.resource_names.insert(name.clone()) {
                let pointer = format!("/{section}/{}", pointer_part(name));
                let message = format!("`{name}` is already the name of another resource");
                self.problems.push(
                    Problem::on_key(&pointer, message)
                        .help("two resources cannot have the same name, even in different sections"),
                );
            }
            self.resources_known += 1;
        }
        while self.fields_known < self.pipeline.fields.len() {
            let name = self.pipeline.fields[self.fields_known].name.clone();
            self.field_ids.insert(name, self.fields_known);
            self.fields_known += 1;
        }
    }

    pub(super) fn field(&mut self, field: Field) -> FieldId {
        let id = self.pipeline.add_field(field);
        let section = self.pipeline.resource_of(id).section();
        self.take_in(section);
        id
    }

    pub(super) fn channels(
        &mut self,
        resource: ResourceId,
        channels: &Named<ChannelFile>,
        pointer: &str,
        ring: u32,
    ) {
        if channels.is_empty() {
            let message = "a resource requires at least one channel";
            self.problems
                .push(Problem::new(pointer, message).help("add one, such as {\"heat\": \"float\"}"));
        }
        for (name, channel) in channels {
            let pointer = format!("{pointer}/{}", pointer_part(name));
            check_name(name, &pointer, &mut self.problems);
            let (element, full) = match channel {
                ChannelFile::Element(element) => (*element, None),
                ChannelFile::Full(full) => (full.element, Some(full)),
            };
            let (background, bounds) = match full {
                Some(full) => (full.background.as_ref(), full.bounds.as_ref()),
                None => (None, None),
            };
            let count = match channel {
                ChannelFile::Full(full) => self.entries(full, &format!("{pointer}/count")),
                ChannelFile::Element(_) => None,
            };
            let colours = self.pipeline.resources[resource]
                .form()
                .is_some_and(|form| form.colours);
            if element == Element::Rgba8 && !colours {
                self.problems.push(
                    Problem::new(&pointer, "`rgba8` is only for channels of images")
                        .help("use uint, or vec4"),
                );
            }
            let given = background.is_some();
            let background = self.background(background, element, &format!("{pointer}/background"));
            let bounds = self.bounds(bounds, element, &format!("{pointer}/bounds"));
            let name = format!("{}.{name}", self.pipeline.resources[resource].name);
            let mut field = Field {
                name,
                resource,
                element,
                count,
                background,
                start: Start::Background,
                given,
                bounds,
                ring,
                home: Home::Device,
                at: None,
                border: None,
            };
            if let Some(full) = full {
                self.locate(&mut field, full, &pointer);
                self.start(&mut field, full.values.as_ref(), &pointer);
            }
            self.field(field);
        }
    }

    /// Entries of an array.
    fn entries(&mut self, channel: &FullChannelFile, pointer: &str) -> Option<u32> {
        let count = self.count(channel.count.as_ref()?, pointer, 1, MOST_ENTRIES)?;
        if channel.element == Element::Rgba8 {
            let problem = Problem::on_key(pointer, "there are no arrays of rgba8");
            self.problems
                .push(problem.help("use an array of uint, or several channels"));
            return None;
        }
        Some(count as u32)
    }

    pub(super) fn background(&mut self, number: Option<&Number>, element: Element, pointer: &str) -> f64 {
        let Some(value) = number.and_then(|number| self.number(number, pointer)) else {
            return 0.0;
        };
        if element.component_bits(value).is_none() {
            self.problems.push(no_value(value, element, pointer));
        }
        value
    }
}
