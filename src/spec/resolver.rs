//! Converts calls to actions on the resources and fields of a pipeline.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::calls::{At, Call, Calls};
use super::file::{BlockFile, Numbers, Reference};
use super::ir_ids::Ids;
use super::lookup::FieldName;
use super::program::*;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Expr, Name};
use crate::ir::{Draft, FieldId, List, Operation, Pipeline, ResourceId, Swaps};
use crate::lower::loops;
use crate::lower::meaning::{Action, ActionKind, Births, Counted, Loop, OnMax, Origin};
use crate::problem::{Place, Problem};

/// The condition of a sub-cycled repeat: the remaining time of the step.
const CLOCK_LEFT: &str = "clock.left";

/// An argument of the file.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub name: String,
    pub place: Place,
    pub numbers: Numbers,
}

impl Argument {
    /// The name of the parameter that is its value; empty for other values.
    pub fn parameter(&self) -> String {
        let name = match &self.numbers {
            Numbers::One(number) => number.tree.as_ref().and_then(Expr::as_name),
            Numbers::Many(..) => None,
        };
        name.map(Name::to_string).unwrap_or_default()
    }
}

/// A stage, shared by all calls that differ only in their arguments.
pub(super) struct Definition {
    pub draft: Rc<Draft>,
    pub births: Option<Births>,
    pub group_count: Option<FieldId>,
    pub reduces: Vec<(String, Operation, FieldId)>,
}

/// Converts calls to actions.
pub struct Resolver<'p, 'f> {
    pub program: &'p Program<'f>,
    pub pipeline: Pipeline,
    pub ids: Ids,
    /// Stages by the text of everything that they depend on.
    pub(super) definitions: HashMap<String, Option<Rc<Definition>>>,
    /// The names of local values that a stage depends on, by its address.
    pub(super) locals: HashMap<usize, Rc<BTreeSet<String>>>,
    pub(super) arguments: HashMap<(usize, InstanceId), Rc<Vec<Argument>>>,
    /// Places of the arguments of blocks in lists, by address and name, and the set of used ones.
    pub(super) given: HashMap<(usize, String), Place>,
    pub(super) used_arguments: HashSet<(usize, String)>,
    /// The conditions of the enclosing repeats, the outermost first.
    conditions: Vec<FieldId>,
    /// The repeats with `"while": "clock.left"`.
    clocks: Vec<TimedRepeat>,
    /// Indices of the enclosing ones, the outermost first.
    open_clocks: Vec<usize>,
    /// True if no stage is missing, so that all writes are known.
    pub is_whole: bool,
}

/// A repeat with `"while": "clock.left"`.
struct TimedRepeat {
    name: String,
    clock: FieldId,
    place: Place,
    /// Places of the stages that write `clock.dt`.
    setters: Vec<Place>,
}

impl<'p, 'f> Resolver<'p, 'f> {
    pub fn new(program: &'p Program<'f>, pipeline: Pipeline, ids: Ids, is_whole: bool) -> Self {
        Resolver {
            program,
            pipeline,
            ids,
            definitions: HashMap::new(),
            locals: HashMap::new(),
            arguments: HashMap::new(),
            given: HashMap::new(),
            used_arguments: HashSet::new(),
            conditions: Vec::new(),
            clocks: Vec::new(),
            open_clocks: Vec::new(),
            is_whole,
        }
    }

    /// The actions of the lists.
    pub fn actions(&mut self, calls: &Calls<'f>) -> [(List, Vec<Action>); 3] {
        let mut lists = calls.lists.iter().map(|(list, calls)| (*list, self.list(calls)));
        let nothing = (List::Frame, Vec::new());
        let mut lists = [(); 3].map(|()| lists.next().unwrap_or(nothing.clone()));
        // Called groups follow the entries of `step`, and do not run with them.
        for (number, calls) in calls.between.iter().enumerate() {
            let actions = self.list(calls);
            let from = origin("", 0);
            self.check_called(number, &actions);
            let steps = lists.iter_mut().filter(|(list, _)| *list == List::Step);
            for (_, step) in steps {
                let kind = ActionKind::Called(number);
                step.push(Action {
                    kind,
                    every: 1,
                    from: from.clone(),
                });
                step.extend(actions.iter().cloned());
            }
        }
        if self.is_whole {
            self.check_given();
        }
        lists
    }

    /// Reports what a group between steps must not do.
    fn check_called(&mut self, number: usize, actions: &[Action]) {
        let name = self.pipeline.calls.get(number).cloned().unwrap_or_default();
        let mut swaps = Vec::new();
        gather_swaps(actions, &mut swaps);
        let cause = if !Swaps::cancel(&swaps) {
            Some("it leaves fields swapped")
        } else {
            moves(actions).then_some("it updates a sparse grid, or sorts, removes or adds particles")
        };
        if let Some(cause) = cause.filter(|_| !self.program.is_cut.get()) {
            let message = format!("`{name}` cannot be called between steps: {cause}");
            self.program
                .report(Problem::without_place(message).help("run it in `step`"));
        }
    }

    fn list(&mut self, calls: &[Call<'f>]) -> Vec<Action> {
        let mut actions = Vec::new();
        for call in calls {
            let action = match call {
                Call::Stage {
                    file,
                    name,
                    kernel,
                    at,
                } => self.dispatch(file, name, kernel, at),
                Call::Operation { file, at } => self.operation(file, at),
                Call::Repeat { file, at, iterations } => self.repeat(file, at, iterations),
            };
            self.is_whole &= action.is_some();
            actions.extend(action);
        }
        actions
    }

    /// A repeat with `while`, which the device ends.
    fn repeat(&mut self, file: &'f BlockFile, at: &At<'f>, iterations: &[Vec<Call<'f>>]) -> Option<Action> {
        let (name, condition) = (file.repeat.as_ref()?, file.condition.as_ref()?);
        let full = self.program.full_name(at.scope.instance, &name.text);
        let written = condition.name.as_ref()?.to_string();
        let is_clock = written == CLOCK_LEFT;
        let (field, condition_name) = if is_clock {
            (self.clock(&full, &name.place, condition, at.list)?, written)
        } else {
            let field = self.uint_buffer(&at.scope, condition)?;
            (field, self.pipeline.fields[field].name.clone())
        };
        let is_inner = self.conditions.contains(&field);
        if is_inner && file.on_max_iterations.is_some() {
            let message = format!(
                "an enclosing repeat has the same condition `{condition_name}`, and it determines what happens"
            );
            let help = "move `on_max_iterations` to the outer repeat";
            self.program.wrong(&file.place, message, help);
        }
        self.conditions.push(field);
        let is_timed = |timed: &TimedRepeat| is_clock && timed.clock == field;
        let timed = self.clocks.iter().position(is_timed);
        self.open_clocks.extend(timed);
        let mut resolved: Vec<Vec<Action>> = Vec::new();
        for calls in iterations {
            let actions = self.list(calls);
            self.check_swaps(&actions, condition);
            resolved.push(actions);
        }
        self.conditions.pop();
        if let Some(timed) = timed {
            self.open_clocks.pop();
            // The stages of a repeat without iterations have not been visited.
            if !iterations.is_empty() && self.is_whole {
                self.check_setters(timed, condition);
            }
        }
        let counted = if is_clock {
            Counted::Clock(full.clone())
        } else {
            Counted::Buffer(field)
        };
        let kind = ActionKind::Loop(Loop {
            name: full,
            condition: condition_name,
            field,
            is_clock,
            is_inner,
            on_max_iterations: file.on_max_iterations.unwrap_or(OnMax::Warn),
            counted,
            iterations: resolved,
        });
        let from = origin(&file.pointer, at.scope.instance);
        Some(Action { kind, every: 1, from })
    }

    /// Adds the clock of a repeat with `"while": "clock.left"`.
    fn clock(&mut self, name: &str, place: &Place, condition: &Reference, list: List) -> Option<FieldId> {
        let program = self.program;
        if list != List::Step {
            let message = format!("`{}` goes through no time of its own", list.key());
            let help = "only `step` has repeats with \"while\": \"clock.left\": move it there";
            return program.refuse(&condition.place, message, help);
        }
        let known = self.clocks.iter().find(|timed| timed.name == name);
        if let Some(timed) = known.filter(|timed| !is_same(&timed.place, place)) {
            let message = format!("`{name}` is already a repeat with \"while\": \"clock.left\"");
            let problem = Problem::at(place, message, "give this one another name");
            return program.fail(problem.note("the other", &timed.place));
        }
        if self.names_of(|resource| resource.name == name).next().is_some() {
            let message = format!(
                "`{name}` is a resource too, so iterations({name}) in a series would have two meanings"
            );
            return program.refuse(place, message, "give the repeat another name");
        }
        if let Some(timed) = known {
            return Some(timed.clock);
        }
        let clock = loops::add_clock(&mut self.pipeline, name);
        self.clocks.push(TimedRepeat {
            name: name.to_string(),
            clock,
            place: place.clone(),
            setters: Vec::new(),
        });
        Some(clock)
    }

    /// Records a stage that writes `clock.dt`. Returns false outside of a sub-cycled repeat.
    pub(super) fn sets_length(&mut self, place: &Place) -> bool {
        let Some(timed) = self.open_clocks.last().map(|number| &mut self.clocks[*number]) else {
            let message = "the length of a step is constant";
            let help =
                "a stage sets the length of iterations: put it into a repeat with \"while\": \"clock.left\"";
            self.program.wrong(place, message, help);
            return false;
        };
        if !timed.setters.iter().any(|known| is_same(known, place)) {
            timed.setters.push(place.clone());
        }
        true
    }

    /// Reports a repeat in which not exactly one stage writes `clock.dt`.
    fn check_setters(&self, timed: usize, condition: &Reference) {
        match self.clocks[timed].setters.as_slice() {
            [_] => {}
            [] => {
                let message = "no stage in this repeat writes `clock.dt`";
                let help = "list \"clock.dt\" in the `writes` of one: its shader calls set_clock_dt(seconds)";
                self.program.wrong(&condition.place, message, help);
            }
            [first, second, ..] => {
                let message = "another stage in this repeat already writes `clock.dt`";
                let problem = Problem::at(second, message, "write it in one stage only");
                self.program.report(problem.note("the other", first));
            }
        }
    }

    /// Reports iterations that leave fields swapped: only the device knows which iteration is the last.
    fn check_swaps(&self, actions: &[Action], condition: &Reference) {
        let mut swaps = Vec::new();
        gather_swaps(actions, &mut swaps);
        let is_uneven = |_: &&[FieldId; 2]| !self.program.is_cut.get() && !Swaps::cancel(&swaps);
        let Some(pair) = swaps.last().filter(is_uneven) else {
            return;
        };
        let [a, b] = pair.map(|field| &self.pipeline.fields[field].name);
        let message = format!(
            "an iteration of this repeat swaps `{a}` and `{b}` and does not swap them back, but the repeat may end after any \
             iteration"
        );
        let help = "swap each pair an even number of times: write the stages of two iterations into one, with a swap after \
                    each";
        self.program.wrong(&condition.place, message, help);
    }

    /// The clock of the sub-cycled repeat with this name.
    pub(super) fn clock_of(&self, name: &str) -> Option<FieldId> {
        let timed = self.clocks.iter().find(|timed| timed.name == name);
        timed.map(|timed| timed.clock)
    }

    /// True inside a repeat with `while`.
    pub(super) fn is_conditional(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The field of a reference. Reports a missing or invalid one.
    pub(super) fn field(&self, scope: &Scope, reference: &Reference) -> Option<FieldId> {
        let found = self.program.field(scope, reference)?;
        if found.channel.is_none() {
            let name = reference.name.as_ref()?;
            let message = format!("the optional `{name}` is not filled");
            let help = format!("put the entry under \"if\": \"has({name})\"");
            self.program.wrong(&reference.place, message, help);
        }
        self.field_id(&found)
    }

    pub(super) fn field_id(&self, found: &FieldName) -> Option<FieldId> {
        self.ids.field(found.channel?)
    }

    /// A uint buffer.
    pub(super) fn uint_buffer(&self, scope: &Scope, reference: &Reference) -> Option<FieldId> {
        let field = self.field(scope, reference)?;
        let is_buffer = self.pipeline.resource_of(field).is_buffer();
        if is_buffer && self.pipeline.fields[field].is(Element::Uint) {
            return Some(field);
        }
        let message = format!("`{}` is not a uint buffer", reference.text());
        let help = "name one of the `buffers` whose type is uint";
        self.program.refuse(&reference.place, message, help)
    }

    /// The resource of a reference. Reports other names.
    pub(super) fn resource(&self, scope: &Scope, reference: &Reference) -> Option<ResourceId> {
        let (program, name, place) = (self.program, reference.name.as_ref()?, &reference.place);
        match program.resource_of(scope, name, place)? {
            Some(found) => self.ids.resource(found.at?),
            None => program.fail(program.no_resource(scope.instance, name, place)),
        }
    }

    /// Reports an action in the list `frame` that changes the simulation.
    pub(super) fn not_in_frames(&self, list: List, place: &Place, message: &str) -> Option<()> {
        if list != List::Frame {
            return Some(());
        }
        let help = "frame stages must not change the simulation: move it to `step`";
        self.program.refuse(place, message, help)
    }
}

/// Returns true if actions change which elements a set or a sparse grid has, or their order.
fn moves(actions: &[Action]) -> bool {
    actions.iter().any(|action| match &action.kind {
        ActionKind::Loop(inner) => inner.iterations.iter().any(|actions| moves(actions)),
        ActionKind::Dispatch(dispatch) => dispatch.births.is_some(),
        kind => matches!(
            kind,
            ActionKind::Update(_) | ActionKind::Remove { .. } | ActionKind::Sort { .. }
        ),
    })
}

/// Collects the swaps of actions, including swaps in repeats.
fn gather_swaps(actions: &[Action], swaps: &mut Vec<[FieldId; 2]>) {
    for action in actions {
        match &action.kind {
            ActionKind::Swap(pair) => swaps.push(*pair),
            ActionKind::Loop(inner) => {
                for actions in &inner.iterations {
                    gather_swaps(actions, swaps);
                }
            }
            _ => {}
        }
    }
}

/// True if two places are the same text, possibly in several uses of a module.
fn is_same(a: &Place, b: &Place) -> bool {
    a.range == b.range && a.text() == b.text()
}

/// The origin of an action.
pub(super) fn origin(pointer: &str, instance: InstanceId) -> Rc<Origin> {
    Rc::new(Origin {
        pointer: pointer.to_string(),
        instance,
    })
}
