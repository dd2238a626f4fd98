//! Sizes of grids and buffers, computed at their first use.

use super::file::{BufferFile, FullChannelFile, GridFile, GridKind, Number, Numbers};
use super::program::*;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::Value;
use crate::ir::{Form, HEIGHTS, IMAGE};
use crate::problem::Place;

/// Maximum number of elements of one resource: more than any device can hold, and far below an overflow of a byte
/// count.
const MAX_ELEMENTS: u64 = 1 << 40;
/// Maximum number of entries of an array.
pub(super) const MAX_ENTRIES: u64 = 1 << 16;
/// The value of `levels` for as many levels as possible.
const ALL: &str = "all";

impl<'f> Program<'f> {
    /// A size of a resource in expressions; `Some(None)` if there is no such size.
    pub fn size_named(&self, decl: DeclId, name: &str) -> Option<Option<Value>> {
        let kind = self.decls[decl].kind;
        let axis = |names: [&str; 3]| names.iter().position(|known| *known == name);
        let value = match (kind, name) {
            (DeclKind::Grid(grid), _) => {
                if let Some(axis) = axis(["nx", "ny", "nz"]) {
                    // A 2-D grid of cells has one layer, so that an expression over all cells is valid for 2-D and 3-D
                    // grids.
                    let size = self.size(decl)?;
                    let is_there = axis < size.axes || grid.kind() == GridKind::Cells;
                    is_there.then_some(size.elements[axis] as f64)
                } else if let Some(axis) = axis(["dx", "dy", "dz"]) {
                    let is_there = axis < self.size(decl)?.axes && grid.kind() != GridKind::Pixels;
                    if is_there {
                        Some(self.spacing(decl)?[axis])
                    } else {
                        None
                    }
                } else {
                    match (name, &grid.sparse) {
                        ("levels", _) => Some(f64::from(*self.levels(decl)?)),
                        ("most_blocks", Some(_)) => Some(self.sparse(decl)?.max_blocks as f64),
                        ("most_sub_blocks", Some(_)) => {
                            let Blocks { layout, max_blocks } = self.sparse(decl)?;
                            Some(*max_blocks as f64 * f64::from(layout.sub_blocks()))
                        }
                        _ => None,
                    }
                }
            }
            (DeclKind::Particles(set), "count") if set.capacity.is_some() => None,
            (DeclKind::Particles(_), "count" | "capacity") | (DeclKind::Buffer(_), "count") => {
                Some(self.size(decl)?.elements[0] as f64)
            }
            _ => None,
        };
        Some(value.map(Value::Number))
    }

    /// Elements along the axes of a resource; of a dynamic set, its capacity.
    pub fn size(&self, decl: DeclId) -> Option<Size> {
        let found = &self.decls[decl];
        let find = || match found.kind {
            DeclKind::Grid(grid) => self.size_of_grid(decl, grid),
            DeclKind::Particles(set) => self.size_of_set(decl, set),
            DeclKind::Buffer(buffer) => self.size_of_buffer(found.instance, buffer),
        };
        let find = || self.with(Effect::Restart, find);
        let size = found
            .size
            .get(|| self.track_evaluation(&found.name, None, found.key, find));
        size.copied()
    }

    fn size_of_buffer(&self, instance: InstanceId, buffer: &BufferFile) -> Option<Size> {
        match (&buffer.length, &buffer.values) {
            (Some(length), None) => self
                .count(&Scope::of(instance), length, 1, 1 << 32)
                .map(Size::list),
            (None, Some(values)) if !values.is_empty() => Some(Size::list(values.len() as u64)),
            (None, None) => Some(Size::list(1)),
            _ => {
                let message = "a buffer has either a `length` or a list of `values` with at least one item";
                let help = "for example \"length\": 64, or \"values\": [1, 2.5]";
                self.refuse(&buffer.place, message, help)
            }
        }
    }

    fn size_of_grid(&self, decl: DeclId, grid: &'f GridFile) -> Option<Size> {
        let scope = Scope::of(self.decls[decl].instance);
        match (&grid.cells, &grid.vertices, &grid.pixels) {
            (Some(cells), None, None) => self.extent(&scope, cells, "cells", 2..=3),
            (None, Some(vertices), None) => {
                let size = self.extent(&scope, vertices, "vertices", 2..=2)?;
                self.check_elements(size, vertices.place())
            }
            (None, None, Some(pixels)) => self.extent(&scope, pixels, "pixels", 2..=2),
            (None, None, None) => {
                if self.elevation_source(decl).is_none() {
                    let message = "a grid requires one of `cells`, `vertices` and `pixels`";
                    let help = "for example \"cells\": [64, 64, 32]; or name an elevation model in the `values` of a channel";
                    return self.refuse(&grid.place, message, help);
                }
                let elevation = self.elevation(decl)?;
                let [width, height] = elevation.header.size;
                let (elements, axes) = ([width, height, 1], 2);
                self.check_elements(Size { elements, axes }, &elevation.source.place)
            }
            _ => {
                let message = "a grid has only one of `cells`, `vertices` and `pixels`";
                self.refuse(&grid.place, message, "remove the others")
            }
        }
    }

    fn check_elements(&self, size: Size, place: &Place) -> Option<Size> {
        if size.elements[0] >= 2 && size.elements[1] >= 2 {
            return Some(size);
        }
        let message = "a grid of vertices has at least 2 x 2 of them";
        let help = "choose larger numbers, or remove `vertices` for one per pixel of the elevation model";
        self.refuse(place, message, help)
    }

    /// Elements along two or three axes.
    fn extent(
        &self,
        scope: &Scope,
        numbers: &Numbers,
        key: &str,
        axes: std::ops::RangeInclusive<usize>,
    ) -> Option<Size> {
        let values = self.numbers(scope, numbers)?;
        if !axes.contains(&values.len()) {
            let message = format!("`{key}` has {} numbers", values.len());
            let help = match *axes.end() {
                3 => "write two or three numbers, one for each axis",
                _ => "write two numbers, for x and y",
            };
            return self.refuse(numbers.place(), message, help);
        }
        let mut elements = [1; 3];
        for (axis, value) in values.iter().enumerate() {
            elements[axis] = self.whole(*value, numbers.place_of(axis), 1, 1 << 31)?;
        }
        let [x, y, z] = elements;
        if x.saturating_mul(y).saturating_mul(z) > MAX_ELEMENTS {
            let sizes: Vec<String> = elements[..values.len()].iter().map(u64::to_string).collect();
            let count = elements.iter().map(|size| *size as f64).product::<f64>();
            let message = format!(
                "{} are {count:.1e} elements, more than 2^40 (1.1e12)",
                sizes.join(" x ")
            );
            let help = format!("lower the numbers in `{key}`: no device has that much memory");
            return self.refuse(numbers.place(), message, help);
        }
        let axes = values.len();
        Some(Size { elements, axes })
    }

    /// Distances of neighbours along the axes. Unused axes have the distance of the first one.
    pub fn spacing(&self, decl: DeclId) -> Option<[f64; 3]> {
        let found = &self.decls[decl];
        let DeclKind::Grid(grid) = found.kind else {
            return Some([1.0; 3]);
        };
        let find = || self.with(Effect::Restart, || self.spacing_of_grid(decl, grid));
        let name = || format!("{}.dx", found.name);
        let spacing = found
            .spacing
            .get(|| self.track_evaluation(&name(), None, found.key, find));
        spacing.copied()
    }

    fn spacing_of_grid(&self, decl: DeclId, grid: &'f GridFile) -> Option<[f64; 3]> {
        let scope = Scope::of(self.decls[decl].instance);
        let has_model = self.elevation_source(decl).is_some();
        match (&grid.cell_size, grid.kind() == GridKind::Pixels, has_model) {
            (Some(sides), true, _) => {
                let message = "pixels have no position in space, so they have no `cell_size`";
                self.refuse(sides.place(), message, "remove it")
            }
            (Some(sides), false, true) => {
                let message = "the elevation model determines the distance of vertices";
                let help = "remove `cell_size`; `metres_per_pixel` overrides the model";
                self.refuse(sides.place(), message, help)
            }
            (Some(sides), false, false) => self.sides(&scope, sides, self.size(decl)?.axes),
            (None, true, _) => Some([1.0; 3]),
            (None, false, true) => self.spacing_of_model(decl),
            (None, false, false) => {
                let message = "the key `cell_size` is missing";
                let help =
                    "add \"cell_size\": the side of a cell, or the distance of vertices (m); for example 7";
                self.refuse(&grid.place, message, help)
            }
        }
    }

    pub(super) fn sides(&self, scope: &Scope, sides: &Numbers, axes: usize) -> Option<[f64; 3]> {
        if let Numbers::One(number) = sides
            && let Value::Number(side) = self.value(scope, number)?
        {
            return self.is_positive(side, &number.place).then_some([side; 3]);
        }
        let values = self.numbers(scope, sides)?;
        if values.len() != axes {
            let message = format!(
                "`cell_size` has {} numbers, but the grid has {axes} axes",
                values.len()
            );
            let help = "write one number for all of them, or one for each axis";
            return self.refuse(sides.place(), message, help);
        }
        let mut spacing = [values[0]; 3];
        for (axis, side) in values.into_iter().enumerate() {
            spacing[axis] = self.is_positive(side, sides.place_of(axis)).then_some(side)?;
        }
        Some(spacing)
    }

    pub fn origin(&self, decl: DeclId, grid: &GridFile) -> Option<[f64; 3]> {
        let Some(origin) = &grid.origin else {
            return Some([0.0; 3]);
        };
        if grid.kind() == GridKind::Pixels {
            let message = "pixels have no position in space, so they have no `origin`";
            return self.refuse(origin.place(), message, "remove it");
        }
        let (axes, scope) = (self.size(decl)?.axes, Scope::of(self.decls[decl].instance));
        let find = || self.coordinates(&scope, origin, "the origin of the grid", axes);
        self.with(Effect::Restart, find)
    }

    /// The number of levels of a grid.
    pub fn levels(&self, decl: DeclId) -> Option<&u32> {
        let found = &self.decls[decl];
        found.levels.get(|| {
            let DeclKind::Grid(grid) = found.kind else {
                return Some(1);
            };
            let Some(stated) = &grid.levels else {
                return Some(1);
            };
            let size = self.size(decl)?.elements;
            let most = 1 + size.into_iter().max().unwrap_or(1).next_power_of_two().ilog2();
            let name = &found.name;
            let is_all = stated.is_word(ALL)?;
            let levels = if is_all {
                most
            } else {
                let scope = Scope::of(found.instance);
                let levels = self.with(Effect::Restart, || self.number(&scope, stated))?;
                if levels.fract() != 0.0 || !(1.0..=f64::from(most)).contains(&levels) {
                    let message = format!("`{name}` cannot have {levels} levels");
                    let all = format!("\"{ALL}\": the last level of {most} has one cell");
                    let help = format!("write a whole number from 1 to {most}, or {all}");
                    return self.refuse(&stated.place, message, help);
                }
                levels as u32
            };
            if levels > 1 && grid.kind() != GridKind::Cells {
                let message = format!("`{name}` is not a grid of cells, and only such grids have levels");
                return self.refuse(&stated.place, message, "remove `levels`");
            }
            if levels > 1 && grid.sparse.is_some() {
                let message = format!("`{name}` is a sparse grid, which has no levels");
                let help = "remove `levels`, or make the grid dense; a separate dense grid can have levels";
                return self.refuse(&stated.place, message, help);
            }
            Some(levels)
        })
    }

    /// The form of a grid.
    pub fn form(&self, decl: DeclId, grid: &GridFile) -> Option<&'static Form> {
        Some(match grid.kind() {
            GridKind::Pixels => &IMAGE,
            GridKind::Vertices => &HEIGHTS,
            GridKind::Cells => {
                let (axes, sides) = (self.size(decl)?.axes, self.spacing(decl)?);
                let has_cubes = sides[..axes].iter().all(|side| *side == sides[0]);
                Form::of_grid(axes, has_cubes)
            }
        })
    }

    /// The number of entries of an array; `Some(None)` for a channel of single values.
    pub fn entries(&self, channel: &Channel<'f>) -> Option<Option<u32>> {
        let Some((count, scope)) = channel.property(|full: &'f FullChannelFile| full.count.as_ref()) else {
            return Some(None);
        };
        let entries = self.with(Effect::Restart, || {
            self.count(&Scope::of(scope), count, 1, MAX_ENTRIES)
        })?;
        if channel.element == Element::Rgba8 {
            let message = "arrays of rgba8 are not supported";
            let help = "use an array of uint, or several channels";
            return self.refuse(&count.place, message, help);
        }
        Some(Some(entries as u32))
    }

    /// A number of a channel, such as its background. Reports one that its type cannot represent.
    pub fn value_of_channel(&self, channel: &Channel, number: &Number, scope: InstanceId) -> Option<f64> {
        let value = self.with(Effect::Restart, || self.number(&Scope::of(scope), number))?;
        self.bits(value, channel.element, &number.place)?;
        Some(value)
    }
}

impl Size {
    /// The size of a list.
    pub(super) fn list(count: u64) -> Size {
        let (elements, axes) = ([count, 1, 1], 1);
        Size { elements, axes }
    }
}
