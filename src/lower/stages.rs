//! The last form of lists: stages with the conditions and clocks of enclosing repeats, and their invocations.

use std::collections::HashMap;
use std::rc::Rc;

use super::meaning::{Action, ActionKind, Meaning};
use crate::ir::{
    Draft, FieldId, Invocation, Iteration, List, MAX_GRIDS, MAX_RESOURCES, Pipeline, ShaderSource, StageId,
    Swaps,
};
use crate::problem::Problem;

/// Makes stages of all dispatches, and the lists of their invocations.
pub(super) fn lower(meaning: &mut Meaning) {
    let mut flattening = Flattening::default();
    let mut swaps = HashMap::new();
    for number in 0..meaning.lists.len() {
        let (list, actions) = &mut meaning.lists[number];
        let (list, actions) = (*list, std::mem::take(actions));
        flattening.begin(list);
        flattening.list(meaning, &actions);
        let invocations = std::mem::take(&mut flattening.invocations);
        match list {
            List::Init => meaning.pipeline.init = invocations,
            List::Step => meaning.pipeline.step = invocations,
            List::Frame => meaning.pipeline.frame = invocations,
        }
        swaps.insert(list, std::mem::take(&mut flattening.swaps));
        meaning.lists[number].1 = actions;
    }
    let mut of = |list| swaps.remove(&list).unwrap_or_default();
    meaning.pipeline.swaps = Swaps::new(of(List::Init), of(List::Step));
}

/// A draft in a list, with the conditions and the clock of enclosing repeats.
type Use = (*const Draft, List, Vec<FieldId>, Option<FieldId>);

#[derive(Default)]
struct Flattening {
    list: Option<List>,
    invocations: Vec<Invocation>,
    swaps: Vec<[FieldId; 2]>,
    /// Conditions of the enclosing repeats, outermost first.
    conditions: Vec<FieldId>,
    /// Clocks of the enclosing repeats.
    clocks: Vec<FieldId>,
    /// Number of outermost repeats of the list so far.
    loops: usize,
    /// The iteration of the outermost enclosing repeat.
    iteration: Option<Iteration>,
    /// The call that the next entries belong to.
    call: Option<usize>,
    /// Stages by their drafts, conditions and clocks.
    known: HashMap<Use, StageId>,
    /// The first stage of each name.
    names: HashMap<String, StageId>,
}

impl Flattening {
    fn begin(&mut self, list: List) {
        (self.list, self.loops, self.call) = (Some(list), 0, None);
    }

    fn list(&mut self, meaning: &mut Meaning, actions: &[Action]) {
        for action in actions {
            match &action.kind {
                ActionKind::Swap(pair) => self.swaps.push(*pair),
                ActionKind::Called(number) => self.call = Some(*number),
                ActionKind::Dispatch(dispatch) => {
                    let outer = self.clocks.len().saturating_sub(1);
                    let clock = if dispatch.has_outer_clock {
                        self.clocks[..outer].last().copied()
                    } else {
                        self.clocks.last().copied()
                    };
                    let stage = self.stage(meaning, &dispatch.draft, clock);
                    self.invocations.push(Invocation {
                        stage,
                        values: dispatch.values.clone(),
                        sources: dispatch.sources.clone(),
                        iteration: self.iteration,
                        swaps: self.swaps.len(),
                        call: self.call,
                    });
                }
                ActionKind::Loop(inner) => {
                    let is_outermost = self.conditions.is_empty();
                    let number = self.loops;
                    self.loops += usize::from(is_outermost);
                    if !inner.is_inner {
                        self.conditions.push(inner.field);
                    }
                    self.clocks.extend(inner.is_clock.then_some(inner.field));
                    for (index, actions) in inner.iterations.iter().enumerate() {
                        if is_outermost {
                            self.iteration = Some(Iteration {
                                repeat: number,
                                number: index,
                            });
                        }
                        self.list(meaning, actions);
                    }
                    if is_outermost {
                        self.iteration = None;
                    }
                    if inner.is_clock {
                        self.clocks.pop();
                    }
                    if !inner.is_inner {
                        self.conditions.pop();
                    }
                }
                // Earlier passes replace all others. Without its pass, an operation would be left out without a word.
                other => debug_assert!(false, "no pass replaces `{}`", other.text(&meaning.pipeline)),
            }
        }
    }

    fn stage(&mut self, meaning: &mut Meaning, draft: &Rc<Draft>, clock: Option<FieldId>) -> StageId {
        let list = self.list.unwrap_or(List::Step);
        let key = (Rc::as_ptr(draft), list, self.conditions.clone(), clock);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut draft = Draft::clone(draft);
        (draft.list, draft.clock) = (list, clock);
        draft.conditions.clone_from(&self.conditions);
        let (name, pointer) = (draft.name.clone(), draft.pointer.clone());
        let id = draft.finish(&mut meaning.pipeline);
        let other = *self.names.entry(name).or_insert(id);
        let problem =
            wrong_name(&meaning.pipeline, other, id).or_else(|| wrong_signature(&meaning.pipeline, id));
        if let Some((message, help)) = problem {
            meaning.problems.push(Problem::new(pointer, message).help(help));
        }
        self.known.insert(key, id);
        id
    }
}

/// Message and help for a stage that has the name of an earlier one and another shader.
fn wrong_name(pipeline: &Pipeline, earlier: StageId, id: StageId) -> Option<(String, &'static str)> {
    let [earlier, stage] = [earlier, id].map(|id| &pipeline.stages[id]);
    let [theirs, ours] = [earlier, stage].map(|stage| &pipeline.kernel_of(stage).source);
    // Generated shaders with equal names differ in their fields.
    let is_same = theirs == ours
        || matches!(
            (theirs, ours),
            (ShaderSource::Written { .. }, ShaderSource::Written { .. })
        );
    (!is_same).then(|| {
        let message = format!(
            "`{}` is already a stage with another shader, at {}",
            stage.name, earlier.pointer
        );
        (
            message,
            "choose another name for this stage, or use the same \"shader\"",
        )
    })
}

/// Message and help for a stage that exceeds the limits of an interface, or has one name for two resources.
fn wrong_signature(pipeline: &Pipeline, id: StageId) -> Option<(String, &'static str)> {
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    let (resources, grids) = (signature.resources.len(), signature.paged().count());
    if resources > MAX_RESOURCES || grids > MAX_GRIDS {
        let message = format!(
            "stage `{}` uses {resources} resources, {grids} of them sparse grids; the limits are {MAX_RESOURCES} and \
             {MAX_GRIDS}",
            stage.name
        );
        return Some((
            message,
            "buffers for pages of sparse grids and for live counts are included; split the stage",
        ));
    }
    let named = &signature.resources;
    let twice = (named.iter().enumerate())
        .find_map(|(i, one)| Some((named[..i].iter().position(|other| other.name == one.name)?, i)));
    let name = |local: usize| &pipeline.resources[stage.resources[local]].name;
    let (first, second) = twice.filter(|(first, second)| name(*first) != name(*second))?;
    let message = format!(
        "`{}` and `{}` would both be `{}` in the shader",
        name(first),
        name(second),
        named[first].name
    );
    let help =
        "bind them to names of their own, as in \"bind\": {\"fine\": \"air[l]\", \"coarse\": \"air[l + 1]\"}";
    Some((message, help))
}
