//! A small snow scene on the device, and its state as the arrays of the CPU twins.

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::super::common::simulation::*;
use super::super::reference::{Air, Clock, Flakes, Ground};

pub struct Scene {
    pub sim: Simulation,
    file: Value,
}

/// Everything that the twins know.
#[derive(Debug, Clone)]
pub struct State {
    pub air: Air,
    pub ground: Ground,
    pub flakes: Flakes,
    pub wind: [f32; 3],
    pub boundary_faces: [u32; 4],
    pub fluid_cells: u32,
    pub total_pressure: f32,
    pub counters: [u32; 4],
    pub clock: Clock,
}

/// [`hills_as_shipped`], but flakes move in one stage and are deposited in another, so that tests can run each by itself.
pub fn hills() -> Value {
    let mut file = hills_as_shipped();
    let mut moves = file["stages"]["particle_update"].clone();
    moves["shader"] = json!("snow/move_flakes.comp");
    file["stages"]["move_flakes"] = moves;
    file["stages"]["deposit"] = json!({"shader": "snow/deposit.comp", "over": "flakes"});
    let step = file["step"].as_array_mut().unwrap();
    let at = step.iter().position(|entry| entry == "particle_update").unwrap();
    step.splice(at..=at, [json!("move_flakes"), json!("deposit")]);
    file
}

/// The snow pipeline, smaller: the relief of a 281 x 300 m scene, twice as steep as the shipped one, under 40
/// x 42 x 16 cells of 7 m; no pictures, no files. Particles have one copy, so that stages can be run by
/// themselves.
pub fn hills_as_shipped() -> Value {
    let path = root().join("pipelines/snow.json");
    let mut file = Document::read(&path).unwrap().value();
    for key in ["frame", "outputs"] {
        file.as_object_mut().unwrap().remove(key);
    }
    // Needed for pictures only.
    let init = file["init"].as_array_mut().unwrap();
    init.retain(|entry| entry != "draw.init");
    file["run"]["steps_per_frame"] = json!(1);
    file["grids"]["air"]["cells"] = json!([40, 42, 16]);
    file["grids"]["air"]["origin"] = json!([0.7, 3, -7]);
    file["grids"]["air"]["sparse"] = json!({});
    let ground = &mut file["grids"]["ground"];
    ground["vertices"] = json!([96, 100]);
    let model = &mut ground["channels"]["elevation"]["values"];
    model["metres_per_pixel"] = json!([0.7, 0.875]);
    model["metres_per_level"] = json!(0.04);
    file["parameters"]["flakes"]["count"] = json!(6000);
    file["particles"]["flakes"]["ring"] = json!(1);
    // Only before the first step, so that tests can follow a flake by its index.
    file["parameters"]["flakes"]["sort_every"] = json!(1_000_000);
    file
}

/// The same hills under air that is not active everywhere: neither high up nor deep in the rock.
pub fn layers() -> Value {
    let mut file = hills();
    file["grids"]["air"]["sparse"] = json!({"block": [4, 4, 4]});
    file["parameters"]["air"]["layers_above"] = json!(12);
    file
}

/// Level ground at height 0 under 16 x 16 x 20 cells of 7 m, and one constant wind.
pub fn plain(wind: [f64; 3]) -> Value {
    let mut file = hills();
    file["grids"]["air"]["cells"] = json!([16, 16, 20]);
    file["grids"]["air"]["origin"] = json!([1, 1, -7]);
    let ground = &mut file["grids"]["ground"];
    ground["vertices"] = json!([64, 64]);
    let model = &mut ground["channels"]["elevation"]["values"];
    model["metres_per_pixel"] = json!([0.3, 0.35]);
    model["metres_per_level"] = json!(0);
    file["buffers"]["winds"]["values"] = json!([wind]);
    file
}

impl Scene {
    pub fn new(gpu: &Gpu, file: Value) -> Scene {
        let sim = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), Options::PLAIN);
        Scene { sim, file }
    }

    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.sim.step(false).unwrap();
        }
    }

    /// Runs every entry of a stage in the step list alone, in order.
    pub fn alone(&mut self, stage: &str) {
        let entries = self.entries(stage);
        assert!(!entries.is_empty(), "no stage `{stage}` in the step");
        for entry in entries {
            self.sim.run_alone(entry).unwrap();
        }
    }

    /// Runs what makes a result of a reduction alone.
    pub fn reduce_alone(&mut self, result: &str) {
        self.alone(&format!("reduce_{result}"));
        for entry in self.entries(&format!("finish_{result}")) {
            self.sim.run_alone(entry).unwrap();
        }
    }

    /// Positions of a stage in the step list; those of the engine are numbered where several have a name.
    pub fn entries(&self, stage: &str) -> Vec<usize> {
        let pipeline = &self.sim.pipeline();
        let is = |entry: &usize| {
            let name = &pipeline.stages[pipeline.step[*entry].stage].name;
            let rest = name.strip_prefix(stage);
            rest.is_some_and(|rest| {
                rest.trim_start_matches(|c: char| c == '_' || c.is_ascii_digit())
                    .is_empty()
            })
        };
        (0..pipeline.step.len()).filter(is).collect()
    }

    /// The value of a parameter in the file, which may have a range.
    fn stated(&self, name: &str) -> &Value {
        let parameter = name
            .split('.')
            .fold(&self.file["parameters"], |group, key| &group[key]);
        parameter.get("value").unwrap_or(parameter)
    }

    /// A parameter of the file, such as `snow.repose`.
    pub fn parameter(&self, name: &str) -> f64 {
        let value = self.stated(name);
        value.as_f64().unwrap_or_else(|| panic!("{name} is {value}"))
    }

    /// A parameter that is a list.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.stated(name)
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect()
    }

    pub fn floats(&mut self, field: &str) -> Vec<f32> {
        read_floats(&mut self.sim, field)
    }

    pub fn words(&mut self, field: &str) -> Vec<u32> {
        read_words(&mut self.sim, field)
    }

    pub fn vectors<const N: usize>(&mut self, field: &str) -> Vec<[f32; N]> {
        self.floats(field)
            .chunks_exact(N)
            .map(|v| v.try_into().unwrap())
            .collect()
    }

    pub fn write_words(&mut self, field: &str, words: impl IntoIterator<Item = u32>) {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.sim.write(field, &bytes).unwrap();
    }

    /// Writes the lower 16 bits of words.
    pub fn write_halves(&mut self, field: &str, words: impl IntoIterator<Item = u32>) {
        let bytes: Vec<u8> = words
            .into_iter()
            .flat_map(|word| (word as u16).to_le_bytes())
            .collect();
        self.sim.write(field, &bytes).unwrap();
    }

    pub fn write_vectors(&mut self, field: &str, vectors: &[[f32; 3]]) {
        self.write_words(field, vectors.iter().flatten().map(|x| x.to_bits()));
    }

    pub fn air(&mut self) -> Air {
        let resource = |name: &str| {
            self.sim
                .pipeline()
                .resources
                .iter()
                .find(|r| r.name == name)
                .unwrap()
                .clone()
        };
        let grid = resource("air");
        let mut air = Air::new(
            grid.size.map(|n| n as usize),
            grid.lattice().unwrap().spacing[0] as f32,
            grid.lattice().unwrap().origin.map(|o| o as f32),
        );
        air.u = self.floats("air.u");
        air.v = self.floats("air.v");
        air.w = self.floats("air.w");
        air.u_star = self.floats("air.u_star");
        air.v_star = self.floats("air.v_star");
        air.w_star = self.floats("air.w_star");
        air.pressure = self.floats("air.pressure");
        air.solution = self.floats("air.solution");
        air.solid = self.words("columns.solid");
        let faces = self.sim.read("air.faces").unwrap();
        air.faces = faces
            .as_chunks()
            .0
            .iter()
            .map(|bits| u32::from(u16::from_le_bytes(*bits)))
            .collect();
        let open = self.sim.read("air.open").unwrap();
        air.open = open.into_iter().map(u32::from).collect();
        if let Some(sparse) = grid.sparse() {
            let active = self.words("air_active");
            let is_active = |block: &u32| active[*block as usize / 32] >> (block % 32) & 1 != 0;
            let layout = sparse.layout.clone();
            let blocks = (0..layout.numbers() as u32).filter(is_active).collect();
            air.activate(layout, blocks);
        }
        air
    }

    pub fn ground(&mut self) -> Ground {
        let field = self
            .sim
            .pipeline()
            .resources
            .iter()
            .find(|r| r.name == "ground")
            .unwrap();
        let (size, spacing) = (field.size, field.lattice().unwrap().spacing);
        let mut ground = Ground::new(
            [size[0] as usize, size[1] as usize],
            [spacing[0] as f32, spacing[1] as f32],
        );
        ground.elevation = self.floats("ground.elevation");
        ground.snow = self.words("ground.snow");
        ground.snow_next = self.words("ground.snow_next");
        ground.fresh = self.words("ground.fresh");
        ground
    }

    pub fn flakes(&mut self) -> Flakes {
        Flakes {
            position: self.vectors("flakes.position"),
            velocity: self.vectors("flakes.velocity"),
            phase: self.floats("flakes.phase"),
            v_max: self.floats("flakes.v_max"),
            id: self.words("flakes.id"),
            block: self.words("flakes.block"),
        }
    }

    /// The clock of the next step.
    pub fn clock(&self) -> Clock {
        let dt = self.sim.pipeline().dt as f32;
        let step = self.sim.steps() as u32;
        Clock {
            step,
            time: step as f32 * dt,
            dt,
            seed: self.sim.pipeline().seed,
        }
    }

    pub fn state(&mut self) -> State {
        State {
            air: self.air(),
            ground: self.ground(),
            flakes: self.flakes(),
            wind: self.vectors("wind")[0],
            boundary_faces: self.words("boundary_faces").try_into().unwrap(),
            fluid_cells: self.words("fluid_cells")[0],
            total_pressure: self.floats("total_pressure")[0],
            counters: self.words("counters").try_into().unwrap(),
            clock: self.clock(),
        }
    }
}
