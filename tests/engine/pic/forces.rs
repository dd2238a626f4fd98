//! Pressure, drag and wind against what they should be.

use super::*;

/// Depth of a particle in the cube of `side` particles, in cells.
fn depth(x: [f32; 3], side: usize) -> f32 {
    let middle = 0.5 * CELLS as f32 * DX;
    let half = 0.25 * side as f32;
    (0..3)
        .map(|axis| half - (x[axis] - middle).abs() / DX)
        .fold(f32::INFINITY, f32::min)
}

#[test]
fn uniform_gas_stays_at_rest() {
    let Some(gpu) = common::gpu() else { return };
    let side = 20;
    let start = Start::still(cube(side, 0.0)).hot(|_| 1.0);
    let mut file = gas(&start);
    file["parameters"]["gas"]["sound"] = json!(10);
    let mut sim = simulation(&gpu, &file);
    // A step carries what happens at the border three cells on at most.
    advance(&mut sim, 1);
    let speeds = read_vectors(&mut sim, "matter.velocity");
    let (mut still, mut moved) = (0, 0);
    for (x, v) in start.places.iter().zip(&speeds) {
        if depth(*x, side) > 3.0 {
            assert_eq!(*v, [0.0; 3], "at {x:?}");
            still += 1;
        } else if *v != [0.0; 3] {
            moved += 1;
        }
    }
    assert!(still >= 500 && moved > 1000, "{still} {moved}");
    // Control: gas that is not uniform does not.
    let start = start.hot(|x| 0.5 + 0.2 * x[0]);
    let mut file = gas(&start);
    file["parameters"]["gas"]["sound"] = json!(10);
    let mut sim = simulation(&gpu, &file);
    advance(&mut sim, 1);
    let speeds = read_vectors(&mut sim, "matter.velocity");
    let inside = (0..speeds.len()).filter(|i| depth(start.places[*i], side) > 3.0);
    for i in inside {
        // - dt c^2 d(load)/dx / mass; heats are rounded to units.
        let [u, v, w] = speeds[i];
        let expected = -100.0 * 0.2 / 1024.0;
        assert!((u / expected - 1.0).abs() < 5e-3, "{u} for {expected}");
        assert!(
            v.abs() < 1e-3 * expected.abs() && w.abs() < 1e-3 * expected.abs(),
            "{v} {w}"
        );
    }
}

/// Seconds that gas with that speed of sound takes to swing from one end of a channel of so many cells to the other,
/// after it started denser by 5 % at one end, along a cosine.
fn swing(gpu: &Gpu, cells: usize, sound: f32) -> f64 {
    // The velocity is 0 at the first nodes in the walls, half a cell behind their faces. Gas fills the walls two cells
    // deep, so that no node of the channel is beside emptiness.
    let (room, low) = (cells as f32 * DX, 3.0 * DX);
    let (start_x, length) = (low - 0.5 * DX, room + DX);
    let side = 2 * cells + 8;
    let lean = 0.05f32;
    let place = |i: usize| {
        let (x, y, z) = (i % side, i / side % 4, i / side / 4);
        let even = low - 2.0 * DX + 0.5 * DX * (x as f32 + 0.5);
        // Shifts of -lean length / pi sin give density 1 + lean cos(pi x / length).
        let at = ((even - start_x) / length).clamp(0.0, 1.0);
        let shift = -lean / std::f32::consts::PI * (std::f32::consts::PI * at).sin();
        let across = |n: usize| low + 0.5 * DX * (n as f32 + 0.5);
        [even + length * shift, across(y), across(z)]
    };
    let start = Start::still((0..16 * side).map(place).collect()).hot(|_| 1.0);
    let mut file = gas(&start);
    file["parameters"]["gas"]["sound"] = json!(sound);
    file["parameters"]["transfer"]["flip"] = json!(1);
    // Velocity across the channel is zero everywhere.
    file["buffers"]["colliders"] = json!({"type": "vec4", "values": [
        [3, 1, 0, 0], [low + 0.5 * room, low + DX, low + DX, 0], [0.5 * room, 0.25 * DX, 0.25 * DX, 0]]});
    let mut sim = simulation(gpu, &file);
    // The mean velocity goes as sin(pi c t / length): away from the dense end, then back.
    let mut last = 0.0;
    for step in 1..1000 {
        advance(&mut sim, 1);
        let speeds = read_vectors(&mut sim, "matter.velocity");
        let mean = speeds.iter().map(|v| f64::from(v[0])).sum::<f64>() / speeds.len() as f64;
        if mean < 0.0 {
            return (f64::from(step) - 1.0 + last / (last - mean)) / 1024.0;
        }
        last = mean;
    }
    panic!("gas never came back");
}

#[test]
fn density_wave_travels_at_the_speed_of_sound() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(1, 3);
    for (cells, sound) in [(16, 8.0), (10, 8.0), (16, 5.0)] {
        if sweep.skips() {
            continue;
        }
        let time = swing(&gpu, cells, sound);
        // The walls count as half a cell more at each end: the splines of a wall's first node reach into them.
        let found = (cells as f64 + 2.0) * f64::from(DX) / time;
        println!("{cells} cells: {time:.4} s, {found:.3} m/s for {sound}");
        assert!(
            (found / f64::from(sound) - 1.0).abs() < 0.03,
            "{found} for {sound}"
        );
    }
}

#[test]
#[ignore = "long: two piles, 600 steps each"]
fn crowded_debris_resists_compression() {
    let Some(gpu) = common::gpu() else { return };
    // Cold debris falls onto a floor: crowded beyond 10 particles a node it resists.
    let start = Start::still(cube(10, 0.5));
    let heights = |per_cell: f64| {
        let mut file = gas(&start);
        file["parameters"]["gravity"] = json!([0, 0, -9.81]);
        file["parameters"]["gas"]["sound"] = json!(8);
        file["parameters"]["transfer"]["flip"] = json!(0.95);
        file["parameters"]["debris"]["particles_per_cell"] = json!(per_cell);
        let floor = 3.0 * DX;
        // A shaft about the cube.
        let (middle, half) = (0.5 * CELLS as f32 * DX, 2.5 * DX);
        file["buffers"]["colliders"] = json!({"type": "vec4", "values": [
            [3, 1, 0, 0], [middle, middle, floor + 1.0, 0], [half, half, 1, 0]]});
        let mut sim = simulation(&gpu, &file);
        advance(&mut sim, 600);
        let places = read_vectors(&mut sim, "matter.position");
        assert_eq!(read_words(&mut sim, "counters"), [0, 0, 0]);
        places.iter().map(|x| f64::from((x[2] - floor) / DX)).sum::<f64>() / places.len() as f64
    };
    let (piled, flat) = (heights(10.0), heights(4000.0));
    println!("mean height over the floor: {piled:.2} cells, without the resistance {flat:.2}");
    assert!(piled > flat + 0.5, "{piled} {flat}");
}

/// The stages of pic_dissolve.json on the same grid.
fn dust(start: &Start, mean: [f32; 3], gusts: f32, response: f32) -> Value {
    let mut file = gas(start);
    let real = Document::read(&root().join("pipelines/pic_dissolve.json"));
    let pipeline = real.unwrap().value();
    file["step"] = pipeline["step"].clone();
    if let Some(stages) = pipeline.get("stages") {
        file["stages"] = stages.clone();
    }
    file["buffers"]["modes"] = json!({"type": "vec4", "length": 3 * 24});
    file["parameters"]["wind"] =
        json!({"mean": mean, "gusts": gusts, "longest": 1, "shortest": 0.1, "waves": 24});
    file["parameters"]["dust"] = json!({"response": response, "sound": 0});
    let draw = pipeline["init"].as_array().unwrap();
    let draw = draw
        .iter()
        .find(|entry| entry["stage"] == "draw_modes" || **entry == "draw_modes")
        .unwrap()
        .clone();
    file["init"].as_array_mut().unwrap().insert(0, draw);
    let channels = file["grids"]["nodes"]["channels"].as_object_mut().unwrap();
    channels.remove("heat");
    file
}

#[test]
fn dust_reaches_terminal_speed_and_follows_the_wind() {
    let Some(gpu) = common::gpu() else { return };
    let start = Start::still(cube(4, 0.5));
    let mut file = dust(&start, [0.5, -0.25, 0.0], 0.0, 0.02);
    file["parameters"]["gravity"] = json!([0, 0, -9.81]);
    let mut sim = simulation(&gpu, &file);
    let expected = [0.5, -0.25, -9.81 * 0.02];
    let off = |sim: &mut Simulation| {
        let speeds = read_vectors(sim, "matter.velocity");
        speeds
            .iter()
            .flat_map(|v| (0..3).map(|axis| (v[axis] - expected[axis]).abs()))
            .fold(0.0, f32::max)
    };
    // An e-fold takes the response time: 20.5 steps.
    advance(&mut sim, 20);
    let early = off(&mut sim);
    assert!((early / 0.5 - (-20.0f32 / 20.48).exp()).abs() < 0.02, "{early}");
    advance(&mut sim, 280);
    let late = off(&mut sim);
    assert!(late < 1e-4, "{late}");
}

#[test]
fn turbulence_is_divergence_free_with_the_set_strength() {
    let Some(gpu) = common::gpu() else { return };
    let start = Start::still(cube(2, 0.0));
    let file = dust(&start, [0.0; 3], 0.3, 0.01);
    let mut sim = simulation(&gpu, &file);
    let words: Vec<f32> = read_words(&mut sim, "modes")
        .into_iter()
        .map(f32::from_bits)
        .collect();
    let modes: Vec<&[f32]> = words.chunks_exact(12).collect();
    let dot = |a: &[f32], b: &[f32]| (0..3).map(|k| f64::from(a[k]) * f64::from(b[k])).sum::<f64>();
    let mut energy = 0.0;
    for mode in &modes {
        let (k, a, b) = (&mode[0..3], &mode[4..7], &mode[8..11]);
        let size = dot(k, k).sqrt();
        for across in [a, b] {
            assert!(dot(k, across).abs() < 1e-6 * size * dot(across, across).sqrt());
        }
        // The mean of a squared cosine is a half.
        energy += 0.5 * (dot(a, a) + dot(b, b));
        let speed = dot(a, a).sqrt();
        assert!((f64::from(mode[3]).abs() / (size * speed) - 1.0).abs() < 1e-5);
    }
    assert_eq!(modes.len(), 24);
    assert!((energy / (3.0 * 0.09) - 1.0).abs() < 1e-5, "{energy}");
    let wave_length = |mode: &[f32]| std::f64::consts::TAU / dot(&mode[0..3], &mode[0..3]).sqrt();
    assert!((wave_length(modes[0]) - 1.0).abs() < 1e-5 && (wave_length(modes[23]) - 0.1).abs() < 1e-5);
    // Control: the sum would notice a mode less.
    let less =
        energy - 0.5 * (dot(&modes[23][4..7], &modes[23][4..7]) + dot(&modes[23][8..11], &modes[23][8..11]));
    assert!((less / (3.0 * 0.09) - 1.0).abs() > 1e-3);
}
