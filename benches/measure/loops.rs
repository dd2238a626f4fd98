//! `measure loops`: measures the cost of iterations that a repeat with `while` skips.
//!
//! A step relaxes a field in iterations of two stages, the second of which ends the repeat. It is timed with a bound of as many
//! iterations as are taken, and with a larger bound; once on the device as it is and once without commands that run under a
//! condition. Steps of both bounds take turns, so that whatever else the machine does slows both; the ratio is the median of those
//! of neighbouring steps.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use sastrugi::gpu::{Gpu, OpenOptions};
use sastrugi::inline_shaders::InlineShaders;
use sastrugi::ir::Pipeline;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};

use super::common::{Measured, median};

/// Measures the cost of the skipped iterations of a repeat.
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of elements per iteration.
    #[arg(long, default_value_t = 1 << 20)]
    elements: u32,
    /// Number of iterations that run.
    #[arg(long, default_value_t = 10)]
    taken: u32,
    /// Maximum number of iterations of the longer repeat.
    #[arg(long, default_value_t = 1000)]
    most: u32,
    /// Number of timed steps.
    #[arg(long, default_value_t = 30)]
    steps: u32,
}

const BEGIN: &str = "void stage(uint i) { set_left(0u, arg.taken); }";
const RELAX: &str = "void stage(uint i) {
    uint n = u_length;
    set_v(i, 0.5 * u(i) + 0.25 * (u(i > 0u ? i - 1u : i) + u(i + 1u < n ? i + 1u : i)));
}";
const DECIDE: &str = "void stage(uint i) { set_left(0u, left(0u) - 1u); }";

pub fn measure(arguments: &Arguments) -> Measured {
    for lacking in ["", "VK_EXT_conditional_rendering"] {
        let gpu = Gpu::open(&OpenOptions {
            lowered: lacking.parse()?,
            ..OpenOptions::default()
        })?;
        let way = if gpu.is_conditional() {
            "conditions by the device"
        } else {
            "conditions by gates"
        };
        println!("device: {}, {way}", gpu.report().name);
        let mut short = Timed::new(&gpu, arguments, arguments.taken)?;
        let mut long = Timed::new(&gpu, arguments, arguments.most)?;
        for number in 0..arguments.steps + UNTIMED {
            for timed in [&mut short, &mut long] {
                timed.step(number >= UNTIMED)?;
            }
        }
        let pairs = long.times.iter().zip(&short.times);
        let ratios: Vec<f64> = pairs.map(|(long, short)| long / short).collect();
        println!(
            "{} iterations of {} elements: {:.3} ms of {}, {:.3} ms of {}: ratio {:.3}",
            arguments.taken,
            arguments.elements,
            median(&short.times),
            arguments.taken,
            median(&long.times),
            arguments.most,
            median(&ratios)
        );
    }
    Ok(())
}

/// Number of steps before the timed ones.
const UNTIMED: u32 = 3;

/// A simulation, and the times of its steps, ms.
struct Timed {
    simulation: Simulation,
    times: Vec<f64>,
}

impl Timed {
    /// A simulation whose repeat has at most `most` iterations.
    fn new(gpu: &Gpu, arguments: &Arguments, most: u32) -> Result<Timed, Box<dyn Error>> {
        let pipeline = pipeline(arguments, most)?;
        Ok(Timed {
            simulation: Simulation::new(gpu, pipeline, &Default::default(), Options::PLAIN)?,
            times: Vec::new(),
        })
    }

    fn step(&mut self, timed: bool) -> Measured {
        let began = Instant::now();
        self.simulation.step(false)?;
        self.simulation.finish()?;
        if timed {
            self.times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

fn pipeline(arguments: &Arguments, most: u32) -> Result<Pipeline, Box<dyn Error>> {
    let count = arguments.elements;
    let list = json!({"type": "float", "length": count, "background": 1});
    let relax = |stage: &str| json!({"stage": stage, "shader": "relax.comp", "over": count, "reads": ["u"], "writes": ["v"]});
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"u": list, "v": list, "left": {"type": "uint", "length": 1, "background": 0}},
        "step": [
            {"stage": "begin", "over": 1, "writes": ["left"],
             "arguments": {"taken": format!("uint({})", arguments.taken)}},
            {"repeat": "iteration", "over": most, "while": "left", "stages": [
                relax("there"), {"swap": ["u", "v"]}, relax("back"), {"swap": ["u", "v"]},
                {"stage": "decide", "over": 1, "reads": ["left"], "writes": ["left"]}
            ]}
        ]
    });
    let document = Document::parse("loops.json", &file.to_string(), Path::new(""))?;
    let mut texts = InlineShaders::default();
    for (name, body) in [("begin", BEGIN), ("relax", RELAX), ("decide", DECIDE)] {
        let text = format!("#version 460\n#include \"stage.glsl\"\n{body}\n");
        texts.insert(&format!("{name}.comp"), text.into_bytes())?;
    }
    let (pipeline, _) = spec::from_document("loops", &document, &texts)?;
    Ok(pipeline)
}
