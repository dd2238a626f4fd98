//! Turns a draft into a stage and its kernel.

use super::super::{
    FieldId, Kernel, LocalField, LocalReduction, LocalTile, Over, Pipeline, Signature, Stage, StageId,
};
use super::{Binding, Draft};

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
            may_run_whole: self.may_run_whole,
            shares: self.shares,
            ends_sort: self.ends_sort,
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
            arguments: std::mem::take(&mut self.arguments),
        }
    }

    /// Returns true if the rows of all fields whose cells it joins, and of its domain, are multiples of `width`.
    fn has_whole_rows(&self, pipeline: &Pipeline, signature: &Signature, width: u32) -> bool {
        let joined = signature.joined();
        let rows = joined.map(|(_, field)| pipeline.resources[self.resources[field.resource].1].size[0]);
        let over_cells = matches!(self.domain.over, Over::Elements | Over::ActiveCells);
        let domain = Some(self.domain.size[0]).filter(|_| over_cells);
        let grid = self
            .domain
            .resource
            .and_then(|id| pipeline.resources[id].sparse());
        let grid = grid.filter(|_| self.domain.over == Over::ActiveCells);
        let sub_block = grid.map(|grid| 1 << grid.layout.sub_log2[0]);
        rows.chain(domain)
            .chain(sub_block)
            .all(|row| row.is_multiple_of(u64::from(width)))
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
