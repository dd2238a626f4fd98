//! Repeats that the device ends: counters of their iterations, records of repeats that use all iterations, and clocks of
//! repeats that sub-cycle the step.

use std::collections::HashSet;
use std::rc::Rc;

use super::meaning::{Action, ActionKind, Counted, Loop, Meaning, OnMax, Origin};
use super::{DraftContext, SharedBuffers};
use crate::element::Element;
use crate::ir::{Domain, Draft, Field, FieldId, Home, List, LoopLimit, Pipeline, Resource, Start, gcd};
use crate::shared_constants::{clock, unfinished};

/// Adds the stages of repeats around and in their iterations.
pub(super) fn lower(meaning: &mut Meaning) {
    let mut reset = HashSet::new();
    for number in 0..meaning.lists.len() {
        let (list, actions) = &mut meaning.lists[number];
        let (list, actions) = (*list, std::mem::take(actions));
        let mut lowering = LoopLowering {
            meaning,
            list,
            reset: &mut reset,
        };
        let lowered = lowering.actions(actions, true);
        meaning.lists[number].1 = lowered;
    }
}

/// The repeats of a list on their way to stages.
struct LoopLowering<'a> {
    meaning: &'a mut Meaning,
    list: List,
    /// Counters that the step list resets so far.
    reset: &'a mut HashSet<FieldId>,
}

/// The origin of a stage: a key of its repeat.
fn at(from: &Origin, key: &str) -> Rc<Origin> {
    Rc::new(Origin {
        pointer: format!("{}/{key}", from.pointer),
        instance: from.instance,
    })
}

impl LoopLowering<'_> {
    fn actions(&mut self, actions: Vec<Action>, is_outermost: bool) -> Vec<Action> {
        let mut into = Vec::with_capacity(actions.len());
        for action in actions {
            match action.kind {
                ActionKind::Loop(inner) => into.extend(self.repeat(inner, action.from, is_outermost)),
                _ => into.push(action),
            }
        }
        into
    }

    /// A repeat with its stages, and the stages before and after it.
    fn repeat(&mut self, mut inner: Loop, from: Rc<Origin>, is_outermost: bool) -> Vec<Action> {
        let mut into = Vec::new();
        if inner.is_clock {
            into.extend(self.clock_stage("begin", &inner, &at(&from, "over")));
        }
        if is_outermost && self.list == List::Step {
            into.extend(self.reset_counters(&inner, &at(&from, "repeat")));
        }
        let rhythm = self.iterations(&mut inner, &from);
        // In steps in which none of its stages runs, nothing is tested.
        let note = self.note_limit(&inner, rhythm.max(1), &at(&from, "on_max_iterations"));
        into.push(Action {
            kind: ActionKind::Loop(inner),
            every: 1,
            from,
        });
        into.extend(note);
        into
    }

    /// Adds the counting of iterations and the advance of the clock to every iteration. Returns the largest number of
    /// which the rhythms of all actions are multiples.
    fn iterations(&mut self, inner: &mut Loop, from: &Origin) -> u32 {
        let counter = self.meaning.counters.get(&inner.counted).copied();
        let counter = counter.filter(|_| self.list == List::Step);
        let mut rhythm = 0;
        for actions in std::mem::take(&mut inner.iterations) {
            let mut iteration = Vec::new();
            if let Some(counter) = counter {
                let resource = self.meaning.pipeline.fields[counter].resource;
                let make = |entry: DraftContext| count_iteration(&counted_name(inner), counter, entry);
                iteration.extend(self.stage(&at(from, "while"), ("count", resource), make));
            }
            let actions = self.actions(actions, false);
            rhythm = rhythm_of(&actions, rhythm);
            iteration.extend(actions);
            if inner.is_clock {
                let mut advance = self.clock_stage("advance", inner, &at(from, "stages"));
                for action in &mut advance {
                    if let ActionKind::Dispatch(dispatch) = &mut action.kind {
                        dispatch.has_outer_clock = true;
                    }
                }
                iteration.extend(advance);
            }
            inner.iterations.push(iteration);
        }
        rhythm
    }

    /// The stage that notes whether a repeat has used all its iterations, unless that does not matter.
    fn note_limit(&mut self, inner: &Loop, every: u32, at: &Rc<Origin>) -> Vec<Action> {
        if inner.is_inner || inner.on_max_iterations == OnMax::Continue {
            return Vec::new();
        }
        let list = self.list;
        let resource = self.meaning.pipeline.fields[inner.field].resource;
        let drafts = (self.meaning).engine(
            (list, every, at),
            ("repeat", resource, ""),
            |pipeline, _, entry| {
                let (record, stage) = note_unfinished(pipeline, (&counted_name(inner), inner.field), entry);
                pipeline.loop_limits.push(LoopLimit {
                    repeat: inner.name.clone(),
                    list,
                    condition: inner.condition.clone(),
                    stops: inner.on_max_iterations == OnMax::Stop,
                    record,
                });
                vec![stage]
            },
        );
        let count = inner.iterations.len() as u32;
        let dispatch = |draft| Action::dispatch(draft, vec![vec![count]], every, at);
        drafts.into_iter().map(dispatch).collect()
    }

    /// Resets the counters of a repeat, and of those in it, in the first step of a frame, before anything raises them.
    fn reset_counters(&mut self, outermost: &Loop, at: &Rc<Origin>) -> Vec<Action> {
        let mut counted = Vec::new();
        gather(outermost, &mut counted);
        let every = self.meaning.pipeline.steps_per_frame;
        let counters = (counted.iter()).filter_map(|counted| self.meaning.counters.get(counted));
        let new = counters.filter(|counter| self.reset.insert(**counter));
        let reset = new.map(|counter| Action {
            kind: ActionKind::Fill {
                field: *counter,
                value: vec![0; 4],
            },
            every,
            from: at.clone(),
        });
        reset.collect()
    }

    fn clock_stage(&mut self, verb: &'static str, inner: &Loop, at: &Rc<Origin>) -> Vec<Action> {
        let resource = self.meaning.pipeline.fields[inner.field].resource;
        let make = |entry: DraftContext| change(verb, &inner.name, inner.field, entry);
        self.stage(at, (verb, resource), make)
    }

    /// The dispatch of a stage of the engine without arguments, in every pass through the list.
    fn stage(
        &mut self,
        at: &Rc<Origin>,
        (family, resource): (&'static str, usize),
        make: impl FnOnce(DraftContext) -> Draft,
    ) -> Vec<Action> {
        let make = |_: &mut Pipeline, _: &mut SharedBuffers, entry: DraftContext| vec![make(entry)];
        let drafts = (self.meaning).engine((self.list, 1, at), (family, resource, ""), make);
        let dispatch = |draft| Action::dispatch(draft, Vec::new(), 1, at);
        drafts.into_iter().map(dispatch).collect()
    }
}

/// Lists under which counters the iterations of a repeat, and of repeats in it, are counted.
fn gather(outer: &Loop, counted: &mut Vec<Counted>) {
    counted.push(outer.counted.clone());
    for action in outer.iterations.iter().flatten() {
        if let ActionKind::Loop(inner) = &action.kind {
            gather(inner, counted);
        }
    }
}

/// The largest number of which the rhythms of all actions are multiples.
fn rhythm_of(actions: &[Action], so_far: u32) -> u32 {
    actions.iter().fold(so_far, |rhythm, action| match &action.kind {
        ActionKind::Loop(inner) => inner
            .iterations
            .iter()
            .fold(rhythm, |rhythm, actions| rhythm_of(actions, rhythm)),
        _ => gcd(rhythm, action.every),
    })
}

/// The name under which iterations are counted: the condition of the repeat, or its own name if it has a clock.
fn counted_name(of: &Loop) -> String {
    if of.is_clock {
        of.name.clone()
    } else {
        of.condition.clone()
    }
}

/// Adds the counter of iterations of repeats with this condition. Names in pipeline files never start with sg_.
pub fn add_counter(pipeline: &mut Pipeline, condition: &str) -> FieldId {
    pipeline.add_words(&format!("sg_iterations_{condition}"), 1)
}

/// The stage that counts an iteration.
fn count_iteration(condition: &str, counter: FieldId, entry: DraftContext) -> Draft {
    let name = format!("count_iteration_of_{condition}{}", entry.suffix);
    let mut stage = entry.draft(name, "engine/count_iteration.comp", Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read("iterations", counter);
    stage.write("iterations", counter);
    stage
}

/// Adds the record of a repeat that may use all its iterations, and the stage after the last iteration, whose argument is
/// the number of iterations. `name` and `field` are those of the condition.
fn note_unfinished(
    pipeline: &mut Pipeline,
    (name, field): (&str, FieldId),
    entry: DraftContext,
) -> (FieldId, Draft) {
    let name = format!("{name}{}", entry.suffix);
    let record = pipeline.add_words(
        &format!("sg_unfinished_{name}"),
        unfinished::UNFINISHED_WORDS.into(),
    );
    pipeline.fields[record].home = Home::HostReads;
    let shader = "engine/note_unfinished.comp";
    let mut stage = entry.draft(format!("note_unfinished_{name}"), shader, Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.arguments = vec![("iterations".to_string(), Element::Uint)];
    stage.read_as("condition", field, Element::Uint);
    stage.read("record", record);
    stage.write("record", record);
    (record, stage)
}

/// Adds the clock of a repeat. Initially no time is left of an earlier step, and an iteration is as long as a step.
pub fn add_clock(pipeline: &mut Pipeline, repeat: &str) -> FieldId {
    let name = format!("sg_clock_{repeat}");
    let resource = pipeline.add_resource(Resource::buffer(&name, clock::CLOCK_WORDS.into()));
    let mut words = [0; clock::CLOCK_WORDS as usize];
    words[clock::CLOCK_DT as usize] = (pipeline.dt as f32).to_bits();
    pipeline.add_field(Field {
        // A series reads the first word: the time that is left.
        element: Element::Float,
        start: Start::words(&words),
        ..Field::words(name, resource)
    })
}

/// The stage before the first iteration, which adds the time of the step to the time left by the step before (`begin`), or
/// the stage at the end of an iteration, which subtracts its length from the time that is left (`advance`).
fn change(verb: &str, repeat: &str, of_repeat: FieldId, entry: DraftContext) -> Draft {
    let shader = match verb {
        "begin" => "engine/begin_loop.comp",
        _ => "engine/advance_loop.comp",
    };
    let mut stage = entry.draft(
        format!("{verb}_{repeat}{}", entry.suffix),
        shader,
        Domain::list(1, None),
    );
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read_as("before", of_repeat, Element::Uint);
    stage.write_as("iteration", of_repeat, Element::Uint);
    stage
}
