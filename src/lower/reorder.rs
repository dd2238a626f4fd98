//! The stages that reorder the attributes of a set, at the end of removals and sorts.
//!
//! A removal lists the particles that stay, a sort lists all particles by their keys; then each attribute is moved in the
//! order of the list. An attribute whose ring advances here is moved from one copy to the next, others through a scratch
//! buffer that all attributes share.

use std::collections::HashSet;

use super::meaning::{Action, ActionKind, Meaning};
use super::{DraftContext, SharedBuffers};
use crate::element::Element;
use crate::ir::{Domain, Draft, FieldId, List, Over, Pipeline, ResourceId};
use crate::shared_constants::scan::{self as constants, TILE_GROUP};

/// Elements per workgroup of the tiled stages.
pub(super) const TILE: u64 = constants::TILE as u64;

/// Replaces removals and sorts by stages.
pub(super) fn lower(meaning: &mut Meaning) {
    // Fields whose rings actions of `step` outside of repeats have advanced so far.
    let mut moved: HashSet<FieldId> = HashSet::new();
    for number in 0..meaning.lists.len() {
        let (list, actions) = &mut meaning.lists[number];
        let (list, actions) = (*list, std::mem::take(actions));
        moved.clear();
        meaning.lists[number].1 = reordered(meaning, list, actions, Some(&mut moved));
    }
}

fn reordered(
    meaning: &mut Meaning,
    list: List,
    actions: Vec<Action>,
    mut moved: Option<&mut HashSet<FieldId>>,
) -> Vec<Action> {
    let mut into = Vec::with_capacity(actions.len());
    for mut action in actions {
        match &mut action.kind {
            ActionKind::Loop(inner) => {
                let iterations = std::mem::take(&mut inner.iterations);
                inner.iterations = iterations
                    .into_iter()
                    .map(|actions| reordered(meaning, list, actions, None))
                    .collect();
                into.push(action);
            }
            ActionKind::Dispatch(dispatch) => {
                let draft = &dispatch.draft;
                let may_advance = action.every == 1 && draft.domain.over != Over::Newborn;
                if let Some(moved) = moved.as_mut().filter(|_| may_advance) {
                    moved.extend(draft.writes());
                }
                into.push(action);
            }
            ActionKind::Remove { set, marked } => {
                let (set, details) = (*set, format!("{marked}"));
                into.extend(reorder(
                    meaning,
                    list,
                    action,
                    (set, &details),
                    moved.as_deref_mut(),
                ));
            }
            ActionKind::Sort {
                set,
                by,
                bits,
                offsets,
                cells,
            } => {
                let (set, details) = (*set, format!("{by} {bits:?} {offsets:?} {cells:?}"));
                into.extend(reorder(
                    meaning,
                    list,
                    action,
                    (set, &details),
                    moved.as_deref_mut(),
                ));
            }
            _ => into.push(action),
        }
    }
    into
}

/// The dispatches of a removal or a sort.
fn reorder(
    meaning: &mut Meaning,
    list: List,
    action: Action,
    (set, details): (ResourceId, &str),
    moved: Option<&mut HashSet<FieldId>>,
) -> Vec<Action> {
    let (every, from) = (action.every, action.from);
    let runs_twice = match &action.kind {
        ActionKind::Sort { cells, .. } => cells.is_some_and(|cells| !cells.ghosts),
        _ => false,
    };
    let direct = match moved {
        Some(moved) if every == 1 && list == List::Step && !runs_twice => {
            let direct = advanced(&meaning.pipeline, set, moved);
            moved.extend(direct.iter().copied());
            direct
        }
        _ => Vec::new(),
    };
    // Removals and sorts end with the same moves.
    let drafts = meaning.engine(
        (list, every, &from),
        ("removal", set, details),
        |pipeline, shared, entry| {
            let reorder = Reorder {
                pipeline,
                shared,
                set,
                direct,
                runs_twice,
                entry,
            };
            match action.kind {
                ActionKind::Sort {
                    by,
                    bits,
                    offsets,
                    cells,
                    ..
                } => reorder.sort(by, bits, offsets, cells),
                ActionKind::Remove { marked, .. } => reorder.removal(marked),
                _ => Vec::new(),
            }
        },
    );
    let dispatch = |draft| Action::dispatch(draft, Vec::new(), every, &from);
    drafts.into_iter().map(dispatch).collect()
}

/// The attributes of a set whose rings a reordering advances: it may write their other copy at once.
fn advanced(pipeline: &Pipeline, set: ResourceId, moved: &HashSet<FieldId>) -> Vec<FieldId> {
    let is_advanced = |id: &FieldId| {
        let field = &pipeline.fields[*id];
        field.resource == set && field.ring > 1 && !moved.contains(id)
    };
    (0..pipeline.fields.len()).filter(is_advanced).collect()
}

/// An entry that reorders a set.
pub struct Reorder<'a> {
    pub pipeline: &'a mut Pipeline,
    pub shared: &'a mut SharedBuffers,
    pub set: ResourceId,
    /// Attributes whose rings it advances.
    pub direct: Vec<FieldId>,
    /// A sort without ghosts, which ranks run twice: it must not advance rings.
    pub runs_twice: bool,
    pub entry: DraftContext<'a>,
}

impl Reorder<'_> {
    /// The stages that bring every attribute into the order of a list.
    pub(super) fn moves(&mut self, order: FieldId) -> Vec<Draft> {
        let attributes: Vec<FieldId> = (0..self.pipeline.fields.len())
            .filter(|field| self.pipeline.fields[*field].resource == self.set)
            .collect();
        let through: Vec<FieldId> = (attributes.iter().copied())
            .filter(|field| !self.direct.contains(field))
            .collect();
        let widest = through
            .iter()
            .map(|field| self.pipeline.field_bytes(*field))
            .max();
        let scratch = widest.map(|bytes| self.buffer("scratch", bytes.div_ceil(4)));
        let mut stages = Vec::new();
        for field in attributes {
            let mut copy = |verb: &str, from: FieldId, to: FieldId, ordered: bool| {
                let attribute = &self.pipeline.fields[field];
                let (shader, units) = units(attribute.element, MOVE);
                let mut stage = self.stage("", shader, 1);
                stage.name = format!("{verb}_{}{}", attribute.symbol(), self.entry.suffix);
                stage.read_as("from", from, Element::Uint);
                stage.write_as("to", to, Element::Uint);
                if ordered {
                    stage.read("order", order);
                }
                stage.in_place = self.runs_twice;
                stage.constants = vec![
                    ("UNITS".into(), units as f64),
                    ("ENTRIES".into(), attribute.entries() as f64),
                ];
                stages.push(stage);
            };
            match scratch.filter(|_| through.contains(&field)) {
                Some(scratch) => {
                    copy("gather", field, scratch, true);
                    copy("settle", scratch, field, false);
                }
                None => copy("move", field, field, true),
            }
        }
        stages
    }

    /// A stage over the particles of the set, `per_invocation` of them at a time.
    pub(super) fn stage(&self, verb: &str, shader: &'static str, per_invocation: u32) -> Draft {
        let resource = &self.pipeline.resources[self.set];
        let name = format!("{verb}_{}{}", resource.name, self.entry.suffix);
        let domain = Domain {
            over: match resource.live() {
                Some(_) => Over::Live,
                None => Over::Elements,
            },
            per_invocation,
            ..Domain::list(resource.size[0], Some(self.set))
        };
        let mut stage = tiled(self.entry, name, shader, domain);
        stage.name_resource("particles", self.set);
        stage
    }

    /// The stage of one workgroup that scans the sums of tiles.
    pub(super) fn scan_sums(&self, sums: FieldId, verb: &str) -> Draft {
        let mut stage = self.stage(verb, "particles/scan_sums.comp", 1);
        stage.domain = Domain::list(u64::from(TILE_GROUP), Some(self.set));
        stage.read("sums", sums);
        stage.write("sums", sums);
        stage
    }

    pub(super) fn length(&self) -> u64 {
        self.pipeline.resources[self.set].size[0]
    }

    pub(super) fn sums(&mut self) -> FieldId {
        let tiles = self.length().div_ceil(TILE);
        self.buffer("sums", 1 + tiles)
    }

    /// A buffer that all entries for the set share.
    pub(super) fn buffer(&mut self, role: &str, length: u64) -> FieldId {
        let name = format!("{}_{role}", self.pipeline.resources[self.set].name);
        self.shared.get(self.pipeline, name, length)
    }
}

/// The kernels that move an attribute, by units of words, of two bytes and of one.
const MOVE: [&str; 3] = [
    "particles/move.comp",
    "particles/move_halves.comp",
    "particles/move_bytes.comp",
];

/// The one of three kernels for values of a type, and the number of its units in a value.
pub(super) fn units(element: Element, [words, halves, single]: [&'static str; 3]) -> (&'static str, u64) {
    let bytes = element.bytes();
    match bytes % 4 {
        0 => (words, bytes / 4),
        2 => (halves, bytes / 2),
        _ => (single, bytes),
    }
}

/// A stage whose workgroups process tiles.
pub(super) fn tiled(entry: DraftContext, name: String, shader: &'static str, domain: Domain) -> Draft {
    let mut stage = entry.draft(name, shader, domain);
    stage.stated.workgroup = Some([TILE_GROUP, 1, 1]);
    stage
}
