//! Turns a draft into a stage and its kernel.

use super::super::{
    FieldId, Kernel, LocalField, LocalReduction, LocalTile, Over, Pipeline, Resource, Signature, Stage,
    StageId,
};
use super::{Binding, Draft};

/// Cells of a block from which on all its channels begin at multiples of 16 bytes.
const LEAST_CELLS_OF_VECTORS: u64 = 16;

impl Draft {
    /// Adds the stage to a pipeline, with its kernel if no other stage has that already.
    pub fn finish(mut self, pipeline: &mut Pipeline) -> StageId {
        let values = self.bind_implied(pipeline);
        let signature = self.signature(pipeline, &values);
        let is_whole = |width: &u32| self.has_whole_rows(pipeline, &signature, *width);
        self.stated.vector_width = self.stated.vector_width.filter(is_whole);
        let (kernel, _) = pipeline.kernels.insert_full(Kernel {
            source: self.source,
            signature,
            unchecked: self.unchecked,
        });
        let reads = distinct(&self.bindings, |binding| binding.reads, self.clock);
        let written_clock = self.clock.filter(|_| self.sets_length);
        let writes = distinct(&self.bindings, |binding| binding.writes, written_clock);
        pipeline.stages.push(Stage {
            name: self.name,
            kernel,
            resources: self.resources.iter().map(|(_, id)| *id).collect(),
            bindings: self.bindings.iter().map(|binding| binding.field).collect(),
            reads,
            writes,
            domain: self.domain,
            tiles: self.tiles,
            runs: self.runs,
            lines: self.lines,
            may_run_whole: self.may_run_whole,
            neighbours: self.neighbours,
            shares: self.shares,
            in_place: self.in_place,
            completes: self.completes,
            stated: self.stated,
            constants: self.constants,
            every: self.every,
            first: self.first,
            conditions: self.conditions,
            clock: self.clock,
            purpose: self.purpose,
            own_numbers: self.own_numbers || self.reaches.is_none(),
            unsearched: false,
            unordered: self.unordered,
            list: self.list,
            pointer: self.pointer,
        });
        pipeline.stages.len() - 1
    }

    /// The signature of the kernel. `values` are the local fields of its reductions.
    fn signature(&mut self, pipeline: &Pipeline, values: &[usize]) -> Signature {
        let fields: Vec<LocalField> = (0..self.bindings.len())
            .map(|number| self.local_field(pipeline, number))
            .collect();
        let reductions = self.reduces.iter().zip(values);
        Signature {
            resources: (0..self.resources.len())
                .map(|number| self.local_resource(pipeline, number))
                .collect(),
            fields,
            axes: self.domain.axes,
            width: self.stated.vector_width,
            tile: (self.tiles.filter(|_| self.reaches.is_some())).map(|tiles| LocalTile {
                grid: self.local(tiles.grid),
                per: tiles.per,
            }),
            // The number of a word or of a field is not part of a kernel.
            over: match self.domain.over {
                Over::Header(_) => Over::Header(0),
                Over::CountedGroups(_) => Over::CountedGroups(0),
                over => over,
            },
            domain: self.domain.resource.and_then(|id| self.local(id)),
            shares: self.shares.and_then(|id| self.local(id)),
            requests: self.requests.iter().filter_map(|id| self.local(*id)).collect(),
            whole_blocks: self.whole_blocks.and_then(|id| self.local(id)),
            measured: (self.measured.iter())
                .map(|item| self.local_measured(pipeline, item))
                .collect(),
            reduces: reductions
                .map(|((name, operation, ..), values)| LocalReduction {
                    name: name.clone(),
                    operation: *operation,
                    values: *values,
                })
                .collect(),
            sets_length: self.sets_length,
            absent: std::mem::take(&mut self.absent),
            checks_reach: false,
            marks: Vec::new(),
            shuffled: false,
            cut: false,
            owned_sums: Vec::new(),
            arguments: std::mem::take(&mut self.arguments),
        }
    }

    /// Returns true if the rows of all fields whose cells it joins, and of its domain, are multiples of `width`, also in a
    /// sub-block, and begin at multiples of their bytes in a block.
    fn has_whole_rows(&self, pipeline: &Pipeline, signature: &Signature, width: u32) -> bool {
        let resource = |local: usize| &pipeline.resources[self.resources[local].1];
        let mut joined = signature.joined().map(|(_, field)| resource(field.resource));
        let over_cells = matches!(self.domain.over, Over::Elements | Over::ActiveCells);
        let domain = self.domain.resource.map(|id| &pipeline.resources[id]);
        let is_whole = |row: u64| row.is_multiple_of(u64::from(width));
        let is_whole_in_blocks = |resource: &Resource| {
            resource.sparse().is_none_or(|grid| {
                is_whole(1 << grid.layout.sub_log2[0])
                    && grid.layout.cells_per_block() >= LEAST_CELLS_OF_VECTORS
            })
        };
        (!over_cells || is_whole(self.domain.size[0]))
            && joined.all(|resource| is_whole(resource.size[0]) && is_whole_in_blocks(resource))
            && domain
                .filter(|_| self.domain.over == Over::ActiveCells)
                .is_none_or(is_whole_in_blocks)
    }
}

/// The fields of some bindings and a clock, each once.
fn distinct(bindings: &[Binding], wanted: fn(&Binding) -> bool, clock: Option<FieldId>) -> Vec<FieldId> {
    let bindings = bindings.iter().filter(|binding| wanted(binding));
    let mut fields: Vec<FieldId> = Vec::new();
    for field in bindings.map(|binding| binding.field).chain(clock) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}
