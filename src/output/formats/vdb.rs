//! OpenVDB: a sparse tree of 8 x 8 x 8 leaves per channel. Sparse grids become the voxels of their active blocks,
//! dense ones are active everywhere, or with `prune` where they differ from the background; the rest is the channel's
//! background.

mod archive;
mod attributes;
mod pack;
mod points;
mod tree;

use std::io::{self, Write};
use std::ops::Range;

use half::f16;

use super::super::content::{Column, Compression, Content, Geometry, Scalar, VolumeClass};
use super::super::format::PROGRAM;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::grids::parts;
use super::usd::VOLUMES;
use archive::{Fact, Grid, Place, file};
use pack::Packing;
use tree::{Coding, LEAF, Leaf, Tree, VOXELS};

pub(super) const VDB: Descriptor = Descriptor {
    note: "OpenVDB; particles as points",
    settings: &[
        Setting::Precision,
        Setting::Names,
        Setting::Prune,
        Setting::Units,
        Setting::Class,
    ],
    compression: Some(Compression::Fast),
    series: Some(VOLUMES),
    has_active: true,
    has_points: true,
    // As Houdini names the attributes of points.
    conventions: super::bgeo::NAMES,
    has_background: true,
    unfit,
    numbers: words,
    ..Descriptor::new(FormatKind::Grids, write)
};

/// An integer as a float: most readers know grids of floats and of vectors of floats alone. `None` if it is not exact.
fn exact(integer: i64) -> Option<f32> {
    let float = integer as f32;
    (float as i64 == integer).then_some(float)
}

fn inexact(name: &str, integer: i64) -> String {
    format!("{name} is {integer}, which no float of an OpenVDB equals")
}

fn unfit(content: &Content) -> Option<String> {
    if let Geometry::Particles { .. } = content.geometry {
        return unfit_points(content);
    }
    fit::cells(content).or_else(|| unfit_class(content)).or_else(|| {
        let is_inexact =
            |column: &&Column| column.scalar != Scalar::F32 && exact(column.background as i64).is_none();
        let column = content.columns.iter().find(is_inexact)?;
        let name = format!("the background of `{}`", column.name);
        let reason = inexact(&name, column.background as i64);
        Some(format!(
            "{reason}: choose vti, or a `scale` of 1 to round numbers to floats"
        ))
    })
}

/// Vectors are staggered, and numbers are densities or distances.
fn unfit_class(content: &Content) -> Option<String> {
    let components = match content.style.class? {
        VolumeClass::Unknown => return None,
        VolumeClass::Staggered if content.selection.stride > 1 => {
            let reason = "with a `stride`, staggered components are not on the faces of the cells in the file: remove it";
            return Some(reason.to_owned());
        }
        VolumeClass::Staggered => 3,
        VolumeClass::FogVolume | VolumeClass::LevelSet => 1,
    };
    let other = content
        .columns
        .iter()
        .find(|column| column.components != components)?;
    let number = if components == 1 {
        "one number"
    } else {
        "three numbers"
    };
    Some(format!(
        "this `class` is for fields of {number}, and `{}` has {}: write it in another output",
        other.name, other.components
    ))
}

fn unfit_points(content: &Content) -> Option<String> {
    let reason = match &content.style {
        style if style.half => "the attributes of points have 32 bits: remove `precision`",
        style if style.class.is_some() => "only grids have a `class`: remove it",
        style if style.prune => "only grids have a background: remove `prune`",
        _ => return fit::points(content, u64::from(u32::MAX)),
    };
    Some(reason.to_owned())
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let grids = match view.content.geometry {
        Geometry::Particles { .. } => {
            let position = view.position()?;
            vec![points::grid(view, position)?]
        }
        _ => grids(view)?,
    };
    let facts = vec![
        ("creator", Fact::Text(PROGRAM.to_owned())),
        ("frame", Fact::Int(view.frame as i64)),
        ("time", Fact::Double(view.time())),
    ];
    out.write_all(&file(&facts, &grids))
}

fn grids(view: &View) -> io::Result<Vec<Grid>> {
    let channels = view.columns.iter().flat_map(|values| {
        let channel = |(name, components)| Channel {
            values,
            name,
            components,
            half: view.content.style.half && values.column.scalar == Scalar::F32,
        };
        parts(values.column).into_iter().map(channel)
    });
    channels.map(|channel| channel.grid(view)).collect()
}

/// One grid of a file.
struct Channel<'a> {
    values: &'a Values<'a>,
    name: String,
    components: Range<usize>,
    half: bool,
}

impl Channel<'_> {
    fn grid(self, view: &View) -> io::Result<Grid> {
        let column = self.values.column;
        let packing = Packing::new(view.content.style.compression);
        let coding = Coding {
            packing,
            size: if self.half { 2 } else { 4 },
            half: self.half,
        };
        let sides = view.sides().map(|side| side as usize);
        let background = self.background().repeat(self.components.len());
        let tree = Tree::new(sides, &background, coding, &|corner| {
            self.leaf(view, sides, corner)
        })?;
        let mut facts = vec![
            ("name", Fact::Text(self.name.clone())),
            ("is_saved_as_half_float", Fact::Bool(self.half)),
            ("file_compression", Fact::Text(packing.words().to_owned())),
            ("file_voxel_count", Fact::Int(tree.voxels as i64)),
        ];
        let is_volume = column.scalar == Scalar::F32
            && column.components == 1
            && matches!(view.content.geometry, Geometry::Cells { .. });
        let class = match view.content.style.class {
            Some(VolumeClass::FogVolume) => Some("fog volume"),
            Some(VolumeClass::LevelSet) => Some("level set"),
            Some(VolumeClass::Staggered) => Some("staggered"),
            None if is_volume => Some("fog volume"),
            Some(VolumeClass::Unknown) | None => None,
        };
        facts.extend(class.map(|class| ("class", Fact::Text(class.to_owned()))));
        facts.extend(column.units.clone().map(|units| ("units", Fact::Text(units))));
        if let Some([low, high]) = tree.bounds {
            facts.push(("file_bbox_min", Fact::Coordinates(low)));
            facts.push(("file_bbox_max", Fact::Coordinates(high)));
        }
        // Voxel (0, 0, 0) is the first cell of the view; its centre is that of the cell.
        let (origin, spacing) = view.lattice();
        let kind = if self.components.len() == 3 {
            "vec3s"
        } else {
            "float"
        };
        Ok(Grid {
            name: self.name,
            kind,
            half: self.half,
            compression: packing.flags(),
            facts,
            place: Place { origin, spacing },
            tree,
        })
    }

    /// One component of the background. Half floats have one that is rounded as they are.
    fn background(&self) -> [u8; 4] {
        let value = self.values.column.background;
        let value = if self.half {
            f16::from_f64(value).to_f32()
        } else {
            value as f32
        };
        value.to_le_bytes()
    }

    /// The leaf at a corner.
    fn leaf(&self, view: &View, sides: [usize; 3], corner: [usize; 3]) -> io::Result<Leaf> {
        let mut leaf = Leaf::new();
        let end: [usize; 3] = std::array::from_fn(|axis| sides[axis].min(corner[axis] + LEAF));
        let run = view.active_run(LEAF);
        let cell = |[x, y, z]: [usize; 3]| (z * sides[1] + y) * sides[0] + x;
        for z in corner[2]..end[2] {
            for y in corner[1]..end[1] {
                for first in (corner[0]..end[0]).step_by(run) {
                    if !view.is_active([first, y, z]) {
                        continue;
                    }
                    for x in first..end[0].min(first + run) {
                        if !view.content.style.prune || self.differs(cell([x, y, z])) {
                            leaf.set_on(Leaf::number([x % LEAF, y % LEAF, z % LEAF]));
                        }
                    }
                }
            }
        }
        for number in 0..VOXELS {
            if !leaf.is_on(number) {
                continue;
            }
            let place = [number / (LEAF * LEAF), number / LEAF % LEAF, number % LEAF];
            self.put(
                cell(std::array::from_fn(|axis| corner[axis] + place[axis])),
                &mut leaf.values,
            )?;
        }
        Ok(leaf)
    }

    /// True if a cell differs from the background.
    fn differs(&self, cell: usize) -> bool {
        let background = self.values.column.background as f32;
        let is_other = |component| self.number(cell, component).ok() != Some(background);
        self.components.clone().any(is_other)
    }

    /// A component of a cell; the error is an integer that is not exact.
    fn number(&self, cell: usize, component: usize) -> Result<f32, i64> {
        let word = self.values.word(cell, component);
        let integer = match self.values.column.scalar {
            Scalar::F32 => return Ok(f32::from_ne_bytes(word)),
            Scalar::I32 => i64::from(i32::from_ne_bytes(word)),
            _ => i64::from(u32::from_ne_bytes(word)),
        };
        exact(integer).ok_or(integer)
    }

    /// Adds the numbers of a cell.
    fn put(&self, cell: usize, out: &mut Vec<u8>) -> io::Result<()> {
        for component in self.components.clone() {
            let number = self.number(cell, component).map_err(|integer| {
                let name = format!("`{}` of element {cell}", self.values.column.name);
                io::Error::new(io::ErrorKind::InvalidData, inexact(&name, integer))
            })?;
            if self.half {
                out.extend_from_slice(&f16::from_f32(number).to_le_bytes());
            } else {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_floats_where_these_are_exact() {
        for integer in [0, -7, 1 << 24, i64::from(i32::MIN), 3 << 29] {
            assert_eq!(exact(integer).map(f64::from), Some(integer as f64));
        }
        for integer in [(1 << 24) + 1, -(1 << 24) - 1, i64::from(u32::MAX)] {
            assert_eq!(exact(integer), None);
        }
    }
}
