//! Twin of the sparks of tests/data/particles.

use super::*;

/// One spark as the words of its attributes: name, age, dead, place, pair.
pub type Spark = [u32; 8];

#[derive(Debug, Clone)]
pub struct Model {
    pub capacity: usize,
    pub births: u32,
    /// Steps from one removal to the next, the first step first; `None` for none.
    pub removes: Option<u32>,
    pub sparks: Vec<Spark>,
    pub refused: u32,
    step: u32,
}

fn make(name: u32) -> Spark {
    let place = [(name & 1023) as f32, (name % 7) as f32, -1.0].map(f32::to_bits);
    [
        name,
        0,
        0,
        place[0],
        place[1],
        place[2],
        name,
        name.wrapping_neg(),
    ]
}

fn age(spark: &mut Spark) {
    let [name, age, dead, _, _, z, a, b] = spark;
    *age += 1;
    *dead = u32::from(*age > 3 + (name.wrapping_mul(2654435761) >> 16) % 7);
    *z = (f32::from_bits(*z) + 1.0).to_bits();
    *a = a.wrapping_add(1);
    *b = b.wrapping_sub(1);
}

impl Model {
    /// The model of a pipeline, from its parameters.
    pub fn of(file: &Value, removes: Option<u32>) -> Model {
        let parameter = |name: &str| file["parameters"][name].as_u64().unwrap() as u32;
        Model {
            capacity: parameter("capacity") as usize,
            births: parameter("births"),
            removes,
            sparks: (0..parameter("start")).map(|i| make(1_000_000 + i)).collect(),
            refused: 0,
            step: 0,
        }
    }

    pub fn step(&mut self) {
        self.sparks.iter_mut().for_each(age);
        if self.removes.is_some_and(|every| self.step.is_multiple_of(every)) {
            self.sparks.retain(|[_, _, dead, ..]| *dead == 0);
        }
        let asked = match self.step % 4 {
            3 => 0,
            _ => self.births * (1 + self.step % 3),
        };
        let born = (self.capacity - self.sparks.len()).min(asked as usize) as u32;
        self.refused += asked - born;
        self.sparks
            .extend((0..born).map(|k| make((self.step + 1) * 10_000 + k)));
        self.step += 1;
    }
}

/// The live particles of the device.
pub fn sparks(simulation: &mut Simulation) -> Vec<Spark> {
    let (count, _) = population(simulation);
    let mut sparks = vec![Spark::default(); count as usize];
    let mut at = 0;
    for (attribute, words) in [("name", 1), ("age", 1), ("dead", 1), ("place", 3), ("pair", 2)] {
        let values = read_words(simulation, &format!("sparks.{attribute}"));
        for (spark, value) in sparks.iter_mut().zip(values.chunks(words)) {
            spark[at..at + words].copy_from_slice(value);
        }
        at += words;
    }
    sparks
}

/// Steps in which device and model differ, each with its reason; they are compared after every `look`-th.
pub fn differences(
    gpu: &Gpu,
    file: &Value,
    options: Options,
    mut model: Model,
    steps: u32,
    look: u32,
) -> Vec<String> {
    let mut simulation = simulation(gpu, file, options);
    let mut found = Vec::new();
    for step in 1..=steps {
        simulation.step(false).unwrap();
        model.step();
        if !step.is_multiple_of(look) {
            continue;
        }
        let (count, refused) = population(&mut simulation);
        if (count as usize, refused) != (model.sparks.len(), model.refused) {
            let (lives, refuses) = (model.sparks.len(), model.refused);
            found.push(format!(
                "step {step}: {count} live, {refused} refused, not {lives}, {refuses}"
            ));
            continue;
        }
        let sparks = sparks(&mut simulation);
        if let Some(i) = (0..sparks.len()).find(|i| sparks[*i] != model.sparks[*i]) {
            found.push(format!(
                "step {step}: spark {i} is {:?}, not {:?}",
                sparks[i], model.sparks[i]
            ));
        }
    }
    simulation.finish().unwrap();
    assert_no_fault(&mut simulation);
    found
}
