//! shaders/lib: splines, singular values, fixed point.

use serde_json::json;

use super::reference::svd3::{IDENTITY, Mat3, Vec3, svd3};
use super::reference::{bspline, fixed_point};
use super::*;

/// Matrices that go wrong somewhere, then ordinary ones.
fn matrices() -> Vec<Mat3> {
    let diagonal = |x: f32, y: f32, z: f32| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let (c, s) = (0.6, 0.8);
    let turn: Mat3 = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
    let noise = scattered(9 * 300, 1);
    let noisy = |from: usize| -> Mat3 {
        std::array::from_fn(|column| std::array::from_fn(|row| noise[9 * from + 3 * column + row]))
    };
    let near = |to: Mat3, by: f32, from: usize| -> Mat3 {
        std::array::from_fn(|column| {
            std::array::from_fn(|row| to[column][row] + by * noisy(from)[column][row])
        })
    };
    let scaled = |m: Mat3, by: f32| m.map(|column| column.map(|x| by * x));
    let mut list = vec![
        IDENTITY,
        diagonal(0.0, 0.0, 0.0),
        // Reflections.
        diagonal(1.0, 1.0, -1.0),
        diagonal(-1.0, -1.0, -1.0),
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        turn,
        // Not of full rank.
        diagonal(0.0, 3.0, 0.0),
        diagonal(2.0, 0.0, -1.0),
        [[1.0, 2.0, 3.0]; 3],
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 0.0]],
        // Far apart, sheared.
        diagonal(1e-4, 1.0, 1e4),
        [[1.0, 0.0, 0.0], [1e4, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[1.0, 0.0, 0.0], [1e-6, 1.0, 0.0], [0.0, 1e-6, 1.0]],
        // Equal but for rounding.
        near(IDENTITY, 1e-7, 0),
        near(IDENTITY, 1e-6, 1),
        near(turn, 1e-6, 2),
        near(diagonal(1.0, 1.0, -1.0), 1e-6, 3),
        near([[1.0, 2.0, 3.0]; 3], 1e-6, 4),
        // At the ends of the range.
        scaled(noisy(5), 1e37),
        scaled(noisy(6), 1e-30),
        scaled(diagonal(1.0, 1.0, -1.0), 3e38),
    ];
    list.extend((7..200).map(noisy));
    list.extend((200..300).map(|from| near(IDENTITY, 0.05, from)));
    list
}

fn product(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..3).map(|k| a[k][row] * b[column][k]).sum()))
}

fn transposed(a: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|column| std::array::from_fn(|row| a[row][column]))
}

fn determinant(a: [[f64; 3]; 3]) -> f64 {
    (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            a[0][i] * (a[1][j] * a[2][k] - a[1][k] * a[2][j])
        })
        .sum()
}

/// Distance of `a` from a rotation.
fn not_a_rotation(a: [[f64; 3]; 3]) -> f64 {
    let square = product(transposed(a), a);
    let identity = IDENTITY.map(|column| column.map(f64::from));
    let off = distance(square, identity);
    off.max((determinant(a) - 1.0).abs())
}

fn distance(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> f64 {
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Error of the factors of a matrix, as a multiple of float precision.
fn fault(matrix: Mat3, u: Mat3, sigma: Vec3, v: Mat3, rotation: Mat3) -> f64 {
    let [matrix, u, v, rotation] = [matrix, u, v, rotation].map(|m| m.map(|column| column.map(f64::from)));
    let sigma = sigma.map(f64::from);
    let stretched: [[f64; 3]; 3] = std::array::from_fn(|k| u[k].map(|x| x * sigma[k]));
    let scale = sigma[0].max(1e-300);
    let rebuilt = distance(product(stretched, transposed(v)), matrix) / scale;
    let is_below = |less: f64, more: f64| more * (1.0 + 1e-6) + 1e-7 * scale >= less;
    let descends = is_below(sigma[1], sigma[0]) && sigma[1] >= 0.0 && is_below(sigma[2].abs(), sigma[1]);
    // The sign of the determinant, where it is not rounding.
    let sign = determinant(matrix.map(|column| column.map(|x| x / scale)));
    let agrees = sign.abs() < 1e-5 || sign.signum() == sigma[2].signum();
    let stretch = product(transposed(rotation), matrix);
    let symmetric = distance(stretch, transposed(stretch)) / scale;
    let worst = [
        rebuilt,
        not_a_rotation(u),
        not_a_rotation(v),
        not_a_rotation(rotation),
        symmetric,
    ];
    if !descends || !agrees || worst.iter().any(|x| x.is_nan()) {
        return f64::INFINITY;
    }
    worst.into_iter().fold(0.0, f64::max) / f64::from(f32::EPSILON)
}

#[test]
fn svd_holds_for_awkward_matrices() {
    let Some(gpu) = common::gpu() else { return };
    let matrices = matrices();
    let file = json!({
        "run": {"dt": 1},
        "buffers": {
            "matrices": {"type": "vec3", "length": 3 * matrices.len(), "background": 0},
            "factors": {"type": "vec3", "length": 10 * matrices.len()},
        },
        "step": [{"stage": "decompose", "over": matrices.len(), "reads": ["matrices"], "writes": ["factors"]}],
    });
    let mut sim = simulation(&gpu, &file);
    write_floats(&mut sim, "matrices", matrices.as_flattened().as_flattened());
    sim.step(false).unwrap();
    let factors = read_vectors(&mut sim, "factors");
    let mut worst = 0.0f64;
    for (matrix, found) in matrices.iter().zip(factors.chunks_exact(10)) {
        let three = |at: usize| [found[at], found[at + 1], found[at + 2]];
        let (u, sigma, v, rotation) = (three(0), found[3], three(4), three(7));
        let off = fault(*matrix, u, sigma, v, rotation);
        assert!(off < 24.0, "{matrix:?}: {sigma:?}, off by {off} roundings");
        worst = worst.max(off);
        let twin = svd3(*matrix);
        for k in 0..3 {
            let difference = (sigma[k] / 2.0 - twin.sigma[k] / 2.0).abs();
            assert!(
                difference <= 1e-6 * sigma[0],
                "{matrix:?}: {sigma:?}, twin {:?}",
                twin.sigma
            );
        }
        let off = fault(*matrix, twin.u, twin.sigma, twin.v, rotation);
        assert!(off < 24.0, "{matrix:?}: the twin is off by {off} roundings");
        // Controls: values in another order, a factor that is a reflection.
        if sigma[0] > 2.0 * sigma[2].abs() {
            let turned = [sigma[2], sigma[1], sigma[0]];
            assert!(fault(*matrix, u, turned, v, rotation) > 1e5);
        }
        let mirrored = [u[0], u[1], u[2].map(|x| -x)];
        assert!(fault(*matrix, mirrored, sigma, v, rotation) > 1e5);
    }
    println!("worst of {}: {worst:.1} roundings", matrices.len());
}

#[test]
fn spline_weights_match_the_reference_and_reproduce_linear_functions() {
    let Some(gpu) = common::gpu() else { return };
    // Cell borders, centres, just beside them, and anywhere.
    let mut points: Vec<Vec3> = [1.0, 1.5, 1.499_999_9, 1.999_999_9, 2.0, 30.000_002, 4095.5]
        .iter()
        .flat_map(|x| [[*x, 7.3, 2.5], [2.5, *x, *x], [*x, *x, *x]])
        .collect();
    let more = scattered(3 * 500, 2);
    points.extend(
        more.chunks_exact(3)
            .map(|r| [0, 1, 2].map(|axis| 17.0 + 16.0 * r[axis])),
    );
    let file = json!({
        "run": {"dt": 1},
        "buffers": {
            "points": {"type": "vec3", "length": points.len(), "background": 0},
            "bases": {"type": "ivec3", "length": points.len()},
            "weights": {"type": "vec4", "length": 27 * points.len()},
        },
        "step": [{"stage": "weigh", "over": points.len(), "reads": ["points"], "writes": ["bases", "weights"]}],
    });
    let mut sim = simulation(&gpu, &file);
    write_floats(&mut sim, "points", points.as_flattened());
    sim.step(false).unwrap();
    let bases: Vec<i32> = read_words(&mut sim, "bases")
        .into_iter()
        .map(|x| x as i32)
        .collect();
    let weights = read_floats(&mut sim, "weights");
    for (i, point) in points.iter().enumerate() {
        let twin = bspline::spline_at(*point);
        assert_eq!(bases[3 * i..3 * i + 3], twin.base, "{point:?}");
        let (mut sum, mut mean, mut slope) = (0.0f64, [0.0f64; 3], [[0.0f64; 3]; 3]);
        for (k, n) in bspline::nodes().enumerate() {
            let [w, gradient @ ..]: [f32; 4] = weights[4 * (27 * i + k)..][..4].try_into().unwrap();
            // Devices may take subnormal numbers for 0.
            let off = (w - twin.weight(n)).abs();
            assert!(off < f32::MIN_POSITIVE, "{point:?}, node {n:?}: {w}");
            assert!(w >= 0.0);
            let expected = twin.gradient(n);
            for axis in 0..3 {
                assert!(
                    (gradient[axis] - expected[axis]).abs() < 1e-6,
                    "{point:?}, node {n:?}"
                );
            }
            sum += f64::from(w);
            for axis in 0..3 {
                let node = f64::from(twin.base[axis]) + n[axis] as f64 + 0.5;
                mean[axis] += f64::from(w) * node;
                for (along, g) in gradient.iter().enumerate() {
                    slope[axis][along] += f64::from(*g) * (node - f64::from(point[axis]));
                }
            }
        }
        assert!((sum - 1.0).abs() < 5e-7, "{point:?}: {sum}");
        for axis in 0..3 {
            let scale = f64::from(point[axis]).max(1.0);
            assert!(
                (mean[axis] - f64::from(point[axis])).abs() < 1e-6 * scale,
                "{point:?}: {mean:?}"
            );
            for along in 0..3 {
                let expected = f64::from(u8::from(axis == along));
                assert!(
                    (slope[axis][along] - expected).abs() < 2e-6 * scale,
                    "{point:?}: {slope:?}"
                );
            }
        }
    }
    // Control: half a cell off is another spline.
    let (one, other) = (bspline::spline_at([3.2; 3]), bspline::spline_at([3.7; 3]));
    assert!(one.weight([0, 1, 2]) != other.weight([0, 1, 2]));
}

#[test]
fn fixed_point_matches_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    const UNITS: u32 = 262_144;
    const QUANTA: f32 = 16.0;
    const LIMIT: f32 = 12.0;
    let ends = [
        0.0,
        -0.0,
        12.0,
        -12.0,
        12.000_001,
        1e-9,
        -1e-9,
        0.5 / 16.0,
        -0.5 / 16.0,
        9.81,
    ];
    let mut entries: Vec<[f32; 4]> = Vec::new();
    for v in ends {
        for w in [0.0, 1e-6, 1.9e-6, 1.0 / 262_144.0, 0.421_875, 1.0] {
            entries.push([v, -v, 0.3 * v, w]);
        }
    }
    let more = scattered(4 * 500, 3);
    entries.extend(
        more.chunks_exact(4)
            .map(|r| [12.0 * r[0], 12.0 * r[1], 0.01 * r[2], r[3].abs()]),
    );
    let file = json!({
        "run": {"dt": 1},
        "buffers": {
            "entries": {"type": "vec4", "length": entries.len(), "background": 0},
            "counted": {"type": "ivec4", "length": entries.len()},
            "velocities": {"type": "vec3", "length": entries.len()},
            "signs": {"type": "uint", "length": entries.len()},
        },
        "step": [{
            "stage": "count", "over": entries.len(), "reads": ["entries"],
            "writes": ["counted", "velocities", "signs"],
            "arguments": {"units": format!("uint({UNITS})"), "quanta": QUANTA, "limit": LIMIT},
        }],
    });
    let mut sim = simulation(&gpu, &file);
    write_floats(&mut sim, "entries", entries.as_flattened());
    sim.step(false).unwrap();
    let counted = read_words(&mut sim, "counted");
    let velocities = read_vectors(&mut sim, "velocities");
    let signs = read_words(&mut sim, "signs");
    for (i, entry) in entries.iter().enumerate() {
        let [x, y, z, w] = *entry;
        let mass = fixed_point::mass(w, UNITS);
        let momentum = fixed_point::momentum(mass, [x, y, z], QUANTA);
        let found: Vec<i32> = counted[4 * i..4 * i + 4].iter().map(|x| *x as i32).collect();
        assert_eq!(
            found,
            [momentum[0], momentum[1], momentum[2], mass as i32],
            "{entry:?}"
        );
        // A division may be wrong by 2.5 units in the last place.
        let expected = fixed_point::velocity(momentum, mass, QUANTA);
        let is_near = |axis: usize| {
            let (found, expected) = (velocities[i][axis], expected[axis]);
            (found - expected).abs() <= 2.5 * f32::EPSILON * expected.abs()
        };
        assert!(
            (0..3).all(is_near),
            "{entry:?}: {:?}, twin {expected:?}",
            velocities[i]
        );
        let fast = [x, y, z].iter().any(|v| v.abs() > LIMIT);
        let full = fixed_point::overflows(mass, LIMIT, QUANTA);
        assert_eq!(signs[i], u32::from(fast) | u32::from(full) << 1, "{entry:?}");
        // Within half a quantum; a share that rounds to nothing carries nothing.
        let exact = f64::from(mass) * f64::from(QUANTA) * f64::from(x);
        assert!(
            (f64::from(momentum[0]) - exact).abs() <= 0.5 + 1e-7 * exact.abs(),
            "{entry:?}"
        );
    }
    assert!(signs.contains(&1), "no entry was too fast");
    assert!(
        fixed_point::overflows(1 << 24, LIMIT, QUANTA) && !fixed_point::overflows(1 << 23, LIMIT, QUANTA)
    );
}
