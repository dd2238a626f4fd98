//! Measurements of the flakes: fall, drift, where new ones appear.

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::Row;
use super::scene::{Scene, hills, plain};
use super::stats;

/// Fall in still air, for wet and dry flakes (v_max 0.5 to 2 m/s) and time steps from 1/240 to 1/15 s.
pub fn still_air(gpu: &Gpu) -> Vec<Row> {
    still_air_at(gpu, &[240, 60, 30, 15])
}

/// The same for some numbers of steps a second.
pub fn still_air_at(gpu: &Gpu, rates: &[u32]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &rate in rates {
        let mut worst = [0.0f64; 2];
        let mut watched = 0;
        for wet in [0, 1] {
            let mut file = plain([0.0, 0.0, 0.0]);
            file["run"]["dt"] = json!(1.0 / f64::from(rate));
            file["parameters"]["flakes"]["wet"] = json!(wet);
            let mut scene = Scene::new(gpu, file);
            let air = scene.air();
            let (low, high) = (air.flakes_low(), air.flakes_high());
            // Settling takes v_max / g, 0.2 s at most: one second is five times that.
            scene.steps(rate as usize);
            let from = scene.flakes();
            scene.steps(3 * rate as usize);
            let to = scene.flakes();
            for i in 0..from.position.len() {
                let z = from.position[i][2];
                // Others have just started at the top, may land, or may leave sideways on their circle of at
                // most 4 m across.
                let inside =
                    |axis: usize| (low[axis] + 5.0..high[axis] - 5.0).contains(&from.position[i][axis]);
                if !(15.0..high[2] - 3.0).contains(&z) || !inside(0) || !inside(1) {
                    continue;
                }
                let v_max = f64::from(from.v_max[i]);
                let descent = f64::from(z - to.position[i][2]) / 3.0;
                worst[0] = worst[0].max((f64::from(-to.velocity[i][2]) / v_max - 1.0).abs());
                worst[1] = worst[1].max((descent / v_max - 1.0).abs());
                watched += 1;
            }
        }
        assert!(watched > 4000, "only {watched} flakes to watch");
        let why = "1 %: z near 100 m is rounded by up to 4e-6 m per step, 0.2 % of the shortest step of the slowest flake";
        rows.push(Row::new(
            format!("dt 1/{rate} s: largest |-v_z / v_max - 1| of {watched} flakes"),
            worst[0],
            0.01,
            why,
        ));
        rows.push(Row::new(
            format!("dt 1/{rate} s: largest |descent / (3 s v_max) - 1|"),
            worst[1],
            0.01,
            why,
        ));
    }
    rows
}

/// Drift with a uniform wind.
pub fn uniform_wind(gpu: &Gpu) -> Vec<Row> {
    let mut rows = Vec::new();
    for speed in [0.0, 5.0, 15.0, 30.0] {
        let wind = [0.8 * speed, -0.6 * speed, 0.0];
        let mut scene = Scene::new(gpu, plain(wind));
        scene.steps(60);
        let flakes = scene.flakes();
        // Above the cell at the ground, whose lower half the wind does not fill.
        let aloft = |i: &usize| flakes.position[*i][2] > 14.0;
        let chosen: Vec<usize> = (0..flakes.position.len()).filter(aloft).collect();
        let mean = |axis: usize| {
            chosen
                .iter()
                .map(|i| f64::from(flakes.velocity[*i][axis]))
                .sum::<f64>()
                / chosen.len() as f64
        };
        let error = (mean(0) - wind[0]).hypot(mean(1) - wind[1]);
        rows.push(Row::new(
            format!("{speed} m/s: |mean horizontal velocity - wind| after 2 s, m/s"),
            error,
            0.01 * speed.max(1.0),
            "1 % of the wind: all flakes have settled except those that started at the top in the last tenth of a second",
        ));
    }
    rows
}

/// Positions of flakes that start at the top or re-enter through a side.
pub fn new_places(gpu: &Gpu) -> Vec<Row> {
    let mut file = hills();
    file["parameters"]["flakes"]["count"] = json!(20_000);
    let mut scene = Scene::new(gpu, file);
    scene.steps(3);
    let air = scene.air();
    let (low, high) = (air.flakes_low(), air.flakes_high());
    let count = scene.flakes().position.len();
    let unit = |x: f32, axis: usize| f64::from((x - low[axis]) / (high[axis] - low[axis]));
    let why = "chi-square that random samples exceed once in 1000 times";

    // Every flake below the ground: all land, all start anew.
    let below =
        |i: usize| [0, 1].map(|axis| low[axis] + (0.5 + (i % 7) as f32) * (high[axis] - low[axis]) / 7.0);
    let buried: Vec<[f32; 3]> = (0..count).map(|i| [below(i)[0], below(i)[1], -50.0]).collect();
    scene.write_vectors("flakes.position", &buried);
    scene.alone("deposit");
    let places = scene.flakes().position;
    let off_top = places.iter().filter(|p| p[2] != high[2]).count();
    let across: Vec<[f64; 2]> = places.iter().map(|p| [unit(p[0], 0), unit(p[1], 1)]).collect();
    let (statistic, critical) = stats::uniform_square(&across, 16);
    let mut rows = vec![
        Row::none(
            format!("of {count} respawned flakes: not at the top"),
            off_top,
            "exact",
        ),
        Row::new(
            "respawn positions in 16 x 16 squares: chi-square",
            statistic,
            critical,
            why,
        ),
    ];

    // Every flake one metre out through the east side, spread along it.
    let outside: Vec<[f32; 3]> = (0..count)
        .map(|i| {
            [
                high[0] + 1.0,
                low[1] + (i as f32 + 0.5) / count as f32 * (high[1] - low[1]),
                60.0,
            ]
        })
        .collect();
    scene.write_vectors("flakes.position", &outside);
    scene.alone("deposit");
    let places = scene.flakes().position;
    let ground = scene.ground();
    let snow_unit = scene.parameter("snow_unit") as f32;
    // The wrapped x carries the rounding of high + 1, of the subtraction and of the product.
    let astray = |p: &&[f32; 3]| (p[0] - low[0] - 1.0).abs() > 1e-3;
    let heights: Vec<f64> = places
        .iter()
        .map(|p| {
            let surface = ground.surface_height([p[0], p[1]], snow_unit);
            f64::from((p[2] - surface) / (high[2] - surface))
        })
        .collect();
    let inside_hill = heights.iter().filter(|h| **h < -1e-6).count();
    let (statistic, critical) = stats::uniform(&heights, 64);
    rows.push(Row::none(
        "flakes 1 m outside a side: not 1 m inside afterwards",
        places.iter().filter(astray).count(),
        "up to 1 mm: each rounding near 300 m is 3e-5 m",
    ));
    rows.push(Row::none(
        "re-entered inside a hill",
        inside_hill,
        "up to rounding",
    ));
    rows.push(Row::new(
        "re-entry heights in 64 bins: chi-square",
        statistic,
        critical,
        why,
    ));
    rows
}

/// A uniform snowfall stays uniform where the wind enters.
pub fn upwind_density(gpu: &Gpu) -> Vec<Row> {
    let mut rows = Vec::new();
    for speed in [8.0, 20.0] {
        let mut file = plain([speed, 0.0, 0.0]);
        file["parameters"]["flakes"]["count"] = json!(40_000);
        file["run"]["dt"] = json!("1/15");
        let mut scene = Scene::new(gpu, file);
        // 98 m of air pass 1.6 or 4 times in 20 s.
        scene.steps(300);
        let air = scene.air();
        let (low, high) = (air.flakes_low(), air.flakes_high());
        let positions = scene.flakes().position;
        let share = |p: &[f32; 3]| {
            // The upwind third, above the lowest cells, whose wind is not uniform.
            let bottom = 14.0;
            let x = 3.0 * f64::from((p[0] - low[0]) / (high[0] - low[0]));
            let z = f64::from((p[2] - bottom) / (high[2] - bottom));
            (x < 1.0 && z >= 0.0).then_some([x, z])
        };
        let upwind: Vec<[f64; 2]> = positions.iter().filter_map(share).collect();
        let (statistic, critical) = stats::uniform_square(&upwind, 8);
        rows.push(Row::new(
            format!(
                "{speed} m/s: density of the upwind third, {} flakes in 8 x 8 bins of x and z: chi-square",
                upwind.len()
            ),
            statistic,
            critical,
            "chi-square that random samples exceed once in 1000 times",
        ));
        let volume = (high[2] - 14.0) / high[2] / 3.0;
        let expected = positions.len() as f64 * f64::from(volume);
        rows.push(Row::new(
            format!("{speed} m/s: |flakes in the upwind third / expected - 1|"),
            (upwind.len() as f64 / expected - 1.0).abs(),
            0.05,
            "5 %: random variation is 0.8 %; slow air near the ground gets more flakes than it loses, which soon restart at the top",
        ));
    }
    rows
}
