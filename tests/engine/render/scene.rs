//! A small scene made of the shipped `frame` stages: the same shaders, arguments and parameters, over a ground that the
//! test lays itself.

use sastrugi::run::Simulation;
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::common::{TestGpu, gpu, simulation::*, take_shaders};

const SIZE: [usize; 2] = [120, 66];

pub struct Scene {
    simulation: Simulation,
    file: Value,
    pub vertices: [usize; 2],
    /// Metres.
    pub spacing: [f64; 2],
    /// Of the middling flake, metres.
    pub radius: f64,
    gpu: TestGpu,
}

/// The camera's numbers in double precision.
pub struct View {
    pub eye: [f64; 3],
    pub focal: f64,
    axes: [[f64; 3]; 3],
}

impl View {
    /// Unit direction through the centre of a pixel.
    pub fn ray(&self, pixel: usize) -> [f64; 3] {
        let x = ((pixel % SIZE[0]) as f64 + 0.5 - 0.5 * SIZE[0] as f64) / self.focal;
        let y = ((pixel / SIZE[0]) as f64 + 0.5 - 0.5 * SIZE[1] as f64) / self.focal;
        let [right, down, forward] = self.axes;
        normalize([0, 1, 2].map(|k| forward[k] + x * right[k] + y * down[k]))
    }
}

impl Scene {
    /// The frame list of snow.json without trees, with one flake and a ground of 48 x 40 vertices; `change` may alter
    /// the file. `None` without a Vulkan device.
    pub fn new(change: impl FnOnce(&mut Value)) -> Option<Scene> {
        let gpu = gpu()?;
        let pipelines = root().join("pipelines");
        let read = |name: &str| {
            let document = Document::read(&pipelines.join(name));
            document.unwrap_or_else(|problems| panic!("{problems}")).value()
        };
        let (shipped, mut module) = (read("snow.json"), read("modules/terrain_view.json"));
        let vertices = [48, 40];
        module["grids"]["view"]["pixels"] = json!(SIZE);
        module["parameters"]["look"]["tree_height"] = json!(0);
        let mut ground = shipped["grids"]["ground"].clone();
        let elevation = ground["channels"]["elevation"].clone();
        ground["vertices"] = json!(vertices);
        ground["channels"] = json!({"elevation": elevation, "snow": "uint", "forest": "float"});
        let mut file = json!({
            "run": {"dt": 1},
            "use": {"draw": {"module": module}},
            "grids": {"ground": ground},
            "particles": {"flakes": {"count": 1, "attributes": {"position": "vec3", "velocity": "vec3"}}},
            "init": [
                {"stage": "bare_ground", "over": "ground", "writes": ["ground.snow", "ground.forest"]},
                {"stage": "still_flakes", "over": "flakes", "writes": ["flakes.position", "flakes.velocity"]}
            ],
            "step": [],
            "frame": shipped["frame"]
        });
        take_shaders(&pipelines.join("../tests/data/scene"), &mut file);
        change(&mut file);
        let simulation = build(&gpu, &file);
        let per_pixel = &elevation["values"]["metres_per_pixel"];
        // The image has 403 x 344 pixels.
        let spacing = [
            per_pixel[0].as_f64().unwrap() * 402.0 / (vertices[0] - 1) as f64,
            per_pixel[1].as_f64().unwrap() * 343.0 / (vertices[1] - 1) as f64,
        ];
        let radius = parameter(&file, "look", "radius");
        Some(Scene {
            simulation,
            file,
            vertices,
            spacing,
            radius,
            gpu,
        })
    }

    /// Terrain (m) and snow (units) by vertex.
    pub fn ground(&mut self, height: impl Fn(usize, usize) -> f64, snow: impl Fn(usize, usize) -> u32) {
        let [nx, ny] = self.vertices;
        let heights = (0..nx * ny).flat_map(|i| (height(i % nx, i / nx) as f32).to_le_bytes());
        let units = (0..nx * ny).flat_map(|i| snow(i % nx, i / nx).to_le_bytes());
        self.write("ground.elevation", &heights.collect::<Vec<u8>>());
        self.write("ground.snow", &units.collect::<Vec<u8>>());
    }

    /// The same density of trees everywhere.
    pub fn forest(&mut self, density: f32) {
        let bytes = density.to_le_bytes().repeat(self.vertices[0] * self.vertices[1]);
        self.write("ground.forest", &bytes);
    }

    /// Sets the position (m) and velocity (m/s) of the only flake.
    pub fn flake(&mut self, position: [f64; 3], velocity: [f64; 3]) {
        for (field, value) in [("flakes.position", position), ("flakes.velocity", velocity)] {
            let bytes: Vec<u8> = value.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
            self.write(field, &bytes);
        }
    }

    /// Points the camera, keeping the ground and the flake.
    pub fn look(&mut self, eye: [f64; 3], target: [f64; 3]) -> View {
        let kept = [
            "ground.elevation",
            "ground.snow",
            "ground.forest",
            "flakes.position",
            "flakes.velocity",
        ];
        let state = kept.map(|field| self.simulation.read(field).unwrap());
        let camera = &mut self.file["use"]["draw"]["module"]["parameters"]["camera"];
        camera["eye"] = json!(eye);
        camera["target"] = json!(target);
        self.simulation = build(&self.gpu, &self.file);
        for (field, bytes) in kept.iter().zip(&state) {
            self.write(field, bytes);
        }
        let fov = parameter(&self.file, "camera", "fov");
        let forward = normalize([0, 1, 2].map(|k| target[k] - eye[k]));
        let right = normalize(cross(forward, [0.0, 0.0, 1.0]));
        let focal = 0.5 * SIZE[1] as f64 / (0.5 * fov).to_radians().tan();
        View {
            eye,
            focal,
            axes: [right, cross(forward, right), forward],
        }
    }

    /// Draws a frame and returns a field of it.
    pub fn frame(&mut self, field: &str) -> Vec<u8> {
        self.simulation.frame(true).unwrap();
        self.simulation.finish().unwrap();
        assert!(
            self.simulation.fault().unwrap().is_none(),
            "{:?}",
            self.simulation.fault()
        );
        self.simulation.read(field).unwrap()
    }

    fn write(&mut self, field: &str, bytes: &[u8]) {
        self.simulation.write(field, bytes).unwrap();
    }
}

/// A parameter of the drawing, which may have a range.
fn parameter(file: &Value, group: &str, name: &str) -> f64 {
    let stated = &file["use"]["draw"]["module"]["parameters"][group][name];
    stated.get("value").unwrap_or(stated).as_f64().unwrap()
}

fn build(gpu: &TestGpu, file: &Value) -> Simulation {
    simulation(gpu, pipeline_in(&root().join("pipelines"), file), CHECKED)
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub fn normalize(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}
