//! Hazards between the entries of a list: the reasons for the barriers, for display.

use std::collections::HashMap;

use crate::ir::{FieldId, Pipeline};

use super::List;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HazardKind {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
}

impl HazardKind {
    pub fn short(self) -> &'static str {
        match self {
            HazardKind::ReadAfterWrite => "RAW",
            HazardKind::WriteAfterRead => "WAR",
            HazardKind::WriteAfterWrite => "WAW",
        }
    }
}

/// Entry `to` of a list must wait for entry `from`, because of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hazard {
    pub from: usize,
    pub to: usize,
    pub field: FieldId,
    pub kind: HazardKind,
}

#[derive(Default)]
struct LastAccesses {
    writer: Option<usize>,
    readers: Vec<usize>,
}

/// The direct hazards within one pass through a list, by entry. Hazards that follow from others are omitted.
pub fn hazards(pipeline: &Pipeline, list: List) -> Vec<Hazard> {
    let mut histories: HashMap<FieldId, LastAccesses> = HashMap::new();
    let mut found = Vec::new();
    for (to, entry) in list.entries(pipeline).iter().enumerate() {
        let stage = &pipeline.stages[entry.stage];
        let family = |field: &FieldId| pipeline.swaps.family(*field);
        for field in stage.reads() {
            let history = histories.entry(family(field)).or_default();
            found.extend(history.writer.map(|from| Hazard {
                from,
                to,
                field: *field,
                kind: HazardKind::ReadAfterWrite,
            }));
        }
        for field in stage.writes() {
            let history = histories.entry(family(field)).or_default();
            let readers = history.readers.iter();
            found.extend(readers.map(|from| Hazard {
                from: *from,
                to,
                field: *field,
                kind: HazardKind::WriteAfterRead,
            }));
            if history.readers.is_empty() && !stage.reads().contains(field) {
                found.extend(history.writer.map(|from| Hazard {
                    from,
                    to,
                    field: *field,
                    kind: HazardKind::WriteAfterWrite,
                }));
            }
            *history = LastAccesses {
                writer: Some(to),
                readers: Vec::new(),
            };
        }
        for field in stage
            .reads()
            .iter()
            .filter(|field| !stage.writes().contains(field))
        {
            histories.entry(family(field)).or_default().readers.push(to);
        }
    }
    found
}
