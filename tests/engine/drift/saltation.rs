//! Grains that hop over a bed: a ballistic path, a twin in double precision, momentum, and no grain lost.

use std::f64::consts::PI;

use sastrugi::gpu::Gpu;
use sastrugi::particles::live;
use sastrugi::run::{Options, Simulation};
use serde_json::{Value, json};

use super::super::common::{self, simulation::*};
use super::super::reference::random::random4;
use super::GRAVITY;

const DT: f64 = 5e-4;
const SEED: u32 = 7;
const RESTING: u32 = 1_000_000;

/// Grains on a lattice of a box, with this velocity, over a bed of a million.
fn file(parameters: Value, source: Value, velocity: Value) -> Value {
    let mut given = json!({"resting": RESTING, "remove_every": 1});
    for (key, value) in parameters.as_object().unwrap() {
        given[key] = value.clone();
    }
    let mut source = source;
    source["set"] = json!({"velocity": velocity});
    json!({
        "run": {"dt": DT, "seed": SEED},
        "use": {"salt": {"module": "modules/saltation.json", "roles": {"grains": "grains"}, "parameters": given}},
        "particles": {"grains": {"capacity": 4096, "from": [source],
            "attributes": {"position": "vec3", "velocity": "vec3"}}},
        "init": ["salt.init"],
        "step": ["salt.step"]
    })
}

fn start(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    simulation(gpu, pipeline_in(&root().join("pipelines"), file), options)
}

fn vectors(sim: &mut Simulation, field: &str) -> Vec<[f64; 3]> {
    let count = read_words(sim, "grains_live")[live::COUNT] as usize;
    let values = read_vectors(sim, field);
    values[..count].iter().map(|v| v.map(f64::from)).collect()
}

fn bed(sim: &mut Simulation) -> u32 {
    read_words(sim, "salt.bed")[0]
}

/// In air without weight, a grain that leaves the bed with (2, 0, 1) m/s flies a parabola: it rises v²/2g, comes back after
/// 2 v/g and rests, 0.408 m farther. In air, it does neither.
#[test]
fn grain_without_air_flies_a_parabola() {
    let Some(gpu) = common::gpu() else { return };
    for density in [1e-9, 1.2] {
        let parameters = json!({"u_star": 0, "size": [10, 0.02], "air": {"air_density": density},
            "rebound": {"chance": 0}, "ejection": {"energy_lost": 1}, "remove_every": 1000});
        let source = json!({"box": [[0, 0, -0.01], [0.02, 0.02, 0.01]], "spacing": 0.02});
        let mut sim = start(&gpu, &file(parameters, source, json!([2, 0, 1])), CHECKED);
        let wanted = (2.0 * 2.0 / GRAVITY, 0.5 / GRAVITY);
        advance(&mut sim, (1.0 / GRAVITY / DT).round() as usize);
        let height = vectors(&mut sim, "grains.position")[0][2];
        advance(&mut sim, (1.1 / GRAVITY / DT).round() as usize);
        let length = vectors(&mut sim, "grains.position")[0][0] - 0.01;
        let close =
            |found: f64, wanted: f64| (found / wanted - 1.0).abs() < if density < 1.0 { 1e-4 } else { 0.01 };
        let found = (close(length, wanted.0), close(height, wanted.1));
        let is_free = density < 1.0;
        assert_eq!(found, (is_free, is_free), "{density}: {length}, {height}");
        assert_eq!(bed(&mut sim), RESTING + u32::from(is_free || height < 0.04));
        let hops: u32 = read_words(&mut sim, "salt.hop_lengths").iter().sum();
        assert_eq!(hops, bed(&mut sim) - RESTING);
    }
}

/// The kernels in double precision, with the same random numbers.
struct Twin {
    u_star: f64,
    size: [f64; 2],
    restitution: f64,
    wind: Vec<f64>,
    /// Position and velocity.
    grains: Vec<[[f64; 3]; 2]>,
    bed: u32,
}

const LEVELS: usize = 32;
const DIAMETER: f64 = 2e-4;
const ICE: f64 = 917.0;
const AIR: f64 = 1.2;
const VISCOSITY: f64 = 1.5e-5;

fn mass() -> f64 {
    PI / 6.0 * ICE * DIAMETER.powi(3)
}

fn level_height() -> f64 {
    (1.0 / (DIAMETER / 30.0)).ln() / LEVELS as f64
}

fn levels_below(z: f64) -> f64 {
    (z * 30.0 / DIAMETER).max(1.0).ln() / level_height()
}

fn angle(mean: f64, random: f64) -> f64 {
    -mean.to_radians() * (1.0 - random * (1.0 - (-90.0 / mean).exp())).ln()
}

fn random(element: usize, when: u32, purpose: u32) -> [f64; 4] {
    random4(element as u32, when, purpose, SEED).map(f64::from)
}

impl Twin {
    fn wind_at(&self, z: f64) -> f64 {
        let place = levels_below(z) - 0.5;
        if place < 0.0 {
            return self.wind[0] * (place + 0.5) / 0.5;
        }
        let level = (place as usize).min(LEVELS - 2);
        let part = (place - level as f64).min(1.0);
        self.wind[level] * (1.0 - part) + self.wind[level + 1] * part
    }

    /// Grains that an impact ejects, and their mean speed.
    fn ejecta(&self, velocity: [f64; 3]) -> (f64, f64, f64) {
        let speed = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        let chance = 0.9 * (1.0 - (-2.0 * speed).exp());
        let mean = 0.25 * speed.powf(0.3);
        let energy = (1.0 - chance * self.restitution.powi(2)) * 0.04 * 0.5 * mass() * speed * speed
            / (mass() * mean * mean + 1e-10);
        let momentum = (0.6 - chance * self.restitution) * velocity[0] / (mean * 50.0_f64.to_radians().cos());
        (energy.min(momentum).max(0.0), mean, chance)
    }

    fn step(&mut self, when: u32) {
        let mut impulse = vec![0.0; LEVELS];
        let mut kept = Vec::new();
        let mut sources = Vec::new();
        for (i, [mut position, velocity]) in self.grains.clone().into_iter().enumerate() {
            let air = [self.wind_at(position[2]), 0.0, 0.0];
            let apart = (0..3).map(|k| (air[k] - velocity[k]).powi(2)).sum::<f64>().sqrt();
            let drag = 18.0 * VISCOSITY * AIR / (ICE * DIAMETER * DIAMETER)
                * (1.0 + 0.15 * (apart * DIAMETER / VISCOSITY).powf(0.687));
            let pull = [0.0, 0.0, -GRAVITY];
            let next = [0, 1, 2].map(|k| (velocity[k] + DT * (drag * air[k] + pull[k])) / (1.0 + DT * drag));
            impulse[(levels_below(position[2]) as usize).min(LEVELS - 1)] += next[0] - velocity[0];
            let way = [0, 1, 2].map(|k| 0.5 * DT * (velocity[k] + next[k]));
            let hits = position[2] + way[2] <= 0.0;
            let part = if hits { position[2] / -way[2] } else { 1.0 };
            (0..3).for_each(|k| position[k] += part * way[k]);
            (0..2).for_each(|k| position[k] = position[k].rem_euclid(self.size[k]));
            let velocity = [0, 1, 2].map(|k| velocity[k] * (1.0 - part) + next[k] * part);
            if !hits {
                kept.push([position, velocity]);
                continue;
            }
            position[2] = 0.0;
            let draw = random(i, when, 41);
            let (number, mean, chance) = self.ejecta(velocity);
            sources.extend(std::iter::repeat_n((position, mean), (number + draw[2]) as usize));
            if draw[0] < chance {
                let speed = self.restitution * velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
                let angle = angle(40.0, draw[1]);
                kept.push([position, [speed * angle.cos(), 0.0, speed * angle.sin()]]);
            } else {
                self.bed += 1;
            }
        }
        let friction = self.blow(&impulse);
        let rate = 1.5 / (8.0 * PI * DIAMETER * DIAMETER) * AIR * (friction.powi(2) - 0.04).max(0.0);
        let lifted = (rate * self.size[0] * self.size[1] * DT + random(0, when, 43)[0]) as usize;
        for number in 0..sources.len() + lifted {
            let draw = random(number, when, 44);
            kept.push(match sources.get(number) {
                Some((position, mean)) => {
                    let (angle, speed) = (angle(50.0, draw[0]), -mean * (1.0 - draw[1]).ln());
                    [*position, [speed * angle.cos(), 0.0, speed * angle.sin()]]
                }
                None => [
                    [self.size[0] * draw[0], self.size[1] * draw[1], 0.0],
                    [0.0, 0.0, (2.0 * GRAVITY * DIAMETER).sqrt()],
                ],
            });
            self.bed -= 1;
        }
        self.grains = kept;
    }

    /// The wind after a step, by elimination in a dense matrix; returns the friction velocity of the bed.
    fn blow(&mut self, impulse: &[f64]) -> f64 {
        let (level, area) = (level_height(), self.size[0] * self.size[1]);
        let edge = |k: usize| DIAMETER / 30.0 * (k as f64 * level).exp();
        let bed = (0.4 / (0.5 * level)).powi(2) * self.wind[0].abs();
        let mut rows = vec![vec![0.0; LEVELS + 1]; LEVELS];
        for (k, taken) in impulse.iter().enumerate() {
            let inertia = (edge(k + 1) - edge(k)) / DT;
            rows[k][k] += inertia;
            rows[k][LEVELS] += inertia * self.wind[k] - mass() * taken / (AIR * area * DT);
            if k + 1 < LEVELS {
                let exchange = (0.4 / level).powi(2) * (self.wind[k + 1] - self.wind[k]).abs();
                rows[k][k] += exchange;
                rows[k][k + 1] -= exchange;
                rows[k + 1][k + 1] += exchange;
                rows[k + 1][k] -= exchange;
            }
        }
        rows[0][0] += bed;
        rows[LEVELS - 1][LEVELS] += self.u_star * self.u_star;
        for k in 0..LEVELS {
            let pivot = rows[k].clone();
            for row in rows.iter_mut().skip(k + 1) {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
            }
        }
        for k in (0..LEVELS).rev() {
            let known: f64 = (k + 1..LEVELS).map(|j| rows[k][j] * self.wind[j]).sum();
            self.wind[k] = (rows[k][LEVELS] - known) / rows[k][k];
        }
        (bed * self.wind[0]).max(0.0).sqrt()
    }
}

/// Forty grains fall into a strong wind over a bed; for 120 steps, with impacts, ejecta and entrainment, grains and wind are
/// those of the twin. With another restitution they are not.
#[test]
fn hopping_grains_equal_their_twin() {
    let Some(gpu) = common::gpu() else { return };
    let parameters = json!({"u_star": 0.5, "size": [0.1, 0.02], "levels": LEVELS});
    let source = json!({"box": [[0, 0, 0], [0.1, 0.02, 0.02]], "spacing": 0.01});
    let file = file(parameters, source, json!(["1 + 20 * z", "0", "-0.5"]));
    let mut sim = start(&gpu, &file, CHECKED);
    advance(&mut sim, 1);
    let [positions, velocities] =
        ["grains.position", "grains.velocity"].map(|field| vectors(&mut sim, field));
    let first = |restitution: f64, sim: &mut Simulation| Twin {
        u_star: 0.5,
        size: [0.1, 0.02],
        restitution,
        wind: read_doubles(sim, "salt.wind"),
        grains: (positions.iter().zip(&velocities))
            .map(|(p, v)| [*p, *v])
            .collect(),
        bed: bed(sim),
    };
    let mut twin = first(0.5, &mut sim);
    let mut other = first(0.55, &mut sim);
    let hops: u32 = read_words(&mut sim, "salt.hop_lengths").iter().sum();
    for when in 1..=120 {
        advance(&mut sim, 1);
        twin.step(when);
        other.step(when);
        let found = vectors(&mut sim, "grains.position");
        let apart = |twin: &Twin| {
            let each = found.iter().zip(&twin.grains).map(|(a, [b, _])| {
                let [x, y] = [0, 1].map(|k| {
                    let away = (a[k] - b[k]).abs();
                    away.min(twin.size[k] - away)
                });
                x.max(y).max((a[2] - b[2]).abs())
            });
            each.fold(0.0, f64::max)
        };
        assert_eq!(
            (found.len(), bed(&mut sim)),
            (twin.grains.len(), twin.bed),
            "step {when}"
        );
        assert!(apart(&twin) < 2e-5, "step {when}: {}", apart(&twin));
        let wind = read_doubles(&mut sim, "salt.wind");
        let gusts = wind.iter().zip(&twin.wind).map(|(a, b)| (a - b).abs());
        assert!(gusts.fold(0.0, f64::max) < 2e-4, "step {when}");
        if when == 120 {
            assert!(
                other.grains.len() != found.len() || apart(&other) > 1e-3,
                "control"
            );
        }
    }
    let more: u32 = read_words(&mut sim, "salt.hop_lengths").iter().sum();
    assert!(more - hops > 60, "{more} impacts");
}

/// The momentum that grains gain is what the air loses: over a step, that of the air changes by u*² at the top, the friction
/// of the bed and the grains.
#[test]
fn grains_gain_what_air_loses() {
    let Some(gpu) = common::gpu() else { return };
    let parameters = json!({"u_star": 0.5, "size": [0.01, 0.002], "levels": 16, "top": 0.1});
    let source = json!({"box": [[0, 0, 0.05], [0.01, 0.002, 0.09]], "spacing": 0.002});
    let mut sim = start(&gpu, &file(parameters, source, json!([0, 0, 0])), CHECKED);
    let state = |sim: &mut Simulation| {
        let edge = |k: usize| DIAMETER / 30.0 * (0.1 * 30.0 / DIAMETER).powf(k as f64 / 16.0);
        let wind = read_doubles(sim, "salt.wind");
        let air: f64 = (0..16).map(|k| (edge(k + 1) - edge(k)) * wind[k]).sum();
        let grains: f64 = vectors(sim, "grains.velocity")[..100].iter().map(|v| v[0]).sum();
        (
            air,
            grains * mass() / (AIR * 2e-5),
            read_doubles(sim, "salt.friction")[0],
        )
    };
    advance(&mut sim, 1);
    let before = state(&mut sim);
    for _ in 0..10 {
        advance(&mut sim, 1);
    }
    let after = state(&mut sim);
    let friction = 0.5 * (before.2.powi(2) + after.2.powi(2));
    let outside = 10.0 * DT * (0.25 - friction);
    let [air, grains] = [after.0 - before.0, after.1 - before.1];
    assert!(grains > 1e-3, "{grains}");
    assert!(
        (air + grains - outside).abs() < 0.01 * grains,
        "{air} + {grains}, {outside}"
    );
    assert!((air - outside).abs() > 0.5 * grains, "control: without grains");
}

/// Grains in the air and on the bed are as many in every step, as many as they become; one that another stage takes away is
/// missed.
#[test]
fn no_hopping_grain_is_lost() {
    let Some(gpu) = common::gpu() else { return };
    for planted in [false, true] {
        let parameters = json!({"u_star": 0.6, "size": [0.1, 0.02], "inertia": 0.1, "remove_every": 4});
        let source = json!({"box": [[0, 0, 0], [0.1, 0.02, 0.02]], "spacing": 0.01});
        let mut file = file(parameters, source, json!([1, 0, -0.5]));
        if planted {
            file["step"] = json!(["salt.step", {"stage": "lose", "over": 1, "reads": ["salt.bed"], "writes": ["salt.bed"]}]);
        }
        let body = "void stage(uint i) { set_salt_bed(0u, salt_bed(0u) - uint(clock.step == 99u)); }";
        let pipeline = resolve(&root().join("pipelines"), &file, &kernels(&[("lose.comp", body)])).unwrap();
        let mut sim = simulation(&gpu, pipeline, Options::PLAIN);
        let mut most = 0;
        for step in 1..=40 {
            advance(&mut sim, 10);
            let count = read_words(&mut sim, "grains_live")[live::COUNT];
            let spent: u32 = read_words(&mut sim, "salt.grains.spent")[..count as usize]
                .iter()
                .sum();
            let all = count - spent + bed(&mut sim);
            assert_eq!(
                all + u32::from(planted && step >= 10),
                RESTING + 40,
                "step {step}"
            );
            most = most.max(count - spent);
        }
        assert!(most > 400, "{most} grains");
    }
}

/// Wind below the threshold lifts no grain; above it, it does.
#[test]
fn wind_lifts_grains_above_the_threshold() {
    let Some(gpu) = common::gpu() else { return };
    for (u_star, moves) in [(0.19, false), (0.25, true)] {
        let parameters = json!({"u_star": u_star, "size": [0.1, 0.02]});
        let source = json!({"box": [[0, 0, -0.01], [0.02, 0.02, 0.01]], "spacing": 0.02});
        let mut sim = start(&gpu, &file(parameters, source, json!([0, 0, 0])), Options::PLAIN);
        advance(&mut sim, 60);
        let count = read_words(&mut sim, "grains_live")[live::COUNT];
        assert_eq!(count > 0, moves, "{u_star}: {count} grains");
    }
}
