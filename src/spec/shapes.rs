//! Sizes of grids and buffers, found where something first needs them.

use super::evaluate::no_value;
use super::file::{BufferFile, FullChannelFile, GridFile, Number, Numbers, SourceFile, ValuesFile};
use super::lazy::Open;
use super::program::*;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::Value;
use crate::heights::{self};
use crate::ir::{Form, HEIGHTS, IMAGE};
use crate::problem::{Place, Problem};

/// Most elements of one resource: 2^40, beyond any device and far below overflow of a byte count.
const MAX_ELEMENTS: u64 = 1 << 40;
/// Most entries of an array.
pub(super) const MAX_ENTRIES: u64 = 1 << 16;
/// What stands for as many levels as a grid can have.
const ALL: &str = "all";

impl<'f> Program<'f> {
    /// What an expression knows of a resource; `Ok(None)` if there is no such size, the error follows from a reported one.
    pub(crate) fn size_named(&self, decl: DeclId, name: &str) -> Result<Option<f64>, ()> {
        let grid = match self.decls[decl].kind {
            DeclKind::Grid(grid) => Some(grid),
            _ => None,
        };
        let is_of_cells = grid.is_some_and(|grid| grid.cells.is_some());
        let axis = |names: [&str; 3]| names.iter().position(|known| *known == name);
        if let (Some(axis), Some(_)) = (axis(["nx", "ny", "nz"]), grid) {
            // A grid of cells of two axes has one layer, so that an expression over all cells serves both kinds.
            let size = self.size(decl).ok_or(())?;
            return Ok((axis < size.axes || is_of_cells).then_some(size.elements[axis] as f64));
        }
        if let (Some(axis), Some(grid)) = (axis(["dx", "dy", "dz"]), grid) {
            let axes = self.size(decl).ok_or(())?.axes;
            let is_there = axis < axes && grid.pixels.is_none();
            return if is_there {
                self.spacing(decl).map(|sides| Some(sides[axis])).ok_or(())
            } else {
                Ok(None)
            };
        }
        let value = match (self.decls[decl].kind, name) {
            (DeclKind::Grid(_), "levels") => self.levels(decl).map(|levels| f64::from(*levels)),
            (DeclKind::Grid(grid), "most_blocks") if grid.sparse.is_some() => {
                self.sparse(decl).map(|sparse| sparse.most_blocks as f64)
            }
            (DeclKind::Grid(grid), "most_sub_blocks") if grid.sparse.is_some() => self
                .sparse(decl)
                .map(|sparse| sparse.most_blocks as f64 * f64::from(sparse.layout.sub_blocks())),
            (DeclKind::Particles(set), "count") if set.capacity.is_none() => self.elements(decl),
            (DeclKind::Particles(_), "capacity") | (DeclKind::Buffer(_), "count") => self.elements(decl),
            _ => return Ok(None),
        };
        value.map(Some).ok_or(())
    }

    fn elements(&self, decl: DeclId) -> Option<f64> {
        self.size(decl).map(|size| size.elements[0] as f64)
    }

    /// Elements along the axes of a resource; of a dynamic set, its capacity.
    pub(crate) fn size(&self, decl: DeclId) -> Option<Size> {
        let found = &self.decls[decl];
        let size = found.size.get(|| {
            let open = Open {
                name: found.name.clone(),
                parameter: None,
            };
            self.opened(open, found.key, || {
                self.with(Effect::Restart, || match found.kind {
                    DeclKind::Grid(grid) => self.size_of_grid(decl, grid),
                    DeclKind::Particles(set) => self.size_of_set(decl, set),
                    DeclKind::Buffer(buffer) => self.size_of_buffer(found.instance, buffer),
                })
            })
        });
        size.copied()
    }

    fn size_of_buffer(&self, instance: InstanceId, buffer: &BufferFile) -> Option<Size> {
        let length = match (&buffer.length, &buffer.values) {
            (Some(length), None) => self.count(&Scope::of(instance), length, 1, 1 << 32)?,
            (None, Some(values)) if !values.is_empty() => values.len() as u64,
            (None, None) => 1,
            _ => {
                let message = "a buffer has either a `length` or a list of `values`, with one item at least";
                let help = "for example \"length\": 64, or \"values\": [1, 2.5]";
                self.report(Problem::at_place(buffer.place.clone(), message).help(help));
                return None;
            }
        };
        Some(Size {
            elements: [length, 1, 1],
            axes: 1,
        })
    }

    fn size_of_grid(&self, decl: DeclId, grid: &'f GridFile) -> Option<Size> {
        let scope = Scope::of(self.decls[decl].instance);
        match (&grid.cells, &grid.vertices, &grid.pixels) {
            (Some(cells), None, None) => self.extent(&scope, cells, "cells", 2..=3),
            (None, Some(vertices), None) => {
                let size = self.extent(&scope, vertices, "vertices", 2..=2)?;
                self.are_enough(size, vertices.place()).then_some(size)
            }
            (None, None, Some(pixels)) => self.extent(&scope, pixels, "pixels", 2..=2),
            (None, None, None) => {
                if self.elevation_source(decl).is_none() {
                    let message = "a grid requires one of `cells`, `vertices` and `pixels`";
                    let help = "for example \"cells\": [64, 64, 32]; or name an elevation model in the `values` of a channel";
                    self.report(Problem::at_place(grid.place.clone(), message).help(help));
                }
                let elevation = self.elevation(decl)?;
                let [width, height] = elevation.header.size;
                let size = Size {
                    elements: [width, height, 1],
                    axes: 2,
                };
                self.are_enough(size, &elevation.source.place).then_some(size)
            }
            _ => {
                let message = "a grid has only one of `cells`, `vertices` and `pixels`";
                self.report(Problem::at_place(grid.place.clone(), message).help("remove the others"));
                None
            }
        }
    }

    fn are_enough(&self, size: Size, place: &Place) -> bool {
        let is_enough = size.elements[0] >= 2 && size.elements[1] >= 2;
        if !is_enough {
            let problem = Problem::at_place(place.clone(), "a grid of vertices has at least 2 x 2 of them");
            self.report(problem.help(
                "choose larger numbers, or remove `vertices` for one per pixel of the elevation model",
            ));
        }
        is_enough
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
            let wanted = if *axes.end() == 3 {
                "two or three numbers, one for each axis"
            } else {
                "two numbers, for x and y"
            };
            let problem = Problem::at_place(numbers.place().clone(), message);
            self.report(problem.help(format!("write {wanted}")));
            return None;
        }
        let mut elements = [1; 3];
        for (axis, value) in values.iter().enumerate() {
            let place = numbers
                .items()
                .get(axis)
                .map_or(numbers.place(), |item| &item.place);
            elements[axis] = self.whole(*value, place, 1, 1 << 31)?;
        }
        let product = elements
            .iter()
            .try_fold(1u64, |product, n| product.checked_mul(*n));
        if product.is_none_or(|n| n > MAX_ELEMENTS) {
            let [x, y, z] = elements;
            let message = format!("{x} x {y} x {z} is more than 2^40 elements");
            let help = "use fewer or larger elements: no device has that much memory";
            self.report(Problem::at_place(numbers.place().clone(), message).help(help));
            return None;
        }
        Some(Size {
            elements,
            axes: values.len(),
        })
    }

    /// Distances of neighbours along the axes; beyond those of the grid, the first one again.
    pub(crate) fn spacing(&self, decl: DeclId) -> Option<[f64; 3]> {
        let found = &self.decls[decl];
        let DeclKind::Grid(grid) = found.kind else {
            return Some([1.0; 3]);
        };
        let spacing = found.spacing.get(|| {
            let open = Open {
                name: format!("{}.dx", found.name),
                parameter: None,
            };
            self.opened(open, found.key, || {
                self.with(Effect::Restart, || self.spacing_of_grid(decl, grid))
            })
        });
        spacing.copied()
    }

    fn spacing_of_grid(&self, decl: DeclId, grid: &'f GridFile) -> Option<[f64; 3]> {
        let scope = Scope::of(self.decls[decl].instance);
        let has_model = self.elevation_source(decl).is_some();
        let problem = match (&grid.cell_size, grid.pixels.is_some(), has_model) {
            (Some(sides), true, _) => Problem::at_place(
                sides.place().clone(),
                "pixels have no place, so they have no `cell_size`",
            )
            .help("remove it"),
            (Some(sides), false, true) => Problem::at_place(
                sides.place().clone(),
                "the elevation model says how far vertices are apart",
            )
            .help("remove `cell_size`; `metres_per_pixel` replaces what the model says"),
            (Some(sides), false, false) => return self.sides(&scope, sides, self.size(decl)?.axes),
            (None, true, _) => return Some([1.0; 3]),
            (None, false, true) => return self.spacing_of_model(decl),
            (None, false, false) => Problem::at_place(grid.place.clone(), "the key `cell_size` is missing")
                .help(
                    "add \"cell_size\": the side of a cell, or the distance of vertices (m); for example 7",
                ),
        };
        self.report(problem);
        None
    }

    fn sides(&self, scope: &Scope, sides: &Numbers, axes: usize) -> Option<[f64; 3]> {
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
            let problem = Problem::at_place(sides.place().clone(), message);
            self.report(problem.help("write one number for all of them, or one for each axis"));
            return None;
        }
        let mut spacing = [values[0]; 3];
        for (axis, side) in values.into_iter().enumerate() {
            let place = sides.items().get(axis).map_or(sides.place(), |item| &item.place);
            spacing[axis] = self.is_positive(side, place).then_some(side)?;
        }
        Some(spacing)
    }

    /// Distances of vertices: the extent of the model stays, however many there are.
    fn spacing_of_model(&self, decl: DeclId) -> Option<[f64; 3]> {
        let elevation = self.elevation(decl)?;
        let scope = Scope::of(elevation.scope);
        let metres = match &elevation.source.metres_per_pixel {
            Some(metres) => self.sides(&scope, metres, 2)?,
            None => match elevation.header.metres_per_pixel {
                Some([x, y]) => [x, y, 1.0],
                None => {
                    self.report(silent(
                        elevation.source,
                        "how far its pixels are apart",
                        "metres_per_pixel",
                    ));
                    return None;
                }
            },
        };
        let size = self.size(decl)?;
        let mut spacing = [1.0; 3];
        for axis in 0..2 {
            let pixels = elevation.header.size[axis];
            spacing[axis] = metres[axis] * (pixels - 1) as f64 / (size.elements[axis] - 1).max(1) as f64;
        }
        Some(spacing)
    }

    pub(crate) fn origin(&self, decl: DeclId, grid: &GridFile) -> Option<[f64; 3]> {
        let Some(origin) = &grid.origin else {
            return Some([0.0; 3]);
        };
        if grid.pixels.is_some() {
            let problem = Problem::at_place(
                origin.place().clone(),
                "pixels have no place, so they have no `origin`",
            );
            self.report(problem.help("remove it"));
            return None;
        }
        let axes = self.size(decl)?.axes;
        self.with(Effect::Restart, || {
            self.coordinates(
                &Scope::of(self.decls[decl].instance),
                origin,
                "the origin of the grid",
                axes,
            )
        })
    }

    /// The channel values that make a grid one of an elevation model, in whose names they are written.
    fn elevation_source(&self, decl: DeclId) -> Option<(&'f SourceFile, InstanceId)> {
        let DeclKind::Grid(grid) = self.decls[decl].kind else {
            return None;
        };
        if grid.cells.is_some() || grid.pixels.is_some() {
            return None;
        }
        let channels = self.decls[decl].channels.borrow();
        channels.iter().find_map(
            |id| match self.channels[*id].property(|full| full.values.as_ref())? {
                (ValuesFile::Source(source), scope) => {
                    let is_model = source
                        .file
                        .as_ref()
                        .is_some_and(|file| !file.text.ends_with(".npy"));
                    is_model.then_some((&**source, scope))
                }
                _ => None,
            },
        )
    }

    /// The elevation model of a grid; reports one that cannot be read.
    pub(crate) fn elevation(&self, decl: DeclId) -> Option<&Elevation<'f>> {
        self.decls[decl].elevation.get(|| {
            let (source, scope) = self.elevation_source(decl)?;
            let file = source.file.as_ref()?;
            let path = file.place.source.directory.join(&file.text);
            match heights::examine(&path) {
                Ok(header) => Some(Elevation { source, scope, header }),
                Err(cause) => {
                    let problem = Problem::at_place(file.place.clone(), format!("{}: {cause}", path.display()));
                    let help = "name a grey PNG, a GeoTIFF or an ESRI ASCII grid; the path is relative to the pipeline file";
                    self.report(problem.help(help));
                    None
                }
            }
        })
    }

    /// How high a level of an elevation model is, m, and the level of height 0.
    pub(crate) fn levels_of_model(&self, elevation: &Elevation) -> Option<[f64; 2]> {
        let (source, scope) = (elevation.source, Scope::of(elevation.scope));
        let metres = match &source.metres_per_level {
            Some(metres) => self.number(&scope, metres),
            None => {
                let of_file = elevation.header.metres_per_level;
                if of_file.is_none() {
                    self.report(silent(source, "how high a level is", "metres_per_level"));
                }
                of_file
            }
        };
        let base = source
            .base_level
            .as_ref()
            .map_or(Some(0.0), |level| self.number(&scope, level));
        Some([metres?, base?])
    }

    /// How many levels a grid has.
    pub(crate) fn levels(&self, decl: DeclId) -> Option<&u32> {
        let found = &self.decls[decl];
        found.levels.get(|| {
            let DeclKind::Grid(grid) = found.kind else { return Some(1) };
            let Some(stated) = &grid.levels else { return Some(1) };
            let size = self.size(decl)?.elements;
            let most = 1 + size.into_iter().max().unwrap_or(1).next_power_of_two().ilog2();
            let name = &found.name;
            let is_all = stated.tree.as_ref()?.as_name().is_some_and(|name| name.to_string() == ALL);
            let levels = match is_all {
                true => most,
                false => {
                    let scope = Scope::of(found.instance);
                    let levels = self.with(Effect::Restart, || self.number(&scope, stated))?;
                    if levels.fract() != 0.0 || !(1.0..=f64::from(most)).contains(&levels) {
                        let message = format!("`{name}` cannot have {levels} levels");
                        let help =
                            format!("write a whole number from 1 to {most}, or \"{ALL}\": the last level of {most} has one cell");
                        self.report(Problem::at_place(stated.place.clone(), message).help(help));
                        return None;
                    }
                    levels as u32
                }
            };
            let (message, help) = match (levels > 1, grid.cells.is_some(), grid.sparse.is_some()) {
                (true, false, _) => (format!("`{name}` is not a grid of cells, and only those have levels"), "remove `levels`"),
                (true, true, true) => (
                    format!("`{name}` is a sparse grid, which has no levels"),
                    "remove `levels`, or make the grid dense; a dense grid beside it can have them",
                ),
                _ => return Some(levels),
            };
            self.report(Problem::at_place(stated.place.clone(), message).help(help));
            None
        })
    }

    /// The form of a grid.
    pub(crate) fn form(&self, decl: DeclId, grid: &GridFile) -> Option<&'static Form> {
        if grid.pixels.is_some() {
            return Some(&IMAGE);
        }
        if grid.cells.is_none() {
            return Some(&HEIGHTS);
        }
        let (axes, sides) = (self.size(decl)?.axes, self.spacing(decl)?);
        Some(Form::of_grid(
            axes,
            sides[..axes].iter().all(|side| *side == sides[0]),
        ))
    }

    /// Entries of an array; `Some(None)` for a channel of single values.
    pub(crate) fn entries(&self, channel: &Channel<'f>) -> Option<Option<u32>> {
        let Some((count, scope)) = channel.property(|full: &'f FullChannelFile| full.count.as_ref()) else {
            return Some(None);
        };
        let entries = self.with(Effect::Restart, || {
            self.count(&Scope::of(scope), count, 1, MAX_ENTRIES)
        })?;
        if channel.element == Element::Rgba8 {
            let problem = Problem::at_place(count.place.clone(), "there are no arrays of rgba8");
            self.report(problem.help("use an array of uint, or several channels"));
            return None;
        }
        Some(Some(entries as u32))
    }

    /// A number of a channel, such as its background; reports one that its type cannot have.
    pub(crate) fn value_of_channel(
        &self,
        channel: &Channel,
        number: &Number,
        scope: InstanceId,
    ) -> Option<f64> {
        let value = self.with(Effect::Restart, || self.number(&Scope::of(scope), number))?;
        if channel.element.component_bits(value).is_none() {
            self.report(no_value(value, channel.element, &number.place));
            return None;
        }
        Some(value)
    }
}

fn silent(source: &SourceFile, what: &str, key: &str) -> Problem {
    let file = source.file.as_ref().map_or("", |file| &file.text);
    Problem::at_place(source.place.clone(), format!("`{file}` does not say {what}"))
        .help(format!("add `{key}`"))
}
