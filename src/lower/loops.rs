//! Repeats that the device ends: counters of the iterations that they take, records of those that use all of them, and the
//! clocks of those that go through the time of the step.

use std::collections::HashSet;
use std::rc::Rc;

use super::Entry;
use super::meaning::{Action, Counted, Loop, Meaning, OnMax, Origin, What};
use crate::element::Element;
use crate::ir::{Domain, Draft, Field, FieldId, Home, List, LoopLimit, Pipeline, Resource, Start, gcd};
use crate::shared_constants::{clock, unfinished};

/// Puts the stages of repeats round and into their iterations.
pub(super) fn lower(meaning: &mut Meaning) {
    let mut reset = HashSet::new();
    for number in 0..meaning.lists.len() {
        let (list, actions) = &mut meaning.lists[number];
        let (list, actions) = (*list, std::mem::take(actions));
        meaning.lists[number].1 = lowered(meaning, list, actions, true, &mut reset);
    }
}

fn lowered(
    meaning: &mut Meaning,
    list: List,
    actions: Vec<Action>,
    is_outermost: bool,
    reset: &mut HashSet<FieldId>,
) -> Vec<Action> {
    let mut into = Vec::with_capacity(actions.len());
    for action in actions {
        match action.what {
            What::Loop(inner) => lower_loop(
                meaning,
                list,
                (inner, action.from),
                is_outermost,
                reset,
                &mut into,
            ),
            _ => into.push(action),
        }
    }
    into
}

fn lower_loop(
    meaning: &mut Meaning,
    list: List,
    (mut inner, from): (Loop, Rc<Origin>),
    is_outermost: bool,
    reset: &mut HashSet<FieldId>,
    into: &mut Vec<Action>,
) {
    let at = |key: &str| {
        Rc::new(Origin {
            pointer: format!("{}/{key}", from.pointer),
            instance: from.instance,
        })
    };
    let resource = meaning.pipeline.fields[inner.field].resource;
    let (name, field) = (inner.name.clone(), inner.field);
    if inner.is_clock {
        let make = |entry: Entry| vec![change("begin", &name, field, entry)];
        into.extend(meaning.stages((list, 1, &at("over")), ("begin", resource), make));
    }
    if is_outermost {
        reset_counters(meaning, list, &inner, &at("repeat"), reset, into);
    }
    let counter = meaning
        .counters
        .get(&inner.counted)
        .copied()
        .filter(|_| list == List::Step);
    let iterations = std::mem::take(&mut inner.iterations);
    let count = iterations.len() as u32;
    let mut rhythm = 0;
    for actions in iterations {
        let mut iteration = Vec::new();
        if let Some(counter) = counter {
            let of_counter = meaning.pipeline.fields[counter].resource;
            let make = |entry: Entry| vec![count_iteration(&counted_name(&inner), counter, entry)];
            iteration.extend(meaning.stages((list, 1, &at("while")), ("count", of_counter), make));
        }
        let actions = lowered(meaning, list, actions, false, reset);
        rhythm = rhythm_of(&actions, rhythm);
        iteration.extend(actions);
        if inner.is_clock {
            let make = |entry: Entry| vec![change("advance", &name, field, entry)];
            let advance = meaning.stages((list, 1, &at("stages")), ("advance", resource), make);
            iteration.extend(advance.into_iter().map(|mut action| {
                if let What::Dispatch(dispatch) = &mut action.what {
                    dispatch.has_outer_clock = true;
                }
                action
            }));
        }
        inner.iterations.push(iteration);
    }
    let (condition, on_max) = (counted_name(&inner), inner.on_max_iterations);
    let looked_at = inner.condition.clone();
    let is_noted = !inner.is_inner && on_max != OnMax::Continue;
    into.push(Action {
        what: What::Loop(inner),
        every: 1,
        from: from.clone(),
    });
    if is_noted {
        // In steps in which none of its stages runs, nothing is looked at.
        let (every, at) = (rhythm.max(1), at("on_max_iterations"));
        let drafts = meaning.engine(
            (list, every, &at),
            ("repeat", resource, ""),
            |pipeline, _, entry| {
                let (record, stage) = note_unfinished(pipeline, (&condition, field), entry);
                pipeline.loop_limits.push(LoopLimit {
                    repeat: name,
                    list,
                    condition: looked_at,
                    stops: on_max == OnMax::Stop,
                    record,
                });
                vec![stage]
            },
        );
        into.extend(
            drafts
                .into_iter()
                .map(|draft| Action::dispatch(draft, vec![vec![count]], every, &at)),
        );
    }
}

impl Meaning {
    /// Dispatches of stages of the engine without arguments.
    fn stages(
        &mut self,
        (list, every, from): (List, u32, &Rc<Origin>),
        (family, resource): (&'static str, usize),
        make: impl FnOnce(Entry) -> Vec<Draft>,
    ) -> Vec<Action> {
        let drafts = self.engine((list, every, from), (family, resource, ""), |_, _, entry| {
            make(entry)
        });
        drafts
            .into_iter()
            .map(|draft| Action::dispatch(draft, Vec::new(), every, from))
            .collect()
    }
}

/// Counters are taken back to 0 in the first step of a frame, before the first repeat that raises them.
fn reset_counters(
    meaning: &Meaning,
    list: List,
    outermost: &Loop,
    at: &Rc<Origin>,
    reset: &mut HashSet<FieldId>,
    into: &mut Vec<Action>,
) {
    if list != List::Step {
        return;
    }
    let mut counted = Vec::new();
    gather(outermost, &mut counted);
    for counter in counted.iter().filter_map(|counted| meaning.counters.get(counted)) {
        if reset.insert(*counter) {
            let what = What::Fill {
                field: *counter,
                value: vec![0; 4],
            };
            into.push(Action {
                what,
                every: meaning.pipeline.steps_per_frame,
                from: at.clone(),
            });
        }
    }
}

/// What the iterations of a repeat and of those in it are counted under.
fn gather(outer: &Loop, counted: &mut Vec<Counted>) {
    counted.push(outer.counted.clone());
    for action in outer.iterations.iter().flatten() {
        if let What::Loop(inner) = &action.what {
            gather(inner, counted);
        }
    }
}

/// The largest number of which the rhythms of all actions are multiples.
fn rhythm_of(actions: &[Action], so_far: u32) -> u32 {
    actions.iter().fold(so_far, |rhythm, action| match &action.what {
        What::Loop(inner) => inner
            .iterations
            .iter()
            .fold(rhythm, |rhythm, actions| rhythm_of(actions, rhythm)),
        _ => gcd(rhythm, action.every),
    })
}

/// The name under which iterations are counted: of the buffer that the repeat looks at, or its own where it has a clock.
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
fn count_iteration(condition: &str, counter: FieldId, entry: Entry) -> Draft {
    let name = format!("count_iteration_of_{condition}{}", entry.suffix);
    let mut stage = entry.draft(name, "engine/count_iteration.comp", Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read("iterations", counter);
    stage.write("iterations", counter);
    stage
}

/// Adds the record of a repeat that may use all its iterations, and the stage after the last one, whose argument is their
/// number. The condition is what the repeat looks at, under its own name.
fn note_unfinished(
    pipeline: &mut Pipeline,
    (name, field): (&str, FieldId),
    entry: Entry,
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
    stage.see("condition", field, Element::Uint, false);
    stage.read("record", record);
    stage.write("record", record);
    (record, stage)
}

/// Adds the clock of a repeat. Before the first step nothing is left of an earlier one, and an iteration is as long as a
/// step.
pub fn add_clock(pipeline: &mut Pipeline, repeat: &str) -> FieldId {
    let name = format!("sg_clock_{repeat}");
    let resource = pipeline.add_resource(Resource::buffer(&name, clock::CLOCK_WORDS.into()));
    let mut words = [0; clock::CLOCK_WORDS as usize];
    words[clock::CLOCK_DT as usize] = (pipeline.dt as f32).to_bits();
    pipeline.add_field(Field {
        // As a series sees its first word, the time that is left.
        element: Element::Float,
        start: Start::words(&words),
        ..Field::words(name, resource)
    })
}

/// The stage before the first iteration, which adds the time of the step to what the step before has left (`begin`), or the
/// one at the end of an iteration, which takes it from the time that is left (`advance`).
fn change(verb: &str, repeat: &str, of_repeat: FieldId, entry: Entry) -> Draft {
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
    stage.see("before", of_repeat, Element::Uint, false);
    stage.see("iteration", of_repeat, Element::Uint, true);
    stage
}
