//! The stages of one reduction: levels of partial results.

use super::super::DraftContext;
use super::super::measures::{GROUP, groups, reads};
use crate::element::Element;
use crate::ir::{
    BlockRuns, Domain, Draft, FieldId, Measured, MeasuredPart, Operation, Over, Pipeline, ResourceId, Tiles,
};
use crate::shared_constants::device;

/// Words of a partial result of one component.
const PARTIAL_WORDS: u64 = 2;
/// Largest number of partial results that one workgroup combines, and of those that it should combine.
const MAX_PARTIALS: u64 = 4096;
const PARTIALS_EACH: u64 = 1024;
const MAX_GROUPS: u64 = 1024;

/// Elements of a tile of a grid along x, each processed with its column of the tile by an invocation.
const TILE_X: u32 = 32;
/// Tiles of a workgroup.
const TILES_OF_GROUP: u64 = (GROUP / TILE_X) as u64;

/// Most cells of a run in a block of a sparse grid, log2, and elements of an invocation in one.
const RUN_LOG2: u32 = 12;
const ELEMENTS_EACH: u64 = 16;
/// Workgroups of few runs take one each, and those of a large grid several: most of its blocks may be inactive.
const MAX_GROUPS_OF_RUNS: u64 = 4096;

/// The grid of the elements of a reduction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grid {
    None,
    /// With the number of elements along each axis.
    Dense(ResourceId, [u64; 3]),
    /// With the number of cells of an element, log2.
    Sparse(ResourceId, u32),
}

/// The elements of a reduction, and its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduced {
    pub field: FieldId,
    /// The type of the elements.
    pub element: Element,
    /// The domain whose elements wrote the values, if the device determines their number.
    pub within: Option<(ResourceId, Over)>,
    /// Largest number of elements.
    pub elements: u64,
    pub grid: Grid,
    pub operation: Operation,
    /// The buffer of the result.
    pub into: FieldId,
}

/// The first level of a reduction, whose partial results follow.
struct FirstLevel {
    stage: Draft,
    partials: u64,
    /// Consecutive partial results of one component.
    plane: u64,
    /// The header of the sparse grid whose number of active blocks determines how many partial results there are, and those of
    /// a block.
    counts: Option<(FieldId, u64)>,
}

/// A reduction that is being converted to stages.
struct Reduction<'a> {
    reduced: Reduced,
    components: u32,
    name: String,
    entry: DraftContext<'a>,
}

/// The stages of a reduction: one if a single workgroup reduces all elements, else two, or three for many partial results.
/// `partials` returns a buffer of at least a number of words for a level of partial results.
pub(super) fn reduce(
    pipeline: &mut Pipeline,
    reduced: Reduced,
    mut partials: impl FnMut(&mut Pipeline, u32, u64) -> FieldId,
    entry: DraftContext,
) -> Vec<Draft> {
    let reduction = Reduction {
        reduced,
        components: match reduced.operation {
            Operation::Count => 1,
            _ => reduced.element.components(),
        },
        name: pipeline.fields[reduced.into].symbol(),
        entry,
    };
    let mut last = match reduced.grid {
        // One workgroup reduces few elements at once.
        _ if groups(reduced.elements) == 1 => reduction.strides(),
        // Planes in z are workgroups.
        Grid::Dense(id, sides) if sides[2] <= u64::from(device::MAX_GROUPS) => {
            reduction.tiles(pipeline, (id, sides))
        }
        Grid::Sparse(id, cells_log2) => reduction.blocks(pipeline, id, cells_log2),
        _ => reduction.strides(),
    };
    reduction.measure(pipeline, &mut last.stage);
    let mut stages = Vec::new();
    while last.partials > 1 {
        let words = PARTIAL_WORDS * last.partials * u64::from(reduction.components);
        let between = partials(pipeline, stages.len() as u32, words);
        let mut next = reduction.finish(&last);
        next.stage.read("partials", between);
        last.stage.write_as("sg_reduced", between, Element::Uint);
        stages.push(std::mem::replace(&mut last, next).stage);
    }
    last.stage.write_as("sg_reduced", reduced.into, Element::Uint);
    stages.push(last.stage);
    stages
}

impl Reduction<'_> {
    fn draft(&self, verb: &str, shader: &'static str, domain: Domain, partials: u64) -> Draft {
        let (reduced, entry) = (&self.reduced, self.entry);
        let mut stage = entry.draft(format!("{verb}_{}{}", self.name, entry.suffix), shader, domain);
        stage.stated.workgroup = Some([GROUP, 1, 1]);
        stage.constants = constants([
            ("OPERATION", reduced.operation as u64),
            ("CLASS", reduced.element.class() as u64),
            ("GROUPS", partials),
        ]);
        stage
    }

    /// The first level over elements of a grid: a partial result for each tile of it.
    fn tiles(&self, pipeline: &Pipeline, (grid, sides): (ResourceId, [u64; 3])) -> FirstLevel {
        // Larger ones would leave ranks less choice of their parts, smaller ones more partial results.
        let per = [TILE_X, if sides[1] < 256 { 16 } else { 32 }, 1];
        let tiles: [u64; 3] = std::array::from_fn(|axis| sides[axis].div_ceil(u64::from(per[axis])));
        let partials = tiles.iter().product();
        let mut domain = Domain::elements(tiles, 3, None);
        domain.over = Over::Groups;
        let mut stage = self.draft("reduce", "measure/reduce_tiles.comp", domain, partials);
        // Workgroups are as large as for lists: the device starts few of them.
        let group_z = tiles[2].min(TILES_OF_GROUP).ilog2();
        let per_group = [1, TILES_OF_GROUP as u32 >> group_z, 1 << group_z];
        stage.tiles = Some(Tiles {
            grid,
            per,
            per_group,
            more: std::array::from_fn(|axis| sides[axis].saturating_sub(pipeline.resources[grid].size[axis])),
        });
        stage.constants.extend(constants([
            ("SIDE_X", sides[0]),
            ("SIDE_Y", sides[1]),
            ("SIDE_Z", sides[2]),
            ("TILE_Y", per[1].into()),
            ("GROUP_Y", per_group[1].into()),
            ("ITEMS", self.components.into()),
        ]));
        FirstLevel {
            stage,
            partials,
            plane: tiles[0] * tiles[1],
            counts: None,
        }
    }

    /// The first level over the cells or sub-blocks of the active blocks of a sparse grid: a partial result for each run of
    /// consecutive ones of a block, which are a box of cells.
    fn blocks(&self, pipeline: &Pipeline, grid: ResourceId, cells_log2: u32) -> FirstLevel {
        let Some(sparse) = pipeline.resources[grid].sparse() else {
            return self.strides();
        };
        let sides = sparse.layout.run_log2(RUN_LOG2);
        let box_log2: u32 = sides.iter().sum();
        let run_log2 = box_log2 - cells_log2;
        let of_block = sparse.layout.cells_per_block() >> box_log2;
        let partials = sparse.max_blocks * of_block;
        let lanes = ((1 << run_log2) / ELEMENTS_EACH).max(1);
        let groups = (partials * lanes).div_ceil(GROUP.into()).min(MAX_GROUPS_OF_RUNS);
        let mut stage = self.draft(
            "reduce",
            "measure/reduce_blocks.comp",
            self.domain(groups),
            groups,
        );
        stage.runs = Some(BlockRuns {
            grid,
            per: sides.map(|log2| 1 << log2),
            words: PARTIAL_WORDS * partials * u64::from(self.components),
        });
        stage.constants.extend(constants([
            ("RUNS", partials),
            ("RUN_LOG2", run_log2.into()),
            ("LANES", lanes),
        ]));
        FirstLevel {
            stage,
            partials,
            plane: partials,
            counts: Some((sparse.fields.header, of_block)),
        }
    }

    /// The first level over a list of elements: workgroups take them with a stride.
    fn strides(&self) -> FirstLevel {
        let elements = self.reduced.elements;
        let partials = groups(elements).into();
        let mut stage = self.draft("reduce", "measure/reduce.comp", self.domain(partials), partials);
        stage.constants.extend(constants([
            ("ELEMENTS_LOW", elements & 0xffff_ffff),
            ("ELEMENTS_HIGH", elements >> 32),
        ]));
        FirstLevel {
            stage,
            partials,
            plane: partials,
            counts: None,
        }
    }

    /// A level over partial results.
    fn finish(&self, before: &FirstLevel) -> FirstLevel {
        let (partials, plane) = (before.partials, before.plane);
        let (verb, groups) = match partials {
            0..=MAX_PARTIALS => ("finish", 1),
            _ => ("combine", partials.div_ceil(PARTIALS_EACH).min(MAX_GROUPS)),
        };
        let mut stage = self.draft(verb, "measure/finish.comp", self.domain(groups), groups);
        stage.constants.extend(constants([
            ("PARTIALS", partials),
            ("PLANE", plane),
            ("ITEMS", self.components.into()),
        ]));
        if let Some((header, of_block)) = before.counts {
            stage.read("counts", header);
            stage.constants.extend(constants([("RUNS_OF_BLOCK", of_block)]));
        }
        FirstLevel {
            stage,
            partials: groups,
            plane: groups,
            counts: None,
        }
    }

    /// Workgroups for each component.
    fn domain(&self, groups: u64) -> Domain {
        let size = [groups * u64::from(GROUP), self.components.into(), 1];
        Domain::elements(size, 2, None)
    }

    /// Lets the first level read the elements.
    fn measure(&self, pipeline: &Pipeline, first: &mut Draft) {
        let reduced = &self.reduced;
        let items: Vec<Measured> = (0..self.components)
            .map(|component| Measured {
                field: reduced.field,
                part: MeasuredPart::Component(component),
                is_squared: false,
                entry: None,
                only: None,
                within: reduced.within,
            })
            .collect();
        for field in reads(pipeline, &items) {
            let found = &pipeline.fields[field];
            if field == reduced.field && found.element != reduced.element {
                first.read_as(&found.symbol(), field, reduced.element)
            } else {
                first.read(found.symbol(), field)
            }
        }
        first.measured = items;
    }
}

fn constants<const N: usize>(values: [(&str, u64); N]) -> Vec<(String, f64)> {
    let named = values.into_iter();
    named
        .map(|(name, value)| (name.to_string(), value as f64))
        .collect()
}
