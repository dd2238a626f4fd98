//! Blocks of the grid: all that particles need are there, and where they lie makes no difference.

use super::*;
use sastrugi::run::fault::FaultKind;

fn hot_cube() -> Start {
    Start::still(cube(8, 0.5))
        .moving([2.0, -1.0, 0.5], [[0.0, 4.0, 0.0], [-4.0, 0.0, 0.0], [0.0; 3]])
        .hot(|x| x[2].fract())
}

/// The same over a dense grid, which has no blocks to ask for.
fn over_a_dense_grid(file: &mut Value) {
    let grid = file["grids"]["nodes"].as_object_mut().unwrap();
    grid.remove("sparse");
    for list in ["init", "step"] {
        let entries = file[list].as_array_mut().unwrap();
        let is_of_blocks = |entry: &Value| {
            let text = entry.to_string();
            text.contains("update_grid") || text.contains("request_nodes")
        };
        entries.retain(|entry| !is_of_blocks(entry));
    }
    let g2p = stage(file, "step", "g2p");
    g2p["shader"] = json!("pic/g2p.comp");
}

#[test]
fn sparse_grid_equals_dense_grid_bitwise() {
    let Some(gpu) = common::gpu() else { return };
    let residency = gpu.report().sparse.binding && gpu.report().sparse.residency_buffer;
    let start = hot_cube();
    let state = |paging: &str, sound: f64| {
        let mut file = gas(&start);
        file["parameters"]["gas"]["sound"] = json!(sound);
        file["parameters"]["transfer"]["flip"] = json!(0.9);
        file["parameters"]["transfer"]["apic"] = json!(1);
        file["grids"]["nodes"]["sparse"]["paging"] = json!(paging);
        if paging == "none" {
            over_a_dense_grid(&mut file);
        }
        let mut sim = simulation(&gpu, &file);
        advance(&mut sim, 20);
        [
            "matter.position",
            "matter.velocity",
            "matter.affine",
            "nodes.mass",
            "nodes.velocity",
        ]
        .map(|field| sim.read(field).unwrap())
    };
    let expected = state("none", 9.0);
    for paging in ["dense", "table", "sparse"] {
        if paging != "sparse" || residency {
            assert!(state(paging, 9.0) == expected, "{paging}");
        }
    }
    assert!(state("table", 9.1) != expected, "another gas is the same");
}

/// Particles that cross the grid at the limit in several directions, and how many updates a step there are. The fault of
/// a run until they have crossed.
fn cross(gpu: &Gpu, every: u32, latency: u32, reach: Option<u32>) -> Option<FaultKind> {
    let limit = 14.4f32; // 0.9 cells a step at dt 1/256
    let far = 92.0 * DX;
    let near = 4.0 * DX;
    let mut start = Start::still(vec![
        [near, near, near],
        [far, 2.3, near],
        [near, far, 1.7],
        [3.1, 3.3, far],
    ]);
    start.velocities = vec![
        [limit, limit, limit],
        [-limit, 0.5, limit],
        [limit, -limit, 0.0],
        [0.0, 0.3, -limit],
    ];
    let mut file = gas(&start);
    file["run"]["dt"] = json!("1/256");
    file["parameters"]["transfer"] =
        json!({"units": UNITS, "quanta": 8, "limit": limit, "flip": 1, "apic": 0});
    file["parameters"]["update"]["every"] = json!(every);
    file["grids"]["nodes"]["cells"] = json!([96, 96, 96]);
    file["grids"]["nodes"]["sparse"] = json!({"block": [8, 8, 8], "keep": latency + 1, "latency": latency});
    let argued = 1.0 + ((f64::from(latency) + 1.0) * f64::from(every) - 1.0) * 0.9;
    file["parameters"]["update"]["reach"] = json!(reach.unwrap_or(argued.ceil() as u32));
    let mut sim = simulation(gpu, &file);
    for _ in 0..90 {
        sim.step(false).unwrap();
    }
    sim.finish().unwrap();
    if let Some(fault) = sim.fault().unwrap() {
        assert_eq!((&*fault.stage, fault.field.starts_with("nodes.")), ("p2g", true));
        return Some(fault.kind);
    }
    assert_eq!(read_vectors(&mut sim, "matter.velocity"), start.velocities);
    assert_eq!(read_words(&mut sim, "counters")[0], 0);
    let here = read_vectors(&mut sim, "matter.position");
    assert!(here[0][0] - near > 78.0 * DX, "{here:?}");
    None
}

#[test]
fn requested_blocks_suffice_at_the_speed_limit() {
    let Some(gpu) = common::gpu() else { return };
    let mut cases = common::sweep(2, 5);
    for (every, latency) in [(1, 0), (1, 1), (2, 1), (4, 1), (2, 2)] {
        if cases.skips() {
            continue;
        }
        assert_eq!(
            cross(&gpu, every, latency, None),
            None,
            "every {every}, latency {latency}"
        );
    }
    // Control: with a reach that is too short, a particle writes where no block is, and that is a fault.
    let mut cases = common::sweep(1, 2);
    for (every, latency, reach) in [(2, 1, 1), (4, 1, 4)] {
        if cases.skips() {
            continue;
        }
        let fault = cross(&gpu, every, latency, Some(reach));
        assert!(
            matches!(fault, Some(FaultKind::WroteInactive { .. })),
            "{fault:?}"
        );
    }
}
