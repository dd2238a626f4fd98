//! OpenVDB: a sparse tree of 8 x 8 x 8 leaves per channel. Sparse grids become the voxels of their active blocks,
//! dense ones are active everywhere, or with `prune` where they differ from the background; the rest is the channel's
//! background.

mod archive;
mod pack;
mod tree;

use std::io::{self, Write};

use half::f16;

use super::super::content::{Column, Compression, Content, Geometry, Scalar};
use super::super::format::PROGRAM;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use archive::{Fact, Grid, Place, file};
use pack::Packing;
use tree::{Coding, LEAF, Leaf, Tree, VOXELS};

pub(super) const VDB: Descriptor = Descriptor {
    note: "OpenVDB",
    settings: &[Setting::Precision, Setting::Names, Setting::Prune],
    compression: Some(Compression::Fast),
    has_active: true,
    has_background: true,
    unfit,
    numbers: words,
    ..Descriptor::new(FormatKind::Grids, write)
};

/// OpenVDB has no unsigned integers, and many readers have none of 64 bits: an unsigned number is an int32, if it fits.
const MAX_INT: u32 = i32::MAX as u32;

fn unfit(content: &Content) -> Option<String> {
    fit::cells(content).or_else(|| {
        let too_large =
            |column: &&Column| column.scalar == Scalar::U32 && column.background > f64::from(MAX_INT);
        let column = content.columns.iter().find(too_large)?;
        Some(format!(
            "the background of `{}` is {}, but OpenVDB's integers end at {MAX_INT}: choose vti, or a `scale` of 1 to \
             write floats",
            column.name, column.background
        ))
    })
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut grids = Vec::new();
    for values in &view.columns {
        for channel in channels(values, view.content.style.half) {
            grids.push(channel.grid(view)?);
        }
    }
    let facts = vec![
        ("creator", Fact::Text(PROGRAM.to_owned())),
        ("frame", Fact::Int(view.frame as i64)),
        ("time", Fact::Double(view.time())),
    ];
    out.write_all(&file(&facts, &grids))
}

/// The grids of a column: floats with three components are one grid of vectors, everything else one per component.
fn channels<'a>(values: &'a Values<'a>, half: bool) -> Vec<Channel<'a>> {
    let column = values.column;
    let is_vector = (column.scalar, column.components) == (Scalar::F32, 3);
    let channel = |name: String, first: usize, components: usize| Channel {
        values,
        name,
        components: first..first + components,
        half: half && column.scalar == Scalar::F32,
    };
    if is_vector {
        return vec![channel(column.label.clone(), 0, 3)];
    }
    let components = 0..column.components as usize;
    let one = |component: usize| {
        let name = match column.part_name(component) {
            Some(part) => format!("{}_{part}", column.label),
            None => column.label.clone(),
        };
        channel(name, component, 1)
    };
    components.map(one).collect()
}

/// One grid of a file.
struct Channel<'a> {
    values: &'a Values<'a>,
    name: String,
    components: std::ops::Range<usize>,
    half: bool,
}

impl Channel<'_> {
    fn is_float(&self) -> bool {
        self.values.column.scalar == Scalar::F32
    }

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
            && self.components.len() == 1
            && matches!(view.content.geometry, Geometry::Cells { .. });
        if is_volume {
            facts.push(("class", Fact::Text("fog volume".to_owned())));
        }
        if let Some([low, high]) = tree.bounds {
            facts.push(("file_bbox_min", Fact::Coordinates(low)));
            facts.push(("file_bbox_max", Fact::Coordinates(high)));
        }
        // Voxel (0, 0, 0) is the first cell of the view; its centre is that of the cell.
        let (origin, spacing) = view.lattice();
        let kind = match (self.is_float(), self.components.len()) {
            (true, 3) => "vec3s",
            (true, _) => "float",
            (false, _) => "int32",
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
        match (self.is_float(), self.half) {
            (true, true) => f16::from_f64(value).to_f32().to_le_bytes(),
            (true, false) => (value as f32).to_le_bytes(),
            (false, _) => (value as i32).to_le_bytes(),
        }
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
            self.put(cell(std::array::from_fn(|axis| corner[axis] + place[axis])), &mut leaf.values)?;
        }
        Ok(leaf)
    }

    /// True if a cell differs from the background.
    fn differs(&self, cell: usize) -> bool {
        let background = self.values.column.background;
        self.components.clone().any(|component| {
            let word = self.values.word(cell, component);
            match self.values.column.scalar {
                Scalar::F32 => f32::from_ne_bytes(word) != background as f32,
                Scalar::I32 => i32::from_ne_bytes(word) != background as i32,
                _ => u32::from_ne_bytes(word) != background as u32,
            }
        })
    }

    /// Adds the numbers of a cell.
    fn put(&self, cell: usize, out: &mut Vec<u8>) -> io::Result<()> {
        for component in self.components.clone() {
            let word = self.values.word(cell, component);
            let bits = u32::from_ne_bytes(word);
            if self.half {
                let number = f16::from_f32(f32::from_bits(bits));
                out.extend_from_slice(&number.to_le_bytes());
                continue;
            }
            if self.values.column.scalar == Scalar::U32 && bits > MAX_INT {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!(
                        "`{}` of element {cell} is {bits}, but OpenVDB's integers end at {MAX_INT}: choose vti, or a \
                         `scale` of 1 to write floats",
                        self.values.column.name
                    ),
                ));
            }
            out.extend_from_slice(&bits.to_le_bytes());
        }
        Ok(())
    }
}
