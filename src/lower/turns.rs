//! Repeats with `while`: counters of the turns that they take, records of those that use all of them, and the clocks of
//! those that go through the time of the step.

use super::Entry;
use crate::element::Element;
use crate::ir::{Domain, Draft, Field, FieldId, Home, Pipeline, Resource, Start};
use crate::words::{clock, unfinished};

/// Name of the counter of turns of repeats with this condition. Names in pipeline files never start with sg_.
pub(crate) fn counter(condition: &str) -> String {
    format!("sg_turns_{condition}")
}

/// The stage that counts a turn.
pub(crate) fn count(condition: &str, counter: FieldId, entry: Entry) -> Draft {
    let name = format!("count_turn_of_{condition}{}", entry.suffix);
    let mut stage = entry.draft(name, "engine/count_turn.comp", Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read("turns", counter);
    stage.write("turns", counter);
    stage
}

/// Adds the record of a repeat that may use all its turns, and the stage after the last turn, whose argument is their
/// number. The condition is what the repeat looks at, under its own name.
pub(crate) fn note_unfinished(
    pipeline: &mut Pipeline,
    condition: (&str, FieldId),
    entry: Entry,
) -> (FieldId, Draft) {
    let (name, field) = condition;
    let name = format!("{name}{}", entry.suffix);
    let record = pipeline.add_words(
        &format!("sg_unfinished_{name}"),
        unfinished::UNFINISHED_WORDS.into(),
    );
    pipeline.fields[record].home = Home::HostReads;
    let shader = "engine/note_unfinished.comp";
    let mut stage = entry.draft(format!("note_unfinished_{name}"), shader, Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.arguments = vec![("turns".to_string(), Element::Uint)];
    stage.see("condition", field, Element::Uint, false);
    stage.read("record", record);
    stage.write("record", record);
    (record, stage)
}

/// Adds the clock of a repeat. Before the first step nothing is left of an earlier one, and a turn is as long as a step.
pub(crate) fn add_clock(pipeline: &mut Pipeline, repeat: &str) -> FieldId {
    let name = clock_name(repeat);
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

const CLOCK: &str = "sg_clock_";

/// Name of the clock of a repeat. Names of the file never start with sg_.
pub(crate) fn clock_name(repeat: &str) -> String {
    format!("{CLOCK}{repeat}")
}

/// The repeat whose clock has a name.
pub(crate) fn of_clock(name: &str) -> Option<&str> {
    name.strip_prefix(CLOCK)
}

/// The stage before the first turn: it adds the time of the step to what the step before has left.
pub(crate) fn begin(repeat: &str, of_repeat: FieldId, entry: Entry) -> Draft {
    change("begin", repeat, of_repeat, entry)
}

/// The stage at the end of a turn: it takes the turn from the time that is left.
pub(crate) fn advance(repeat: &str, of_repeat: FieldId, entry: Entry) -> Draft {
    change("advance", repeat, of_repeat, entry)
}

fn change(verb: &str, repeat: &str, of_repeat: FieldId, entry: Entry) -> Draft {
    let shader = match verb {
        "begin" => "engine/begin_turns.comp",
        _ => "engine/advance_turn.comp",
    };
    let name = format!("{verb}_{repeat}{}", entry.suffix);
    let mut stage = entry.draft(name, shader, Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.see("before", of_repeat, Element::Uint, false);
    stage.see("turn", of_repeat, Element::Uint, true);
    stage
}
