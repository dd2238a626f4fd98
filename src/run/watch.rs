//! Results of the watch: the first bad value, with its field, step and element.

use std::fmt;

use crate::ir::{Class, List, Pipeline, RECORD_WORDS, StageId};

use super::fault::in_world;
use super::indices::tuple;

/// The kinds of bad values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BadKind {
    NotANumber,
    Infinite,
    OutOfBounds([f64; 2]),
}

/// The first bad value that a watch has found: in the earliest step and, for a watch after every stage, the earliest
/// stage; then in the first field of the pipeline, and there the first element (in sparse grids by block).
#[derive(Debug, Clone, PartialEq)]
pub struct FirstBad {
    /// The stage after which it was found; only for a watch after every stage.
    pub stage: Option<StageId>,
    /// The entry of the stage in the step list.
    pub invocation: Option<usize>,
    pub field: String,
    /// The step after which it was found, counted from 1.
    pub step: u64,
    /// As many axes as the field's resource has.
    pub index: Vec<u64>,
    /// The component, for vectors and matrices.
    pub component: Option<u32>,
    /// The entry, for arrays.
    pub entry: Option<u64>,
    /// Rows of each column of a matrix; 1 for other types.
    rows: u32,
    pub value: f64,
    pub kind: BadKind,
    /// The type of element at the index.
    place: &'static str,
    /// The last step after which the watch found all values valid; `None` if this was its first check.
    pub good: Option<u64>,
    stage_name: Option<String>,
    /// The stage is one of `init`.
    of_init: bool,
    /// The world, if there are several.
    pub world: Option<usize>,
}

impl FirstBad {
    /// Decodes the records of a pipeline's watch; `None` if all values are valid.
    pub fn decode(bytes: &[u8], pipeline: &Pipeline) -> Option<FirstBad> {
        let watch = pipeline.watch.as_ref()?;
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let records = words.chunks_exact(RECORD_WORDS as usize).zip(&watch.items);
        let noted = records.filter(|(record, _)| record[0] != 0);
        let (record, item) = noted.min_by_key(|(record, _)| record[0])?;
        let [step, low, high, key, component] = *record else {
            return None;
        };
        let field = &pipeline.fields[item.field];
        let resource = &pipeline.resources[field.resource];
        let class = field.element.class();
        let value = class.number(key);
        let kind = match (class, field.bounds) {
            (Class::Float, _) if value.is_nan() => BadKind::NotANumber,
            (Class::Float, bounds) if value.is_infinite() || bounds.is_none() => BadKind::Infinite,
            (_, bounds) => BadKind::OutOfBounds(bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY])),
        };
        let place = u64::from(high) << 32 | u64::from(low);
        let (entry, place) = match pipeline.sparse_of(item.field) {
            Some(grid) => {
                let each = grid.layout.numbers() * grid.layout.cells_per_block();
                (place / each, place % each)
            }
            None => field.entry_at(resource.size_of(field), place),
        };
        let entry = field.count.map(|_| entry);
        let index = match pipeline.sparse_of(item.field) {
            Some(grid) => {
                let cells = grid.layout.cells_per_block();
                let cell = grid
                    .layout
                    .cell_at((place / cells) as u32, (place % cells) as u32);
                cell.map(u64::from)
            }
            None => {
                let [nx, ny, _] = resource.size_of(field);
                [place % nx, place / nx % ny, place / (nx * ny)]
            }
        };
        Some(FirstBad {
            stage: item.after.map(|(stage, _)| stage),
            invocation: item.after.map(|(_, invocation)| invocation),
            field: field.name.clone(),
            step: u64::from(step),
            index: index[..resource.axes() as usize].to_vec(),
            component: (field.element.components() > 1).then_some(item.first + component),
            entry,
            rows: field.element.columns(),
            value,
            kind,
            place: resource.element_name(),
            good: u64::from(step)
                .checked_sub(u64::from(watch.every))
                .filter(|good| *good > 0),
            of_init: (item.after).is_some_and(|(stage, _)| pipeline.stages[stage].list == List::Init),
            stage_name: item.after.map(|(stage, _)| pipeline.stages[stage].name.clone()),
            world: None,
        })
    }

    /// Advice for the user.
    pub fn help(&self) -> &'static str {
        match self.kind {
            BadKind::NotANumber | BadKind::Infinite => {
                "look for divisions by zero, roots of negative numbers and a `run.dt` that is too long"
            }
            BadKind::OutOfBounds(_) => "use a shorter `run.dt`, or wider `bounds`",
        }
    }
}

impl fmt::Display for FirstBad {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let letter = |number: u32| "xyzw".get(number as usize..=number as usize).unwrap_or_default();
        let component = match self.component {
            None => String::new(),
            Some(number) if self.rows > 1 => {
                format!(".c{}.{}", number / self.rows, letter(number % self.rows))
            }
            Some(number) => format!(".{}", letter(number)),
        };
        let component = match self.entry {
            Some(entry) => format!(", entry {entry}{component}"),
            None => component,
        };
        let (field, place, index) = (&self.field, self.place, tuple(&self.index));
        write!(f, "`{field}` has {:?} at {place} {index}{component}", self.value)?;
        if let BadKind::OutOfBounds([least, greatest]) = self.kind {
            write!(f, ", outside its bounds {least} to {greatest},")?;
        }
        match &self.stage_name {
            Some(stage) if self.of_init => write!(f, " after stage `{stage}` of init"),
            Some(stage) => write!(f, " after stage `{stage}` of step {}", self.step),
            None => match self.good {
                Some(good) if good + 1 < self.step => write!(
                    f,
                    " after step {}; all values were good after step {good}",
                    self.step
                ),
                _ => write!(f, " after step {}", self.step),
            },
        }?;
        in_world(f, self.world)
    }
}

/// The frames that a run wrote before its watch found a bad value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedFrames {
    /// The last one that is on disk, and the last one before this run.
    pub written: u64,
    pub before: u64,
    pub steps_per_frame: u64,
}

impl WatchedFrames {
    /// The frames on disk, and those among them that may hold bad values.
    pub fn text(&self, bad: &FirstBad) -> String {
        let good = match bad.stage {
            // The watch checked after every stage.
            Some(_) => bad.step - 1,
            None => bad.good.unwrap_or(0),
        };
        let first = (good / self.steps_per_frame).max(self.before) + 1;
        let last = self.written;
        match last {
            0 => "no frame was written".to_string(),
            _ if first > last => format!("frames up to {last} are complete"),
            _ if first == last => {
                format!("frames up to {last} are complete, but frame {last} may hold bad values")
            }
            _ => format!("frames up to {last} are complete, but {first} to {last} may hold bad values"),
        }
    }
}
