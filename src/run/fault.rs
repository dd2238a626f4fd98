//! The fault record of checked runs: the stage and the access outside a field.

use std::fmt;

use crate::ir::{Pipeline, Reach};

use super::indices::{indices, tuple};
use super::race::Race;

/// What an access did wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    ReadOutside,
    WroteOutside,
    /// A write to a cell of a sparse grid in an inactive block, which has these block coordinates.
    WroteInactive {
        block: [i64; 3],
    },
    /// An access to an entry that an array does not have, and the number of its entries.
    Entry {
        writes: bool,
        entry: i64,
        count: u32,
    },
    /// An access to several cells at once that do not begin at a multiple of their number.
    Unaligned {
        writes: bool,
    },
    /// An access that is farther from the own element than the kernel states.
    Beyond {
        writes: bool,
        reach: Reach,
    },
    /// The length of an iteration that is no number above 0: its bits.
    NoLength(u32),
    /// A number of workgroups in a buffer that no device takes.
    TooManyGroups(u32),
    Race(Race),
}

/// The kind of [`FaultKind::NoLength`] in the record.
const NO_LENGTH: u32 = 5;
/// The kind of [`FaultKind::TooManyGroups`].
const TOO_MANY_GROUPS: u32 = 6;
/// The kind of [`FaultKind::Race`], as `src/run/name_race.comp` writes it.
const RACE: u32 = 7;

/// The first access outside a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub stage: String,
    pub field: String,
    pub kind: FaultKind,
    /// As many axes as the field's resource has.
    pub index: Vec<i64>,
    pub size: Vec<u64>,
    /// The resource is a dynamic particle set, with fewer live particles than its capacity.
    pub dynamic: bool,
    pub invocation: [u32; 3],
}

impl Fault {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match &self.kind {
            FaultKind::Race(race) => race.help(),
            FaultKind::WroteInactive { .. } => {
                "request the block earlier, with request_<grid>(cell) and an update, or test \
                 <grid>_is_active(cell)"
            }
            FaultKind::Entry { .. } => "the values of an array are numbered from 0 to <field>_entries - 1",
            FaultKind::TooManyGroups(_) => {
                "one number of groups may be at most 65535 x 65535, each of three numbers at most 65535: let groups do more \
                 work each"
            }
            FaultKind::Unaligned { .. } => {
                "<field>_x2 takes an even index along x, <field>_x4 a multiple of 4, as `stage` gets it with a `vector_width`"
            }
            FaultKind::Beyond { .. } => {
                "keep the access within, or state in the kernel how far it goes: `#pragma reach <accessor> <cells>`, or \
                 `anywhere`"
            }
            FaultKind::NoLength(_) => {
                "pass set_clock_dt a number above 0, in s: bound it from below, and find what made it NaN"
            }
            _ => "clamp the index in the shader, or return early",
        }
    }

    /// Decodes the record that the generated interface writes, with the kernel's local number of the field; `None`
    /// without a fault.
    pub fn decode(bytes: &[u8], pipeline: &Pipeline) -> Option<Fault> {
        let [claimed, stage, field, kind, x, y, z, ix, iy, iz, _, entry] = words(bytes)[..] else {
            return None;
        };
        if claimed == 0 {
            return None;
        }
        let stage = pipeline.stages.get(stage as usize)?;
        if kind == NO_LENGTH {
            return Some(Fault {
                stage: stage.name.clone(),
                field: "clock.dt".to_string(),
                kind: FaultKind::NoLength(x),
                index: Vec::new(),
                size: Vec::new(),
                dynamic: false,
                invocation: [ix, iy, iz],
            });
        }
        let reach = pipeline
            .kernel_of(stage)
            .signature
            .fields
            .get(field as usize)
            .map(|field| field.reach);
        let reach = reach.unwrap_or_default();
        let field = &pipeline.fields[*stage.bindings.get(field as usize)?];
        if kind == TOO_MANY_GROUPS {
            return Some(Fault {
                stage: stage.name.clone(),
                field: field.name.clone(),
                kind: FaultKind::TooManyGroups(x),
                index: Vec::new(),
                size: Vec::new(),
                dynamic: false,
                invocation: [ix, iy, iz],
            });
        }
        let resource = &pipeline.resources[field.resource];
        let axes = resource.axes() as usize;
        let size = resource.size_of(field)[..axes].to_vec();
        if kind == RACE {
            let index = match resource.sparse() {
                // The place in the block, and the number of the block.
                Some(grid) => grid.layout.cell_at(y, x).map(i64::from).to_vec(),
                None => indices(u64::from(y) << 32 | u64::from(x), &size),
            };
            let entry = field.count.map(|_| entry);
            let race = Race::decode(pipeline, stage, [ix, iy], iz != 0, z, entry);
            return Some(Fault {
                stage: stage.name.clone(),
                field: field.name.clone(),
                kind: FaultKind::Race(race),
                index,
                size,
                dynamic: resource.live().is_some(),
                invocation: [0; 3],
            });
        }
        let index = match axes {
            1 => vec![i64::from(x)],
            _ => [x, y, z][..axes].iter().map(|i| i64::from(*i as i32)).collect(),
        };
        Some(Fault {
            stage: stage.name.clone(),
            field: field.name.clone(),
            kind: match (kind, resource.sparse()) {
                (0, _) => FaultKind::ReadOutside,
                (2, Some(grid)) => FaultKind::WroteInactive {
                    block: [0, 1, 2].map(|axis| i64::from([x, y, z][axis] >> grid.layout.block_log2[axis])),
                },
                (3 | 4, _) => FaultKind::Entry {
                    writes: kind == 4,
                    entry: i64::from(entry as i32),
                    count: field.count.unwrap_or(1),
                },
                (8 | 9, _) => FaultKind::Unaligned { writes: kind == 9 },
                (10 | 11, _) => FaultKind::Beyond {
                    writes: kind == 11,
                    reach,
                },
                _ => FaultKind::WroteOutside,
            },
            index,
            size,
            dynamic: resource.live().is_some(),
            invocation: [ix, iy, iz],
        })
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (stage, field) = (&self.stage, &self.field);
        let (index, invocation) = (tuple(&self.index), tuple(&self.invocation));
        let outside = |f: &mut fmt::Formatter, verb: &str| {
            let outside = if self.dynamic {
                "beyond the live particles".to_string()
            } else {
                format!("outside its size {}", tuple(&self.size))
            };
            write!(
                f,
                "stage `{stage}` {verb} `{field}` at index {index}, {outside} (invocation {invocation})"
            )
        };
        match &self.kind {
            FaultKind::Race(race) => {
                write!(f, "stage `{stage}`: ")?;
                match race.entry {
                    Some(entry) => write!(f, "entry {entry} of `{field}` at index {index}: {race}"),
                    None => write!(f, "`{field}` at index {index}: {race}"),
                }
            }
            FaultKind::ReadOutside => outside(f, "read"),
            FaultKind::WroteOutside => outside(f, "wrote"),
            FaultKind::Unaligned { writes } => write!(
                f,
                "stage `{stage}` {} several cells of `{field}` at once from index {index} on, which is not a multiple of their \
                 number along x (invocation {invocation})",
                if *writes { "wrote" } else { "read" }
            ),
            FaultKind::Beyond { writes, reach } => write!(
                f,
                "stage `{stage}` {} `{field}` at index {index}, beyond its reach of {reach} (invocation {invocation})",
                if *writes { "wrote" } else { "read" }
            ),
            FaultKind::Entry { writes, entry, count } => write!(
                f,
                "stage `{stage}` {} entry {entry} of `{field}` at index {index}, whose arrays have {count} entries \
                 (invocation {invocation})",
                if *writes { "wrote" } else { "read" }
            ),
            FaultKind::TooManyGroups(count) => write!(
                f,
                "stage `{stage}` found {count} workgroups in `{field}`, more than devices run"
            ),
            FaultKind::NoLength(bits) => {
                let value = f32::from_bits(*bits);
                write!(
                    f,
                    "stage `{stage}` set {field}, the length of an iteration, to {value} s"
                )
            }
            FaultKind::WroteInactive { block } => write!(
                f,
                "stage `{stage}` wrote `{field}` at cell {index}, in the inactive block {} (invocation \
                 {invocation})",
                tuple(block)
            ),
        }
    }
}
