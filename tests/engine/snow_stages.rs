//! Stages of the snow by themselves, over times and places that a whole simulation seldom meets.

use serde_json::json;

use super::common::{self, simulation::*};
use super::reference::{Clock, drift_wind::drift_wind};

const NEAR: f32 = 0.25;
const SLOW: f32 = 0.5;
const UNITS: u32 = 37;

/// A slope of 0.25 to the east, with a metre of snow.
fn surface(x: f32) -> f32 {
    0.25 * x + 1.0
}

/// Height over the surface in m and velocity in m/s, by interval of 1/8 s. Snow hands over after 3/8 s of rest.
type Path = fn(usize) -> (f32, [f32; 3]);

/// A path, and the intervals after which it is done.
const PATHS: [(&str, Path, &[usize]); 9] = [
    ("rests", |_| (0.1, [0.0; 3]), &[2, 3, 4, 5, 6, 7]),
    (
        "moves once",
        |k| (0.1, [if k == 2 { 0.51 } else { 0.0 }, 0.0, 0.0]),
        &[5, 6, 7],
    ),
    (
        "is lifted once",
        |k| (if k == 2 { 0.26 } else { 0.2 }, [0.0; 3]),
        &[5, 6, 7],
    ),
    (
        "moves every third time",
        |k| (0.0, [0.0, 0.0, if k % 3 == 2 { 0.6 } else { 0.1 }]),
        &[],
    ),
    (
        "is just slow enough",
        |_| (0.24, [0.28, -0.28, 0.29]),
        &[2, 3, 4, 5, 6, 7],
    ),
    ("is too fast by all three", |_| (0.0, [0.3, 0.3, -0.3]), &[]),
    ("flies", |_| (1.0, [0.0; 3]), &[]),
    (
        "is buried and moves",
        |k| (if k < 4 { -0.74 } else { -0.76 }, [2.0, 0.0, 0.0]),
        &[4, 5, 6, 7],
    ),
    ("is on the surface and moves", |_| (0.0, [0.0, 0.0, -2.0]), &[]),
];

#[test]
fn snow_is_handed_over_after_uninterrupted_rest() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "parameters": {"snow_unit": 0.001},
        "grids": {"ground": {"vertices": [9, 9], "cell_size": 1, "channels": {
            "elevation": "float", "snow": {"type": "uint", "background": 1000}, "fresh": {"type": "uint", "background": 0}}}},
        "particles": {"matter": {"count": PATHS.len(), "ring": 1, "attributes": {
            "position": {"type": "vec3", "background": 0}, "velocity": {"type": "vec3", "background": 0}, "calm": {"type": "float", "background": 0}, "dead": "uint"}}},
        "buffers": {"handed": {"type": "uint", "length": 1, "background": 0}},
        "init": [{"stage": "slope", "over": "ground", "writes": ["ground.elevation"]}],
        "step": [{"stage": "hand_over", "shader": "snow/hand_over.comp", "over": "matter",
            "arguments": {"near": NEAR, "slow": SLOW, "rest_time": 0.375, "interval": 0.125, "units": UNITS}}]
    });
    let slope = (
        "slope",
        "void stage(ivec2 vertex) { set_ground_elevation(vertex, 0.25 * float(vertex.x)); }",
    );
    let mut sim = simulation(&gpu, pipeline(&file, &[slope]), CHECKED);
    let mut handed = 0;
    for interval in 0..8 {
        let states: Vec<(f32, [f32; 3])> = PATHS.iter().map(|(_, path, _)| path(interval)).collect();
        let places = states.iter().enumerate().map(|(i, (over, _))| {
            let x = 1.3 + 0.6 * i as f32;
            [x, 4.2, surface(x) + over]
        });
        write_floats(
            &mut sim,
            "matter.position",
            places.collect::<Vec<_>>().as_flattened(),
        );
        let speeds: Vec<[f32; 3]> = states.iter().map(|state| state.1).collect();
        write_floats(&mut sim, "matter.velocity", speeds.as_flattened());
        advance(&mut sim, 1);
        let dead = read_words(&mut sim, "matter.dead");
        for ((name, _, done), dead) in PATHS.iter().zip(dead) {
            assert_eq!(
                dead,
                u32::from(done.contains(&interval)),
                "{name}, interval {interval}"
            );
            handed += dead;
        }
    }
    assert_eq!(read_words(&mut sim, "handed"), [handed]);
    let fresh = read_words(&mut sim, "ground.fresh");
    assert_eq!(fresh.iter().sum::<u32>(), UNITS * handed);
    // Snow that landed at (1.3, 4.2) is spread with weights of 4, 2 and 1 of 16 in whole units; the middle takes the rest.
    let [corner, edge] = [UNITS / 16, UNITS / 8];
    assert_eq!([fresh[9 * 3], fresh[9 * 4]], [6 * corner, 6 * edge]);
}

#[test]
fn landed_snow_is_added_once() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "grids": {"ground": {"vertices": [5, 3], "cell_size": 1, "channels": {
            "snow": {"type": "uint", "background": 0}, "snow_next": {"type": "uint", "background": 0},
            "fresh": {"type": "uint", "background": 0}}}},
        "step": [{"stage": "settle_snow", "shader": "snow/settle_snow.comp", "over": "ground"}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let (smoothed, fresh): (Vec<u32>, Vec<u32>) =
        (0..15).map(|vertex| (1000 + 7 * vertex, 3 * vertex)).unzip();
    for (field, values) in [("ground.snow_next", &smoothed), ("ground.fresh", &fresh)] {
        sim.write(field, &common::bytes(values)).unwrap();
    }
    advance(&mut sim, 1);
    let sums: Vec<u32> = smoothed.iter().zip(&fresh).map(|(a, b)| a + b).collect();
    assert_eq!(read_words(&mut sim, "ground.snow"), sums);
    assert_eq!(read_words(&mut sim, "ground.fresh"), [0; 15]);
}

/// A face is on the border if one of its two cells is inside; the normal points away from that one.
#[test]
fn border_faces_point_out_of_the_air() {
    let Some(gpu) = common::gpu() else { return };
    let kernel = "
        #include \"stage.glsl\"
        #include \"snow/faces.glsl\"
        void stage(uint i) {
            uint others = (i & 8u) != 0u ? ~(INSIDE | INSIDE_WEST | INSIDE_SOUTH | CLOSED_U | CLOSED_V) : 0u;
            uint own = (i & 1u) != 0u ? INSIDE : 0u;
            uint west = others | own | ((i & 2u) != 0u ? INSIDE_WEST : 0u) | ((i & 4u) != 0u ? CLOSED_U : 0u);
            uint south = others | own | ((i & 2u) != 0u ? INSIDE_SOUTH : 0u) | ((i & 4u) != 0u ? CLOSED_V : 0u);
            set_outward(2u * i, outward_u(west));
            set_outward(2u * i + 1u, outward_v(south));
        }";
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"outward": {"type": "float", "length": 32}},
        "step": [{"stage": "tell", "over": 16, "writes": ["outward"]}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[("tell", kernel)]), CHECKED);
    advance(&mut sim, 1);
    for (i, found) in read_floats(&mut sim, "outward").chunks(2).enumerate() {
        let (own, lower, closed) = (i & 1 != 0, i & 2 != 0, i & 4 != 0);
        let wanted = match (own, lower) {
            (true, false) if !closed => -1.0,
            (false, true) if !closed => 1.0,
            _ => 0.0,
        };
        assert_eq!(
            found, [wanted; 2],
            "inside {own}, the lower cell {lower}, closed {closed}"
        );
    }
}

#[test]
fn wind_follows_its_list_and_returns_to_the_first_entry() {
    let Some(gpu) = common::gpu() else { return };
    let winds = [
        [1.0f32, 2.0, 0.0],
        [-3.0, 0.5, 0.0],
        [4.0, -6.0, 0.0],
        [0.25, 8.0, 0.0],
        [-7.0, -1.0, 0.0],
    ];
    let (dt, period) = (0.21875f32, 2.0f32);
    let wind = |list: &[[f32; 3]], period: f32, held: f32, at: [f32; 2]| {
        let file = json!({
            "run": {"dt": dt},
            "buffers": {"winds": {"type": "vec3", "values": list}, "wind": {"type": "vec3", "length": 1}},
            "step": [{"stage": "drift_wind", "shader": "snow/drift_wind.comp", "over": 1, "arguments": {
                "period": period, "gust": 12, "held": held, "at": at, "eye": [1, 2, 3], "target": [4, 6, -5]}}]
        });
        simulation(&gpu, pipeline(&file, &[]), CHECKED)
    };
    let mut sim = wind(&winds, period, 0.0, [0.0; 2]);
    let mut between = [0; 5];
    for step in 0..32u32 {
        advance(&mut sim, 1);
        let time = dt * step as f32;
        let clock = Clock {
            step,
            time,
            dt,
            seed: 0,
        };
        let expected = drift_wind(&winds, period, &clock);
        let found = read_vectors(&mut sim, "wind")[0];
        assert!(
            (0..3).all(|k| (found[k] - expected[k]).abs() < 2e-5),
            "{time} s: {found:?}, {expected:?}"
        );
        between[((time / period).fract() * 5.0) as usize] += 1;
    }
    assert!(between.iter().all(|times| *times > 3), "{between:?}");
    // A period of 0, or a single entry, stands still.
    for (list, period) in [(&winds[..], 0.0), (&winds[2..3], 2.0)] {
        let mut sim = wind(list, period, 0.0, [0.0; 2]);
        advance(&mut sim, 4);
        assert_eq!(read_vectors(&mut sim, "wind")[0], list[0]);
    }
    // The pointer at the right border of the picture, and halfway to the top: ahead is (3, 4) / 5.
    let mut sim = wind(&winds, period, 1.0, [1.0, 0.75]);
    advance(&mut sim, 1);
    let found = read_vectors(&mut sim, "wind")[0];
    let expected = [12.0 * (0.8 + 0.5 * 0.6), 12.0 * (-0.6 + 0.5 * 0.8), 0.0];
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 2e-5), "{found:?}");
}
