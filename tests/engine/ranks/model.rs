//! Random lists of stages on a model of the memory of ranks: whatever a stage accesses has the values of one rank. No device.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use sastrugi::ir::{Reach, StageId, Valid};
use sastrugi::plan::schedule::FieldCopy;
use sastrugi::plan::{self, Command, Halos, List, Plan, Segment};
use serde_json::{Value, json};

use super::*;

/// Planes of the grid, which ranks share along z.
const PLANES: i64 = 12;
const FIELDS: [&str; 3] = ["g.a", "g.b", "g.c"];

/// An entry of a list: a kind, two fields, two reaches, and how rarely it runs.
type Drawn = (u8, usize, usize, u32, u32, u32);

/// The entries of drawn numbers, and their kernels.
fn entries(drawn: &[Drawn]) -> (Vec<Value>, Vec<(String, String)>) {
    let (mut list, mut kernels) = (Vec::new(), Vec::new());
    let mut stage = |reads: &[(usize, u32)], writes: &[(usize, u32)], every: u32| {
        let name = format!("s{}", kernels.len());
        let names =
            |fields: &[(usize, u32)]| fields.iter().map(|(field, _)| FIELDS[*field]).collect::<Vec<_>>();
        let near = reads.iter().chain(writes).filter(|(_, reach)| *reach > 0);
        let pragmas = near.collect::<BTreeSet<_>>().into_iter();
        let pragmas = pragmas
            .map(|(field, reach)| format!("#pragma reach {} {reach}\n", FIELDS[*field].replace('.', "_")));
        let text = format!(
            "{}#include \"stage.glsl\"\nvoid stage(ivec3 i) {{}}",
            pragmas.collect::<String>()
        );
        kernels.push((name.clone(), text));
        json!({"stage": name, "over": "g", "reads": names(reads), "writes": names(writes), "every": every})
    };
    for (number, (kind, x, shift, read, write, every)) in drawn.iter().copied().enumerate() {
        let y = (x + 1 + shift) % 3;
        list.push(match kind {
            0..3 => stage(&[(x, read)], &[(y, write)], every),
            3 => stage(&[(x, write)], &[(x, write)], every),
            4 => json!({"swap": [FIELDS[x], FIELDS[y]]}),
            5 => json!({"set": FIELDS[y], "to": FIELDS[x]}),
            6 => json!({"set": FIELDS[x], "to": 1}),
            7 => json!({"set": "total", "to": format!("sum({})", FIELDS[x])}),
            _ => {
                let turns = [
                    stage(&[(x, read)], &[(y, write)], 1),
                    stage(&[(y, write)], &[(x, 0)], 1),
                ];
                let count = json!({"stage": "count", "over": 1, "reads": ["going"], "writes": ["going"]});
                let stages = [&turns[..], &[count]].concat();
                json!({"repeat": format!("turn{number}"), "over": 9, "while": "going", "stages": stages})
            }
        });
    }
    (list, kernels)
}

fn drawn_pipeline(drawn: &[Drawn]) -> Pipeline {
    let (list, mut kernels) = entries(drawn);
    kernels.push(("count".into(), "void stage(uint i) {}".into()));
    let channel = json!({"type": "float", "background": 0, "border": "clamp"});
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [2, 2, PLANES], "cell_size": 1, "channels": {"a": channel, "b": channel, "c": channel}}},
        "buffers": {"total": {"type": "float", "length": 1, "background": 0},
            "going": {"type": "uint", "length": 1, "background": 3}},
        "step": list,
        "outputs": {"a": {"source": "g.a", "format": "npy"}}
    });
    let bodies: Vec<(&str, &str)> = kernels
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    pipeline(&file, &bodies)
}

/// The planes of each copy of each field that are right on one rank; absent copies are right everywhere.
struct Model {
    pipeline: Pipeline,
    plan: Plan,
    wrong: HashMap<FieldCopy, BTreeSet<i64>>,
    part: (i64, i64),
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
        let plan = plan::plan(&pipeline).unwrap();
        let own = pipeline
            .cut
            .as_ref()
            .unwrap()
            .partition
            .grown(rank, [2, 2, PLANES as u64], [0; 3]);
        Model {
            pipeline,
            plan,
            wrong: HashMap::new(),
            part: (own.low[2] as i64, (own.low[2] + own.size[2]) as i64),
        }
    }

    /// The planes of the part, grown by some on a circle.
    fn near(&self, grow: i64) -> BTreeSet<i64> {
        (self.part.0 - grow..self.part.1 + grow)
            .map(|z| z.rem_euclid(PLANES))
            .collect()
    }

    fn is_right(&self, at: FieldCopy, planes: &BTreeSet<i64>) -> bool {
        self.wrong.get(&at).is_none_or(|wrong| wrong.is_disjoint(planes))
    }

    fn exchange(&mut self, at: FieldCopy, valid: Valid) {
        let right = match valid {
            Valid::All => (0..PLANES).collect(),
            Valid::Depth(depth) => self.near(depth.into()),
            Valid::Box(area) => {
                let low = area.low[2] as i64;
                (low..low + area.size[2] as i64).collect()
            }
        };
        if let Some(wrong) = self.wrong.get_mut(&at) {
            wrong.retain(|plane| !right.contains(plane));
        }
    }

    /// Runs a stage. The error names what it would have read.
    fn run(&mut self, list: List, entry: usize, id: StageId, step: u64) -> Result<(), String> {
        let stage = self.pipeline.stages[id].clone();
        let place = |field| self.plan.copy_of(list, entry, field, step);
        let all: BTreeSet<i64> = (0..PLANES).collect();
        if stage.name.starts_with("copy_") {
            let wrong = self.wrong.get(&place(stage.reads()[0]).0).cloned();
            let to = place(stage.writes()[0]).1;
            self.wrong.insert(to, wrong.unwrap_or_default());
        } else if stage.name.starts_with("fill_") {
            self.wrong.insert(place(stage.writes()[0]).1, BTreeSet::new());
        } else if self.pipeline.cut.as_ref().unwrap().grow(id).is_none() {
            let wrong = stage
                .reads()
                .iter()
                .find(|field| !self.is_right(place(**field).0, &all));
            if let Some(field) = wrong {
                return Err(format!(
                    "`{}` reads {}",
                    stage.name, self.pipeline.fields[*field].name
                ));
            }
        } else {
            let part = self.pipeline.dispatched(id);
            let elements = (part.low[2] as i64)..(part.low[2] + part.size[2]) as i64;
            let locals = &self.pipeline.kernel_of(&stage).signature.fields;
            let mut written = Vec::new();
            for (local, field) in locals.iter().zip(&stage.bindings) {
                let Reach::Cells(reach) = local.reach else {
                    return Err("anywhere".into());
                };
                let reach = i64::from(reach);
                let touched = |z: i64| (z - reach..=z + reach).map(|z| z.rem_euclid(PLANES));
                let read: BTreeSet<i64> = elements.clone().flat_map(touched).collect();
                if local.reads && !self.is_right(place(*field).0, &read) {
                    return Err(format!(
                        "`{}` reads {}",
                        stage.name, self.pipeline.fields[*field].name
                    ));
                }
                if local.writes {
                    // Every element that writes into the part runs here.
                    let writers: BTreeSet<i64> = elements.clone().map(|z| z.rem_euclid(PLANES)).collect();
                    if !self.near(reach).is_subset(&writers) {
                        return Err(format!("`{}` leaves writes out", stage.name));
                    }
                    written.push(place(*field).1);
                }
            }
            let own = self.near(0);
            for at in written {
                self.wrong.insert(at, all.difference(&own).copied().collect());
            }
        }
        Ok(())
    }
}

/// Follows all ranks through steps. Conditions hold at random, and alike on all ranks.
fn follow(drawn: &[Drawn], ranks: usize, drops: Option<usize>) -> Result<(), String> {
    let pipeline = drawn_pipeline(drawn);
    let runs_over_cells = |(kind, ..): &Drawn| matches!(kind, 0..4 | 8);
    if !drawn.iter().any(runs_over_cells) {
        return Ok(());
    }
    for rank in 0..ranks {
        let mut model = Model::new(&pipeline, rank, ranks);
        let (mut halos, mut exchanges) = (Halos::default(), 0);
        for step in 0..7 {
            let segments: Vec<Segment> = model
                .plan
                .step
                .iter()
                .filter(|segment| segment.is_due(step))
                .cloned()
                .collect();
            for segment in segments {
                let wants = halos.wants(&model.pipeline, &model.plan, &segment, step);
                if !wants.is_empty() {
                    exchanges += 1;
                    if drops != Some(exchanges) {
                        wants.iter().for_each(|want| model.exchange(want.at, want.valid));
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
    (0u8..9, 0usize..3, 0usize..2, 0u32..4, 0u32..3, 1u32..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_lists_read_valid_values(drawn in proptest::collection::vec(entry(), 1..7), ranks in 2usize..5) {
        prop_assert_eq!(follow(&drawn, ranks, None), Ok(()));
    }
}

#[test]
fn control_dropped_exchange_is_seen_by_the_model() {
    let drawn = [(0, 0, 0, 1, 0, 1), (0, 1, 1, 2, 0, 1)];
    assert_eq!(follow(&drawn, 2, None), Ok(()));
    for number in 1..5 {
        assert!(follow(&drawn, 2, Some(number)).is_err());
    }
}
