//! Random lists of stages on a model of the memory of ranks: whatever a stage accesses has the values of one rank. No device.

mod lists;

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use sastrugi::ir::{Division, Owners, Reach, StageId, Valid};
use sastrugi::plan::schedule::FieldCopy;
use sastrugi::plan::{self, Command, Halos, List, Plan, Want};

use super::*;
use lists::{Drawn, ENTRIES, PLANES, ROWS, drawn_pipeline};

/// An entry of the elements of a row: the row along z, the entry, and the row along y. Of scalar fields, the elements that stages
/// with `keeps` write are in entry 0, those that they read from afar in the others.
type Slot = (i64, u32, u64);

/// The entries of each copy of each field that are wrong on one rank; absent copies are right everywhere.
struct Model {
    pipeline: Pipeline,
    plan: Plan,
    wrong: HashMap<FieldCopy, BTreeSet<Slot>>,
    part: (i64, i64),
    /// The rows along y of which the rank transforms lines along z.
    lines: std::ops::Range<u64>,
}

/// The entries that belong to elements of some planes.
fn belonging(planes: impl IntoIterator<Item = i64>, owners: Owners) -> BTreeSet<Slot> {
    let entries = |z: i64| (0..ENTRIES).map(move |k| ((z + owners.offset(k)[2]).rem_euclid(PLANES), k));
    let slots = planes.into_iter().flat_map(entries);
    slots
        .flat_map(|(z, k)| (0..ROWS).map(move |y| (z, k, y)))
        .collect()
}

impl Model {
    fn new(pipeline: &Pipeline, rank: usize, ranks: usize) -> Model {
        let mut pipeline = pipeline.clone();
        let request = CutRequest {
            parts: Some([1, 1, ranks]),
            whole: Whole::All,
        };
        pipeline
            .cut(&request, rank, ranks)
            .unwrap_or_else(|uncut| panic!("{uncut:?}"));
        plan::compute_halos(&mut pipeline);
        let plan = plan::plan(&pipeline).unwrap();
        let sides = [2, ROWS, PLANES as u64];
        let partition = &pipeline.cut.as_ref().unwrap().partition;
        let own = partition.grown(rank, sides, [0; 3]);
        let lines = partition.turned(2).unwrap().grown(rank, sides, [0; 3]);
        Model {
            pipeline,
            plan,
            wrong: HashMap::new(),
            part: (own.low[2] as i64, (own.low[2] + own.size[2]) as i64),
            lines: lines.low[1]..lines.low[1] + lines.size[1],
        }
    }

    /// The planes of the part, grown by some.
    fn near(&self, grow: i64) -> std::ops::Range<i64> {
        self.part.0 - grow..self.part.1 + grow
    }

    /// The lines that the rank transforms along an axis.
    fn of_lines(&self, axis: usize) -> BTreeSet<Slot> {
        if axis < 2 {
            return belonging(self.near(0), Owners::Own);
        }
        let mut lines = belonging(0..PLANES, Owners::Own);
        lines.retain(|(_, _, y)| self.lines.contains(y));
        lines
    }

    fn check(&self, at: FieldCopy, slots: &BTreeSet<Slot>, what: &str) -> Result<(), String> {
        let is_right = self.wrong.get(&at).is_none_or(|wrong| wrong.is_disjoint(slots));
        let name = &self.pipeline.fields[at.0].name;
        if is_right {
            Ok(())
        } else {
            Err(format!("{what} {name}"))
        }
    }

    fn exchange(&mut self, want: &Want) -> Result<(), String> {
        // Other ranks rely on what this one sends.
        let sent = match want.layout.division {
            Division::Lines(axis) => self.of_lines(axis),
            _ => belonging(self.near(0), want.layout.owners),
        };
        self.check(want.at, &sent, "a message has")?;
        let right = match want.valid {
            Valid::All => belonging(0..PLANES, Owners::Own),
            Valid::Depth(depth) => belonging(self.near(depth.into()), want.owners),
            Valid::Box(area) => {
                let low = area.low[2] as i64;
                belonging(low..low + area.size[2] as i64, Owners::Own)
            }
            Valid::Lines(axis) => self.of_lines(axis),
        };
        if let Some(wrong) = self.wrong.get_mut(&want.at) {
            wrong.retain(|slot| !right.contains(slot));
        }
        Ok(())
    }

    /// Other elements may be kept from now on: in a plane where some are wrong, all may be.
    fn mix(&mut self) {
        let kept = self.pipeline.field("g.u").unwrap();
        for (at, wrong) in &mut self.wrong {
            if self.pipeline.swaps.share(at.0, kept) {
                let planes: BTreeSet<i64> = wrong.iter().map(|(z, ..)| *z).collect();
                wrong.extend(belonging(planes, Owners::Own));
            }
        }
    }

    /// Runs a stage. The error names what it would have read.
    fn run(&mut self, list: List, entry: usize, id: StageId, step: u64) -> Result<(), String> {
        let stage = self.pipeline.stages[id].clone();
        let place = |field| self.plan.copy_of(list, entry, field, step);
        let all = belonging(0..PLANES, Owners::Own);
        if stage.name.starts_with("copy_") {
            let wrong = self.wrong.get(&place(stage.reads()[0]).0).cloned();
            let to = place(stage.writes()[0]).1;
            self.wrong.insert(to, wrong.unwrap_or_default());
        } else if stage.name.starts_with("fill_") {
            self.wrong.insert(place(stage.writes()[0]).1, BTreeSet::new());
        } else if let Some(lines) = &stage.lines {
            let own = self.of_lines(lines.axis);
            let [source, target] = lines.ends.map(|end| end.field);
            self.check(place(source).0, &own, &format!("`{}` reads", stage.name))?;
            let written = all.difference(&own).copied().collect();
            self.wrong.insert(place(target).1, written);
        } else if self.pipeline.cut.as_ref().unwrap().grow(id).is_none() {
            for field in stage.reads() {
                self.check(place(*field).0, &all, &format!("`{}` reads", stage.name))?;
            }
        } else if let Division::Lines(axis) = self.pipeline.cut.as_ref().unwrap().division_of_stage(id) {
            let own = self.of_lines(axis);
            for field in stage.reads() {
                self.check(place(*field).0, &own, &format!("`{}` reads", stage.name))?;
            }
            for field in stage.writes() {
                self.check(place(*field).1, &own, &format!("`{}` keeps", stage.name))?;
            }
            let wrong: BTreeSet<Slot> = all.difference(&own).copied().collect();
            let written = stage.writes().iter().map(|field| place(*field).1);
            self.wrong.extend(written.map(|at| (at, wrong.clone())));
        } else {
            let part = self.pipeline.dispatched(id);
            let elements = (part.low[2] as i64)..(part.low[2] + part.size[2]) as i64;
            let locals = &self.pipeline.kernel_of(&stage).signature.fields;
            let mut written = Vec::new();
            for (local, field) in locals.iter().zip(&stage.bindings) {
                let (Reach::Cells(reach), Reach::Cells(writes)) = (local.reach.all, local.reach.writes)
                else {
                    return Err("anywhere".into());
                };
                let alternating = |odd| {
                    let of = |found: sastrugi::ir::Alternation| Owners::Alternating {
                        pairs: found.pairs,
                        odd,
                    };
                    local.alternation.map_or(Owners::Own, of).in_step(step)
                };
                let (now, last) = (alternating(false), alternating(true));
                let keeps = local.keeps.is_some();
                let offset = i64::from(local.alternation.is_some());
                let (reach, writes) = (i64::from(reach) - offset, i64::from(writes) - offset);
                let reads_last = local.alternation.is_some_and(|found| found.last);
                if local.reads {
                    let near: Vec<i64> = elements.clone().flat_map(|z| z - reach..=z + reach).collect();
                    let mut read = belonging(near.clone(), now);
                    if keeps {
                        read.retain(|(_, k, _)| *k > 0);
                        read.extend(belonging(elements.clone(), now));
                    }
                    if reads_last {
                        read.extend(belonging(near, last));
                    }
                    self.check(place(*field).0, &read, &format!("`{}` reads", stage.name))?;
                }
                if local.writes {
                    // Every element that writes into the part runs here, and what it keeps is right.
                    let on_circle = |z: i64| z.rem_euclid(PLANES);
                    let writers: BTreeSet<i64> = elements.clone().map(on_circle).collect();
                    if !self.near(writes).map(on_circle).all(|z| writers.contains(&z)) {
                        return Err(format!("`{}` leaves writes out", stage.name));
                    }
                    let own = belonging(self.near(0), now);
                    self.check(place(*field).1, &own, &format!("`{}` keeps", stage.name))?;
                    let before = self.wrong.get(&place(*field).1);
                    // Beyond the part, what it keeps may be wrong.
                    let complete =
                        elements.start + writes..(elements.end - writes).max(elements.start + writes);
                    let mut right = belonging(complete, now);
                    right.retain(|slot| before.is_none_or(|wrong| !wrong.contains(slot)));
                    right.extend(own);
                    if keeps {
                        let is_kept =
                            |slot: &&Slot| slot.1 > 0 && before.is_none_or(|wrong| !wrong.contains(slot));
                        right.extend(all.iter().filter(is_kept));
                    }
                    written.push((place(*field).1, right));
                }
            }
            for (at, right) in written {
                self.wrong.insert(at, all.difference(&right).copied().collect());
            }
        }
        if stage
            .writes()
            .iter()
            .any(|field| self.pipeline.fields[*field].name == "g.m")
        {
            self.mix();
        }
        Ok(())
    }
}

/// Follows all ranks through steps. Conditions hold at random, and alike on all ranks.
fn follow(drawn: &[Drawn], ranks: usize, drops: Option<usize>) -> Result<(), String> {
    follow_changed(drawn, 1, ranks, drops, |_| {})
}

/// The same with several levels, and with a change of the pipeline after it is planned.
fn follow_changed(
    drawn: &[Drawn],
    levels: usize,
    ranks: usize,
    drops: Option<usize>,
    change: fn(&mut Pipeline),
) -> Result<(), String> {
    let pipeline = drawn_pipeline(drawn, levels);
    let runs_over_cells = |(kind, ..): &Drawn| matches!(kind, 0..4 | 8..=14 | 16..20 | 24);
    if !drawn.iter().any(runs_over_cells) {
        return Ok(());
    }
    for rank in 0..ranks {
        let mut model = Model::new(&pipeline, rank, ranks);
        change(&mut model.pipeline);
        let (mut halos, mut exchanges) = (Halos::default(), 0);
        for step in 0..7 {
            for (number, segment) in model.plan.step.clone().into_iter().enumerate() {
                if !segment.is_due(step) {
                    continue;
                }
                let wants = halos.wants(&model.pipeline, &model.plan, (List::Step, number), step);
                if !wants.is_empty() {
                    exchanges += 1;
                    if drops != Some(exchanges) {
                        for want in &wants {
                            model.exchange(want)?;
                        }
                    }
                }
                halos.exchanged(&wants);
                halos.ran(&model.pipeline, &model.plan, &segment, step);
                for command in &segment.commands {
                    let Command::Dispatch { invocation, .. } = command else {
                        continue;
                    };
                    let id = model.pipeline.step[*invocation].stage;
                    let skipped = !model.pipeline.stages[id].conditions.is_empty()
                        && (step + *invocation as u64 / 3).is_multiple_of(3);
                    if !skipped {
                        model.run(segment.list, *invocation, id, step)?;
                    }
                }
            }
        }
        if drops.is_some_and(|number| number > exchanges) {
            return Err("nothing to drop".into());
        }
    }
    Ok(())
}

fn entry() -> impl Strategy<Value = Drawn> {
    (0u8..25, 0usize..3, 0usize..2, 0u32..4, 0u32..3, 1u32..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_lists_read_valid_values(
        drawn in proptest::collection::vec(entry(), 1..7), ranks in 2usize..5, levels in 1usize..3
    ) {
        prop_assert_eq!(follow_changed(&drawn, levels, ranks, None, |_| {}), Ok(()));
    }
}

/// Three stencils in a row: each reads a field next to its element.
const ROW: [Drawn; 3] = [(0, 0, 0, 1, 0, 1), (0, 1, 0, 1, 0, 1), (0, 2, 0, 1, 0, 1)];

/// The exchanges of the steps that are followed.
fn exchanges(drawn: &[Drawn], levels: usize) -> usize {
    let dropped = |number| follow_changed(drawn, levels, 2, Some(number), |_| {});
    let nothing = Err("nothing to drop".to_string());
    (1..40).take_while(|number| dropped(*number) != nothing).count()
}

#[test]
fn stages_that_compute_halos_save_exchanges() {
    // In 7 steps what each of 3 stages has written, except in the first step what the last one reads; or one exchange a step.
    assert_eq!(exchanges(&ROW, 1), 20);
    assert_eq!(exchanges(&ROW, 2), 7);
}

/// Stages that run a cell less far than planned leave wrong values.
#[test]
fn control_halos_a_cell_short_are_seen_by_the_model() {
    let shorter = |pipeline: &mut Pipeline| {
        for beyond in &mut pipeline.cut.as_mut().unwrap().beyond {
            *beyond = beyond.map(|cells| cells.saturating_sub(1));
        }
    };
    assert_eq!(follow_changed(&ROW, 2, 2, None, |_| {}), Ok(()));
    assert!(follow_changed(&ROW, 2, 2, None, shorter).is_err());
}

#[test]
fn control_dropped_exchange_is_seen_by_the_model() {
    let stencils = [(0, 0, 0, 1, 0, 1), (0, 1, 1, 2, 0, 1)];
    let alternating = [(9, 0, 0, 1, 0, 1)];
    // A transform along z in place, and a stencil that reads it and writes back.
    let lines = [(23, 0, 0, 0, 0, 1), (0, 0, 0, 1, 0, 1), (0, 1, 1, 0, 0, 1)];
    for drawn in [&stencils[..], &alternating, &lines] {
        assert_eq!(follow(drawn, 2, None), Ok(()));
        for number in 1..5 {
            assert!(follow(drawn, 2, Some(number)).is_err());
        }
    }
}

/// Values that steps keep travel once, and again only after a change of which they are.
#[test]
fn kept_values_are_exchanged_after_changes() {
    let count = |drawn: &[Drawn]| {
        assert_eq!(follow(drawn, 2, None), Ok(()));
        let exchanges =
            (1..20).take_while(|number| follow(drawn, 2, Some(*number)) != Err("nothing to drop".into()));
        exchanges.count()
    };
    let keeps = (16, 0, 0, 0, 0, 1);
    let writes = |which: usize| (18, 0, which, 0, 0, 1);
    assert_eq!(count(&[keeps]), 0);
    for change in [writes(0), writes(1)] {
        assert!(count(&[keeps, change]) >= 6, "{change:?}");
        for number in 1..5 {
            assert!(follow(&[keeps, change], 2, Some(number)).is_err(), "{change:?}");
        }
    }
}
