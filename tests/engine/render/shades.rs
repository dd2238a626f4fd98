//! Shades of the terrain, colours of the finished picture and depths of balls, against f64 twins of what their kernels
//! state.

use serde_json::json;

use super::super::common::{self, simulation::*};
use super::scene::{cross, normalize};
use super::words;

const VERTICES: [usize; 2] = [23, 19];
const SPACING: [f64; 2] = [4.0, 5.0];
const UNIT: f64 = 0.001;
const SUN: [f64; 3] = [-0.75, 0.55, 0.33];
const SOFTNESS: f64 = 2.5;

/// Terrain and snow as the kernel reads them.
struct Ground {
    elevation: Vec<f32>,
    snow: Vec<u32>,
}

impl Ground {
    fn index(&self, [x, y]: [i64; 2]) -> usize {
        let fold = |at: i64, count: usize| {
            let last = count as i64 - 1;
            (last - (last - at.abs()).abs()).clamp(0, last) as usize
        };
        fold(x, VERTICES[0]) + VERTICES[0] * fold(y, VERTICES[1])
    }

    fn height(&self, vertex: [i64; 2]) -> f64 {
        let i = self.index(vertex);
        f64::from(self.elevation[i]) + f64::from(self.snow[i]) * UNIT
    }

    fn top(&self) -> f64 {
        let all = (0..self.snow.len()).map(|i| f64::from(self.elevation[i]) + f64::from(self.snow[i]) * UNIT);
        all.fold(f64::MIN, f64::max)
    }

    fn between(&self, p: [f64; 2]) -> f64 {
        let v = [0, 1].map(|k| (p[k].floor() as i64).clamp(0, VERTICES[k] as i64 - 2));
        let f = [0, 1].map(|k| p[k] - v[k] as f64);
        let row = |y: i64| (1.0 - f[0]) * self.height([v[0], y]) + f[0] * self.height([v[0] + 1, y]);
        (1.0 - f[1]) * row(v[1]) + f[1] * row(v[1] + 1)
    }

    /// Mean over eight directions of cos^2 of the horizon's angle.
    fn open_sky(&self, [x, y]: [i64; 2]) -> f64 {
        let ways = [
            [1, 0],
            [1, 1],
            [0, 1],
            [-1, 1],
            [-1, 0],
            [-1, -1],
            [0, -1],
            [1, -1],
        ];
        let share = ways.map(|[dx, dy]: [i64; 2]| {
            let run = (dx as f64 * SPACING[0]).hypot(dy as f64 * SPACING[1]);
            let rise =
                |n: i64| (self.height([x + n * dx, y + n * dy]) - self.height([x, y])) / (run * n as f64);
            let steepest = [1, 2, 4, 8, 16, 32].map(rise).into_iter().fold(0.0, f64::max);
            (steepest.atan()).cos().powi(2)
        });
        share.iter().sum::<f64>() / 8.0
    }

    /// The share of the sun above the tightest place of the ray.
    fn sun_share(&self, vertex: [i64; 2], top: f64) -> f64 {
        let flat = SUN[0].hypot(SUN[1]);
        let spacing = SPACING[0].min(SPACING[1]);
        let (mut run, mut clearance) = (spacing, 1.0f64);
        for _ in 0..96 {
            let ray = self.height(vertex) + SUN[2] / flat * run;
            if ray > top {
                break;
            }
            let p = [0, 1].map(|k| {
                let last = VERTICES[k] as f64 - 1.0;
                let at = vertex[k] as f64 + SUN[k] / flat / SPACING[k] * run;
                (last - (last - at.abs()).abs()).clamp(0.0, last)
            });
            clearance = clearance.min((ray - self.between(p)) / run);
            run += spacing.max(0.1 * run);
        }
        let softness = SOFTNESS.to_radians();
        let t = ((clearance + softness) / (2.0 * softness)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }

    /// Depth of snow by a tent over every second of 13 x 13 vertices.
    fn cover(&self, [x, y]: [i64; 2]) -> f64 {
        let mut sum = 0.0;
        for dy in -3i64..=3 {
            for dx in -3i64..=3 {
                let weight = ((4 - dx.abs()) * (4 - dy.abs())) as f64;
                sum += weight * f64::from(self.snow[self.index([x + 2 * dx, y + 2 * dy])]);
            }
        }
        sum * UNIT / 256.0
    }
}

#[test]
fn relief_has_slopes_open_sky_sun_and_snow_of_its_twin() {
    let Some(gpu) = common::gpu() else { return };
    let count = VERTICES[0] * VERTICES[1];
    let at = |i: usize| ((i % VERTICES[0]) as f64, (i / VERTICES[0]) as f64);
    let ground = Ground {
        // A ridge, hollows, and a tower that throws a long shadow.
        elevation: (0..count)
            .map(|i| {
                let (x, y) = at(i);
                let hills = 12.0 * (0.55 * x).sin() * (0.4 * y).cos() + 0.8 * y;
                (hills + if (x, y) == (9.0, 11.0) { 25.0 } else { 0.0 }) as f32
            })
            .collect(),
        snow: (0..count).map(|i| (i * 7919 % 3000) as u32).collect(),
    };
    let code = ((ground.top() + 20_000.0) / 0.125).ceil() as u32;
    let file = json!({
        "run": {"dt": 1},
        "grids": {"ground": {"vertices": VERTICES, "cell_size": SPACING, "channels": {
            "elevation": {"type": "float", "background": 0}, "snow": {"type": "uint", "background": 0}, "relief": "vec4", "cover": "float"}}},
        "buffers": {"summit": {"type": "uint", "values": [code]}},
        "step": [{"stage": "view_relief", "shader": "render/view_relief.comp", "over": "ground",
                  "arguments": {"snow_unit": UNIT, "sun": SUN, "sun_softness": SOFTNESS}}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[]), CHECKED);
    write_floats(&mut sim, "ground.elevation", &ground.elevation);
    let snow: Vec<u8> = ground.snow.iter().flat_map(|units| units.to_le_bytes()).collect();
    sim.write("ground.snow", &snow).unwrap();
    advance(&mut sim, 1);
    let (relief, cover) = (
        read_doubles(&mut sim, "ground.relief"),
        read_doubles(&mut sim, "ground.cover"),
    );
    let top = f64::from(code) * 0.125 - 20_000.0;
    let [mut shaded, mut half, mut hollow] = [0; 3];
    for i in 0..count {
        let v = [(i % VERTICES[0]) as i64, (i / VERTICES[0]) as i64];
        let slope = [0, 1].map(|k| {
            let (mut low, mut high) = (v, v);
            low[k] = (v[k] - 1).max(0);
            high[k] = (v[k] + 1).min(VERTICES[k] as i64 - 1);
            (ground.height(high) - ground.height(low)) / ((high[k] - low[k]) as f64 * SPACING[k])
        });
        let expected = [slope[0], slope[1], ground.open_sky(v), ground.sun_share(v, top)];
        for (k, expected) in expected.iter().enumerate() {
            let found = relief[4 * i + k];
            assert!((found - expected).abs() < 2e-4, "{v:?}, {k}: {found} {expected}");
        }
        assert!(
            (cover[i] - ground.cover(v)).abs() < 1e-5,
            "{v:?}: {} {}",
            cover[i],
            ground.cover(v)
        );
        shaded += usize::from(expected[3] < 0.01);
        half += usize::from((0.05..0.95).contains(&expected[3]));
        hollow += usize::from(expected[2] < 0.8);
    }
    assert!(
        shaded > 20 && half > 10 && hollow > 20,
        "{shaded} {half} {hollow}"
    );
}

const SIZE: [usize; 2] = [96, 72];
const EYE: [f64; 3] = [1.0, 2.0, 3.0];
const TARGET: [f64; 3] = [-6.0, 7.5, 2.0];
const FOV: f64 = 40.0;

/// A point of the picture plane at distance 1: right, down, and what they are in the world.
fn plane(pixel: usize) -> ([f64; 2], [[f64; 3]; 3], f64) {
    let forward = normalize([0, 1, 2].map(|k| TARGET[k] - EYE[k]));
    let right = normalize(cross(forward, [0.0, 0.0, 1.0]));
    let focal = 0.5 * SIZE[1] as f64 / (0.5 * FOV).to_radians().tan();
    let at = [pixel % SIZE[0], pixel / SIZE[0]];
    let at = [0, 1].map(|k| (at[k] as f64 + 0.5 - 0.5 * SIZE[k] as f64) / focal);
    (at, [right, cross(forward, right), forward], focal)
}

fn ray(pixel: usize) -> [f64; 3] {
    let ([x, y], [right, down, forward], _) = plane(pixel);
    normalize([0, 1, 2].map(|k| forward[k] + x * right[k] + y * down[k]))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn brightness(light: [f64; 3]) -> f64 {
    let level = dot(light, [0.2126, 0.7152, 0.0722]);
    level / (1.0 + level)
}

fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Narkowicz's curve, then IEC 61966-2-1, of 0 to 255.
fn developed(x: f64) -> f64 {
    let x = (x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0);
    255.0
        * if x > 0.003_130_8 {
            1.055 * x.powf(1.0 / 2.4) - 0.055
        } else {
            12.92 * x
        }
}

/// The radiance of a pixel, blended with its four neighbours where it stands out.
fn smoothed(radiance: &[[f64; 3]], pixel: usize) -> [f64; 3] {
    let (x, y) = (pixel % SIZE[0], pixel / SIZE[0]);
    let at = |x: usize, y: usize| radiance[x + SIZE[0] * y];
    let around = [
        at(x.saturating_sub(1), y),
        at((x + 1).min(SIZE[0] - 1), y),
        at(x, y.saturating_sub(1)),
        at(x, (y + 1).min(SIZE[1] - 1)),
    ];
    let here = radiance[pixel];
    let levels = around.map(brightness);
    let m = brightness(here);
    let (low, high) = levels
        .iter()
        .fold((m, m), |(low, high), level| (low.min(*level), high.max(*level)));
    let off = (levels.iter().sum::<f64>() / 4.0 - m).abs() / (high - low).max(1e-4);
    let blend = 0.6 * smoothstep(0.0, 1.0, off) * smoothstep(0.02, 0.06, high - low);
    [0, 1, 2]
        .map(|k| (1.0 - blend) * here[k] + blend * around.iter().map(|light| light[k]).sum::<f64>() / 4.0)
}

#[test]
fn composed_colours_match_their_twin_to_a_level() {
    let Some(gpu) = common::gpu() else { return };
    let count = SIZE[0] * SIZE[1];
    let (flake, sun_light) = ([0.62, 0.66, 0.72], [1.6, 1.4, 1.1]);
    let (exposure, vignette) = (0.85, 0.5);
    // Edges, single bright pixels, and slow ramps in three colours.
    let radiance: Vec<[f64; 3]> = (0..count)
        .map(|i| {
            let (x, y) = ((i % SIZE[0]) as f64, (i / SIZE[0]) as f64);
            let edge = if x + y > 20.0 { 0.3 } else { 0.0 };
            let spot = if i % 37 == 0 { 0.5 } else { 0.0 };
            [0.01 * x + edge, 0.02 * y + edge + spot, 0.2 + spot].map(|level| f64::from(level as f32))
        })
        .collect();
    let light: Vec<u32> = (0..count)
        .map(|i| if i % 3 == 0 { (i * 131) as u32 } else { 0 })
        .collect();
    let file = json!({
        "run": {"dt": 1},
        "grids": {"view": {"pixels": SIZE, "channels": {"radiance": {"type": "vec3", "background": 0}, "light": {"type": "uint", "background": 0}, "color": "rgba8"}}},
        "step": [{"stage": "view_compose", "shader": "render/view_compose.comp", "over": "view", "arguments": {
            "eye": EYE, "target": TARGET, "up": [0, 0, 1], "fov": FOV, "eye_offset": 0, "sun": SUN, "sun_light": sun_light,
            "flake": flake, "brightness": exposure, "vignette": vignette}}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let flat: Vec<f32> = radiance.as_flattened().iter().map(|x| *x as f32).collect();
    write_floats(&mut sim, "view.radiance", &flat);
    let bytes: Vec<u8> = light.iter().flat_map(|units| units.to_le_bytes()).collect();
    sim.write("view.light", &bytes).unwrap();
    advance(&mut sim, 1);
    let colors = sim.read("view.color").unwrap();
    let sun = normalize(SUN);
    let mut mean = 0.0;
    for pixel in 0..count {
        let towards = dot(ray(pixel), sun).max(0.0);
        let cover = 1.0 - (-f64::from(light[pixel]) / 16384.0).exp();
        let smooth = smoothed(&radiance, pixel);
        let off = [0, 1].map(|k| {
            let at = [pixel % SIZE[0], pixel / SIZE[0]][k] as f64 + 0.5;
            at / (0.5 * SIZE[k] as f64) - 1.0
        });
        let dim = exposure * (1.0 - vignette * 0.5 * (off[0] * off[0] + off[1] * off[1]));
        for k in 0..3 {
            let snow = flake[k] + sun_light[k] * (0.15 * towards + 0.25 * towards.powi(8));
            let expected = developed(dim * ((1.0 - cover) * smooth[k] + cover * snow));
            let apart = f64::from(colors[4 * pixel + k]) - expected;
            // Half a level of dither, half a level of rounding.
            assert!(
                apart.abs() < 1.01,
                "pixel {pixel}, {k}: off by {apart} of {expected}"
            );
            mean += apart / (3 * count) as f64;
        }
        assert_eq!(colors[4 * pixel + 3], 255);
    }
    assert!(mean.abs() < 0.05, "dither moves the mean by {mean}");
}

#[test]
fn ball_depth_is_that_of_a_sphere() {
    let Some(gpu) = common::gpu() else { return };
    let (radius, reach) = (1.0, 40.0);
    let ([_, _], [right, down, forward], focal) = plane(0);
    let middle = [0.37, -0.22, 18.0];
    let world = |from: [f64; 3]| {
        [0, 1, 2].map(|k| EYE[k] + from[0] * right[k] + from[1] * down[k] + from[2] * forward[k])
    };
    // The second is behind the first, the third behind the eye, the fourth too near.
    let places = [middle, [0.37, -0.22, 22.0], [0.0, 0.0, -9.0], [0.0, 0.0, 3.9]].map(world);
    let file = json!({
        "run": {"dt": 1},
        "grids": {"view": {"pixels": SIZE, "channels": {"near": {"type": "uint", "background": 4_294_967_295u32}}}},
        "particles": {"matter": {"count": 4, "ring": 1, "attributes": {
            "position": {"type": "vec3", "background": 0}, "velocity": {"type": "vec3", "background": 0}, "number": {"type": "uint", "background": 0}}}},
        "step": [{"stage": "view_points", "shader": "render/view_points.comp", "over": "matter", "arguments": {
            "eye": EYE, "target": TARGET, "up": [0, 0, 1], "fov": FOV, "eye_offset": 0,
            "radius": radius, "uneven": 0, "reach": reach, "tint": [0, 0.75, 2]}}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let flat: Vec<f32> = places.as_flattened().iter().map(|x| *x as f32).collect();
    write_floats(&mut sim, "matter.position", &flat);
    // A speed of 1 m/s: half of 0.75.
    write_floats(&mut sim, "matter.velocity", &[0.6, 0.0, -0.8].repeat(4));
    advance(&mut sim, 1);
    let keys = words(&sim.read("view.near").unwrap());
    let mut seen = 0;
    for (pixel, key) in keys.iter().enumerate() {
        let ray = ray(pixel);
        let away = [0, 1, 2].map(|k| EYE[k] - places[0][k]);
        let along = dot(ray, away);
        let under = along * along - dot(away, away) + radius * radius;
        let depth = (f64::from(key >> 12) + 0.5) / 1_048_575.0 * reach;
        // The outline differs by the ball's share of its distance.
        if under > 0.2 * radius * radius {
            let exact = (-along - under.sqrt()) * dot(ray, forward);
            assert!(
                (depth - exact).abs() < 0.1 * radius,
                "pixel {pixel}: {depth} m, {exact} m"
            );
            assert_eq!(key & 4095, (0.375 * 4095.0) as u32);
            seen += 1;
        } else if under < -0.2 * radius * radius {
            assert_eq!(*key, u32::MAX, "pixel {pixel}");
        }
    }
    // The disc's area in pixels.
    let disc = std::f64::consts::PI * (focal * radius / middle[2]).powi(2);
    assert!((seen as f64) > 0.6 * disc, "{seen} of {disc} pixels");
}
