//! Losses of transfers: velocities that the grid does not resolve, and angular momentum.

use super::*;
use crate::angular_momentum::angular_momentum;

/// The largest change of a velocity by a step without forces, of velocities that the grid does not resolve.
fn filtered(gpu: &Gpu, flip: f32) -> f32 {
    let places = cube(8);
    let velocities = scattered(3 * places.len(), 13);
    let mut file = free("water", places.len());
    let matter = file["particles"]["matter"].as_object_mut().unwrap();
    matter.remove("ring");
    matter["attributes"]["number"] = json!("uint");
    file["use"]["transfer"]["parameters"]["flip"] = json!(flip);
    file["step"] = json!(["transfer.sort", "transfer.step"]);
    let mut sim = simulation(gpu, &file);
    write_floats(&mut sim, "matter.position", places.as_flattened());
    write_floats(&mut sim, "matter.velocity", &velocities);
    advance(&mut sim, 1);
    let numbers = read_words(&mut sim, "matter.number");
    let found = read_vectors(&mut sim, "matter.velocity");
    let mut largest = 0.0f32;
    for (number, velocity) in numbers.into_iter().zip(found) {
        for (axis, v) in velocity.into_iter().enumerate() {
            largest = largest.max((v - velocities[3 * number as usize + axis]).abs());
        }
    }
    largest
}

#[test]
fn flip_without_forces_keeps_velocities() {
    let Some(gpu) = common::gpu() else { return };
    // 27 roundings of up to 1 m/s.
    let change = filtered(&gpu, 1.0);
    assert!(change < 27.0 * 1.2e-7, "{change:e} m/s");
    let change = filtered(&gpu, 0.0);
    assert!(change > 0.5, "control, no FLIP: {change} m/s");
}

#[test]
fn apic_conserves_angular_momentum_and_pic_loses_it() {
    let Some(gpu) = common::gpu() else { return };
    let places = cube(12);
    let turning = [[0.0, 5.0, 0.0], [-5.0, 0.0, 0.0], [0.0; 3]];
    let [apic, pic] = [1, 0].map(|apic| {
        let mut file = free("jelly", places.len());
        file["use"]["transfer"]["parameters"]["apic"] = json!(apic);
        let mut sim = simulation(&gpu, &file);
        place(&mut sim, &places, [0.0; 3], turning);
        let before = angular_momentum(&mut sim, (CELLS, DX), apic == 1);
        (0..100).for_each(|_| sim.step(false).unwrap());
        angular_momentum(&mut sim, (CELLS, DX), apic == 1) / before
    });
    println!("angular momentum after 100 steps: APIC {apic:.6}, PIC {pic:.3} of what it was");
    assert!((apic - 1.0).abs() < 1e-4, "{apic}");
    assert!(pic.abs() < 0.6, "{pic}");
}
