//! The words of a fault record, as docs/abi.md describes them.

use crate::ir::{Field, LocalField, Pipeline, Resource, Stage};
use crate::run::indices::indices;
use crate::run::race::Race;

use super::kind::FaultKind;

/// The kind of [`FaultKind::NoLength`].
pub(super) const NO_LENGTH: u32 = 5;
/// The kind of [`FaultKind::TooManyGroups`].
pub(super) const TOO_MANY_GROUPS: u32 = 6;
/// The kind of [`FaultKind::Race`], as `src/run/name_race.comp` writes it.
pub(super) const RACE: u32 = 7;

/// A record with a fault.
pub(super) struct Record {
    pub stage: u32,
    pub field: u32,
    pub kind: u32,
    pub index: [u32; 3],
    pub invocation: [u32; 3],
    pub entry: u32,
    /// See [`crate::shader::lines`].
    pub line: u32,
}

impl Record {
    /// Reads a record; `None` without a fault.
    pub(super) fn read(bytes: &[u8]) -> Option<Record> {
        let [claimed, stage, field, kind, x, y, z, ix, iy, iz, _, entry, line] = words(bytes)[..] else {
            return None;
        };
        (claimed != 0).then_some(Record {
            stage,
            field,
            kind,
            index: [x, y, z],
            invocation: [ix, iy, iz],
            entry,
            line,
        })
    }

    /// The race of two users, whose numbers are in the place of the invocation.
    pub(super) fn race(&self, pipeline: &Pipeline, stage: &Stage, field: &Field) -> Race {
        let [first, second, of_groups] = self.invocation;
        let entry = field.count.map(|_| self.entry);
        Race::decode(
            pipeline,
            stage,
            [first, second],
            of_groups != 0,
            self.index[2],
            entry,
        )
    }

    /// The index of the value that users race for.
    pub(super) fn raced_index(&self, resource: &Resource, size: &[u64]) -> Vec<i64> {
        let [x, y, _] = self.index;
        match resource.sparse() {
            // The place in the block, and the number of the block.
            Some(grid) => grid.layout.cell_at(y, x).map(i64::from).to_vec(),
            None => indices(u64::from(y) << 32 | u64::from(x), size),
        }
    }

    /// The index of an access. Along several axes it may be negative.
    pub(super) fn accessed_index(&self, axes: usize) -> Vec<i64> {
        match axes {
            1 => vec![i64::from(self.index[0])],
            _ => self.index[..axes].iter().map(|i| i64::from(*i as i32)).collect(),
        }
    }

    /// The kind of a wrong access.
    pub(super) fn access(&self, pipeline: &Pipeline, stage: &Stage, field: &Field) -> FaultKind {
        let grid = pipeline.resources[field.resource].sparse();
        let fields = &pipeline.kernel_of(stage).signature.fields;
        match (self.kind, grid) {
            (0, _) => FaultKind::ReadOutside,
            (2, Some(grid)) => FaultKind::WroteInactive {
                block: [0, 1, 2].map(|axis| i64::from(self.index[axis] >> grid.layout.block_log2[axis])),
            },
            (3 | 4, _) => FaultKind::Entry {
                writes: self.kind == 4,
                entry: i64::from(self.entry as i32),
                count: field.count.unwrap_or(1),
            },
            (8 | 9, _) => FaultKind::Unaligned {
                writes: self.kind == 9,
            },
            (10 | 11, _) => self.beyond(fields.get(self.field as usize)),
            _ => FaultKind::WroteOutside,
        }
    }
}

impl Record {
    /// An access farther away than the kernel states for a field.
    fn beyond(&self, field: Option<&LocalField>) -> FaultKind {
        let writes = self.kind == 11;
        let reach = field.map_or_else(Default::default, |field| field.reach);
        match field.and_then(|field| field.alternation) {
            Some(_) => FaultKind::Foreign {
                writes,
                entry: i64::from(self.entry as i32),
            },
            None => FaultKind::Beyond {
                writes,
                reach: if writes { reach.writes } else { reach.all },
            },
        }
    }
}

/// The last stage that began, according to a record.
pub fn last_started<'a>(bytes: &[u8], pipeline: &'a Pipeline) -> Option<&'a str> {
    let started = *words(bytes).get(10)?;
    let stage = pipeline.stages.get((started as usize).checked_sub(1)?)?;
    Some(&stage.name)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}
