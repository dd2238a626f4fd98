//! Conservation in transfers: mass, momentum, angular momentum, and with FLIP each velocity.

use super::*;
use crate::angular_momentum::angular_momentum;

/// Mass and momentum of all nodes.
fn totals(sim: &mut Simulation) -> (u64, [f64; 3]) {
    let mass = read_words(sim, "nodes.mass").into_iter().map(u64::from).sum();
    let momentum = ["nodes.px", "nodes.py", "nodes.pz"].map(|field| {
        read_words(sim, field)
            .into_iter()
            .map(|p| i64::from(p as i32))
            .sum::<i64>() as f64
    });
    (mass, momentum)
}

fn particle_momentum(sim: &mut Simulation) -> [f64; 3] {
    let velocities = read_vectors(sim, "matter.velocity");
    std::array::from_fn(|axis| {
        velocities.iter().map(|v| f64::from(v[axis])).sum::<f64>() * f64::from(UNITS) * f64::from(QUANTA)
    })
}

fn worst(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f64::max)
}

const SHEAR: [[f32; 3]; 3] = [[3.0, 1.0, 0.0], [-2.0, -4.0, 1.0], [0.5, 0.0, 2.0]];

#[test]
fn pic_conserves_mass_exactly_and_momentum_to_quanta() {
    let Some(gpu) = common::gpu() else { return };
    // Hot gas that is sheared and expands: forces are as large as momenta.
    let start = Start::still(cube(8, 0.5))
        .moving([1.3, -0.7, 0.4], SHEAR)
        .hot(|x| x[0].fract());
    let mut cases = common::sweep(2, 4);
    for (flip, apic) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.5, 1.0)] {
        if cases.skips() {
            continue;
        }
        let mut file = gas(&start);
        file["parameters"]["transfer"]["flip"] = json!(flip);
        file["parameters"]["transfer"]["apic"] = json!(apic);
        file["parameters"]["gas"]["sound"] = json!(4);
        let mut sim = simulation(&gpu, &file);
        let n = start.places.len() as f64;
        advance(&mut sim, 1);
        let first = particle_momentum(&mut sim);
        for step in 0..20 {
            let before = particle_momentum(&mut sim);
            advance(&mut sim, 1);
            let (mass, momentum) = totals(&mut sim);
            assert_eq!(mass, u64::from(UNITS) * n as u64, "step {step}");
            // Half a quantum a particle, and the rounding of floats.
            let rounding = n * 6e-8 * f64::from(UNITS) * f64::from(QUANTA) * 4.0;
            let off = worst(momentum, before);
            assert!(off <= 0.5 * n + rounding, "step {step}: {off} quanta");
        }
        let drift = worst(first, particle_momentum(&mut sim));
        println!("flip {flip}, apic {apic}: {drift:.0} quanta in 20 steps");
        assert!(drift <= 20.0 * 27.0 * n / 2.0, "{drift} quanta");
        // Control: the bound is far below what forces did.
        let speeds = read_vectors(&mut sim, "matter.velocity");
        let pushed = (0..speeds.len())
            .map(|i| f64::from((speeds[i][0] - start.velocities[i][0]).abs()))
            .sum::<f64>();
        assert!(pushed * f64::from(UNITS) * f64::from(QUANTA) > 1e3 * 20.0 * 27.0 * n / 2.0);
        assert_eq!(read_words(&mut sim, "counters"), [0, 0, 0]);
    }
}

#[test]
#[ignore = "long: three transfers of a spinning cube"]
fn apic_and_flip_conserve_angular_momentum_and_pic_loses_it() {
    let Some(gpu) = common::gpu() else { return };
    let turning = [[0.0, 5.0, 0.0], [-5.0, 0.0, 0.0], [0.0; 3]];
    let start = Start::still(cube(8, 0.5)).moving([0.0; 3], turning);
    let [pic, apic, flip] = [(0, 0), (0, 1), (1, 0)].map(|(flip, apic)| {
        let mut file = gas(&start);
        file["parameters"]["transfer"]["flip"] = json!(flip);
        file["parameters"]["transfer"]["apic"] = json!(apic);
        let mut sim = simulation(&gpu, &file);
        // Initial values, before any transfer.
        let before = angular_momentum(&mut sim, (CELLS, DX), apic == 1);
        advance(&mut sim, 60);
        angular_momentum(&mut sim, (CELLS, DX), apic == 1) / before
    });
    println!("angular momentum after 60 steps: PIC {pic:.3}, APIC {apic:.6}, FLIP {flip:.6} of what it was");
    assert!((apic - 1.0).abs() < 1e-4, "APIC {apic}");
    assert!((flip - 1.0).abs() < 1e-4, "FLIP {flip}");
    assert!(pic < 0.6, "PIC {pic}");
}

#[test]
fn flip_keeps_velocities_bitwise_without_forces() {
    let Some(gpu) = common::gpu() else { return };
    let mut start = Start::still(cube(6, 0.9));
    let noise = scattered(3 * start.places.len(), 21);
    start.velocities = noise
        .chunks_exact(3)
        .map(|v| [3.0 * v[0], 3.0 * v[1], 3.0 * v[2]])
        .collect();
    let after = |flip: f64| {
        let mut file = gas(&start);
        file["parameters"]["transfer"]["flip"] = json!(flip);
        let mut sim = simulation(&gpu, &file);
        advance(&mut sim, 16);
        assert_ne!(read_vectors(&mut sim, "matter.position"), start.places);
        read_vectors(&mut sim, "matter.velocity")
    };
    assert_eq!(after(1.0), start.velocities);
    // Control: a little of PIC is enough to change them.
    assert_ne!(after(0.99), start.velocities);
}

#[test]
fn flip_pic_blend_is_linear() {
    let Some(gpu) = common::gpu() else { return };
    let start = Start::still(cube(6, 0.9))
        .moving([0.5, 0.0, 0.0], SHEAR)
        .hot(|x| x[1].fract());
    let [pic, flip, mixed] = [0.0, 1.0, 0.75].map(|flip| {
        let mut file = gas(&start);
        file["parameters"]["transfer"]["flip"] = json!(flip);
        file["parameters"]["gas"]["sound"] = json!(5);
        let mut sim = simulation(&gpu, &file);
        advance(&mut sim, 1);
        read_vectors(&mut sim, "matter.velocity")
    });
    let off = |share: f32| {
        let parts = (0..pic.len()).flat_map(|i| {
            let (pic, flip, mixed) = (pic[i], flip[i], mixed[i]);
            (0..3).map(move |axis| ((1.0 - share) * pic[axis] + share * flip[axis] - mixed[axis]).abs())
        });
        parts.fold(0.0, f32::max)
    };
    assert!(off(0.75) < 1e-6, "{}", off(0.75));
    assert!(off(0.7) > 1e-3, "{}", off(0.7));
}

#[test]
fn particles_stay_fixed_until_released() {
    let Some(gpu) = common::gpu() else { return };
    let start = Start::still(cube(4, 0.5)).hot(|_| 1.0);
    let mut file = gas(&start);
    file["parameters"]["gas"]["sound"] = json!(5);
    file["parameters"]["gravity"] = json!([0, 0, -9.81]);
    // In the tenth step the time is 9 dt.
    stage(&mut file, "init", "place")["arguments"]["release"] = json!("9 * dt");
    let mut sim = simulation(&gpu, &file);
    advance(&mut sim, 9);
    assert_eq!(read_vectors(&mut sim, "matter.position"), start.places);
    assert_eq!(read_vectors(&mut sim, "matter.velocity"), start.velocities);
    advance(&mut sim, 1);
    let now = read_vectors(&mut sim, "matter.position");
    assert!(now.iter().zip(&start.places).all(|(now, before)| now != before));
}

#[test]
fn fixed_point_overflow_is_counted() {
    let Some(gpu) = common::gpu() else { return };
    let start = Start::still(cube(4, 0.5)).moving([1.0, 0.0, 0.0], [[0.0; 3]; 3]);
    for (key, value, counted) in [
        ("limit", json!(0.5), [true, false]),
        ("quanta", json!(2000), [false, true]),
    ] {
        let mut file = gas(&start);
        file["parameters"]["transfer"][key] = value;
        let mut sim = simulation(&gpu, &file);
        advance(&mut sim, 1);
        let counters = read_words(&mut sim, "counters");
        assert_eq!([counters[0] > 0, counters[1] > 0], counted, "{key}: {counters:?}");
    }
    // Forces that make particles too fast hold them back.
    let mut file = gas(&start);
    file["parameters"]["gravity"] = json!([0, 0, -20000]);
    let mut sim = simulation(&gpu, &file);
    advance(&mut sim, 1);
    assert_eq!(
        read_words(&mut sim, "counters"),
        [0, 0, start.places.len() as u32]
    );
    let way: Vec<f32> = read_vectors(&mut sim, "matter.position")
        .iter()
        .zip(&start.places)
        .map(|(now, before)| before[2] - now[2])
        .collect();
    assert!(
        way.iter().all(|way| (way - 12.0 / 1024.0).abs() < 1e-6),
        "{way:?}"
    );
}
