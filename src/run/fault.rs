//! Faults of checked runs: wrong accesses, with their stage and field.

mod kind;
mod record;

use std::fmt;

use crate::ir::Pipeline;
use crate::shader::{Module, lines};

use super::indices::tuple;
use record::Record;

pub use kind::FaultKind;
pub use record::last_started;

/// The first fault of a run.
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
    /// The file and the line of the access.
    pub place: Option<String>,
    /// The world, if there are several.
    pub world: Option<usize>,
}

impl Fault {
    /// Advice for the user.
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
            FaultKind::Foreign { .. } => {
                "compare the access with the offsets that `#pragma offsets` states; with `#pragma alternates <accessor> last`, \
                 reads may also take entries that belonged to the element in the last step"
            }
            FaultKind::NoLength(_) => {
                "pass set_clock_dt a number above 0, in s: bound it from below, and find what made it NaN"
            }
            _ => "clamp the index in the shader, or return early",
        }
    }

    /// Decodes the record that the generated interface writes, with the kernel's local number of the field; `None`
    /// without a fault.
    pub fn decode(bytes: &[u8], pipeline: &Pipeline, modules: &[Module]) -> Option<Fault> {
        let record = Record::read(bytes)?;
        let stage = pipeline.stages.get(record.stage as usize)?;
        let module = modules.get(record.stage as usize);
        let place = module.and_then(|module| lines::place(record.line, &module.kernel.sources));
        let fault = |field: &str, kind: FaultKind| Fault {
            stage: stage.name.clone(),
            field: field.to_string(),
            kind,
            index: Vec::new(),
            size: Vec::new(),
            dynamic: false,
            invocation: record.invocation,
            place: place.clone(),
            world: None,
        };
        if record.kind == record::NO_LENGTH {
            return Some(fault("clock.dt", FaultKind::NoLength(record.index[0])));
        }
        let field = &pipeline.fields[*stage.bindings.get(record.field as usize)?];
        if record.kind == record::TOO_MANY_GROUPS {
            // A kernel of the engine reports it.
            return Some(Fault {
                place: None,
                ..fault(&field.name, FaultKind::TooManyGroups(record.index[0]))
            });
        }
        let resource = &pipeline.resources[field.resource];
        let axes = resource.axes() as usize;
        let size = resource.size_of(field)[..axes].to_vec();
        let dynamic = resource.live().is_some();
        if record.kind == record::RACE {
            return Some(Fault {
                index: record.raced_index(resource, &size),
                size,
                dynamic,
                invocation: [0; 3],
                ..fault(&field.name, FaultKind::Race(record.race(pipeline, stage, field)))
            });
        }
        Some(Fault {
            index: record.accessed_index(axes),
            size,
            dynamic,
            ..fault(&field.name, record.access(pipeline, stage, field))
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write(f)?;
        if let Some(place) = &self.place {
            write!(f, ", at {place}")?;
        }
        in_world(f, self.world)
    }
}

/// Adds the world to a message, if there are several.
pub(super) fn in_world(f: &mut fmt::Formatter, world: Option<usize>) -> fmt::Result {
    world.map_or(Ok(()), |world| write!(f, ", in world {world}"))
}

impl Fault {
    fn write(&self, f: &mut fmt::Formatter) -> fmt::Result {
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
            FaultKind::Foreign { writes, entry } => write!(
                f,
                "stage `{stage}` {} entry {entry} of `{field}` at index {index}, which belongs to another element in this step \
                 (invocation {invocation})",
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
