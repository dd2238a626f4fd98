//! Release areas: which particles of a slab remain.

use serde_json::json;

use super::*;

#[test]
fn particles_whose_nearest_vertex_is_outside_the_area_are_removed() {
    let Some(gpu) = common::gpu() else { return };
    let count = 500;
    let file = json!({
        "run": {"dt": 1},
        // Vertices from (10, 20) on, with distances of 2 m, marked as on a chessboard.
        "grids": {"ground": {"vertices": [6, 5], "cell_size": 2, "origin": [10, 20], "channels": {
            "release": {"type": "uint", "values": "if(fract((x + y - 30) / 4) < 0.25, 1, 0)"}}}},
        "particles": {"matter": {"count": count, "capacity": count, "ring": 1,
            "attributes": {"position": {"type": "vec3", "background": 0}, "dead": "uint"}}},
        "step": [
            {"stage": "keep_release", "shader": "mpm/keep_release.comp", "over": "matter"},
            {"remove": "matter", "where": "matter.dead"}
        ]
    });
    let mut sim = simulation(&gpu, &file);
    // Also beyond the ground, where the vertex at its edge decides.
    let noise = scattered(2 * count, 77);
    let places: Vec<[f32; 3]> = (0..count)
        .map(|i| [15.0 + 7.0 * noise[2 * i], 24.0 + 6.0 * noise[2 * i + 1], i as f32])
        .collect();
    write_floats(&mut sim, "matter.position", places.as_flattened());
    advance(&mut sim, 1);
    let vertex = |at: f32, origin: f32, last: f32| ((at - origin) / 2.0).round().clamp(0.0, last);
    let remains = |[x, y, _]: &&[f32; 3]| (vertex(*x, 10.0, 5.0) + vertex(*y, 20.0, 4.0)) % 2.0 == 0.0;
    let wanted: Vec<[f32; 3]> = places.iter().filter(remains).copied().collect();
    let live = read_words(&mut sim, "matter_live")[0] as usize;
    assert_eq!(read_vectors(&mut sim, "matter.position")[..live], wanted[..]);
    assert!(
        wanted.len() > 100 && wanted.len() < count - 100,
        "{} remain",
        wanted.len()
    );
}
