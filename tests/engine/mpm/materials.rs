//! Constitutive functions of shaders/mpm against their equations in double precision. A deformation is built from
//! rotations and principal stretches that are known, so no decomposition judges itself.

use serde_json::json;

use super::*;

const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 50_000.0;
const POISSON: f64 = 0.3;

type Mat3 = [[f64; 3]; 3];

/// Lame's constants over the density: shear, then the other.
fn lame() -> (f64, f64) {
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    (mu / DENSITY, lambda / DENSITY)
}

/// A rotation by Euler's angles, in columns.
fn rotation([a, b, c]: [f64; 3]) -> Mat3 {
    let about = |axis: usize, angle: f64| -> Mat3 {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut m = [[0.0; 3]; 3];
        m[axis][axis] = 1.0;
        (m[j][j], m[j][k]) = (angle.cos(), angle.sin());
        (m[k][j], m[k][k]) = (-angle.sin(), angle.cos());
        m
    };
    product(product(about(2, a), about(0, b)), about(2, c))
}

fn product(a: Mat3, b: Mat3) -> Mat3 {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..3).map(|k| a[k][row] * b[column][k]).sum()))
}

/// u diagonal(s) v^T.
fn built(u: Mat3, s: [f64; 3], v: Mat3) -> Mat3 {
    let back: Mat3 = std::array::from_fn(|column| std::array::from_fn(|row| v[row][column]));
    product(std::array::from_fn(|k| u[k].map(|x| x * s[k])), back)
}

/// Stretches from none to much, of which one is inverted, and what a particle has in `volume`.
fn cases(volumes: [f64; 2]) -> Vec<([f64; 3], f64, Mat3, Mat3)> {
    let stretches = [
        [1.0, 1.0, 1.0],
        [1.001, 0.9995, 1.0],
        [1.2, 1.1, 0.9],
        [0.98, 0.97, 0.9],
        [1.005, 1.001, 0.9],
        [0.999, 0.9985, 0.998],
        [1.5, 1.0, 0.4],
        [1.1, 0.9, 0.7],
    ];
    let angles = scattered(6 * 16, 21);
    let mut cases = Vec::new();
    for (i, stretch) in stretches.iter().enumerate() {
        for (j, volume) in volumes.iter().enumerate() {
            let turns: Vec<f64> = angles[6 * (2 * i + j)..][..6]
                .iter()
                .map(|x| 3.0 * f64::from(*x))
                .collect();
            let [u, v] = [0, 3].map(|at| rotation([turns[at], turns[at + 1], turns[at + 2]]));
            cases.push((*stretch, *volume, u, v));
        }
    }
    cases
}

struct Found {
    stress: Vec<[f32; 3]>,
    deform: Vec<[f32; 3]>,
    volume: Vec<f32>,
}

/// Results of a material for the cases; `None` without a device.
fn found(material: &str, arguments: &Value, cases: &[([f64; 3], f64, Mat3, Mat3)]) -> Option<Found> {
    let gpu = common::gpu()?;
    let mut fields = vec!["matter.volume"];
    if material != "water" {
        fields.push("matter.deform");
    }
    if material == "jelly" {
        fields.remove(0);
    }
    let mut writes = fields.clone();
    writes.push("stress");
    let file = json!({
        "run": {"dt": 0.001},
        "particles": {"matter": {"count": cases.len(), "ring": 1, "attributes": {
            "deform": {"type": "mat3", "background": 0}, "volume": {"type": "float", "background": 0},
        }}},
        "buffers": {"stress": {"type": "vec3", "length": 3 * cases.len()}},
        "step": [{
            "stage": "stress_of", "shader": format!("stress_{material}.comp"), "over": "matter",
            "reads": fields, "writes": writes, "arguments": arguments,
        }],
    });
    let mut sim = simulation(&gpu, &file);
    let deform: Vec<f32> = cases
        .iter()
        .flat_map(|(s, _, u, v)| built(*u, *s, *v))
        .flat_map(|column| column.map(|x| x as f32))
        .collect();
    write_floats(&mut sim, "matter.deform", &deform);
    let volumes: Vec<f32> = cases.iter().map(|case| case.1 as f32).collect();
    write_floats(&mut sim, "matter.volume", &volumes);
    sim.step(false).unwrap();
    let stress = read_vectors(&mut sim, "stress");
    let deform = read_vectors(&mut sim, "matter.deform");
    let volume = read_floats(&mut sim, "matter.volume");
    Some(Found {
        stress,
        deform,
        volume,
    })
}

/// Distance of three columns from a matrix.
fn off(found: &[[f32; 3]], expected: Mat3) -> f64 {
    let pairs = found.as_flattened().iter().zip(expected.as_flattened());
    pairs.map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
}

/// Judges a material by principal stresses, elastic stretches and `volume` that are expected of each case.
fn judge(
    material: &str,
    arguments: &Value,
    volumes: [f64; 2],
    expected: impl Fn([f64; 3], f64) -> ([f64; 3], [f64; 3], f64),
) {
    let mut cases = cases(volumes);
    if material != "sand" {
        // Inverted: fixed corotated matter has a stress that turns it back.
        let (_, volume, u, v) = cases[5];
        cases.push(([1.0, 0.8, -0.3], volume, u, v));
    }
    let Some(found) = found(material, arguments, &cases) else {
        return;
    };
    let (mu, lambda) = lame();
    // Stretches have roundings of 1e-7 and more after the decomposition; stresses of stiffness times those.
    let bound = 3e-6 * (2.0 * mu + 3.0 * lambda) * 10.0;
    for (i, (s, volume, u, v)) in cases.iter().enumerate() {
        let (principal, kept, left) = expected(*s, *volume);
        let stress = &found.stress[3 * i..3 * i + 3];
        let scale = principal.iter().fold(1.0f64, |a, x| a.max(x.abs() / (2.0 * mu)));
        let wrong = off(stress, built(*u, principal, *u));
        assert!(
            wrong < bound * scale,
            "{material} at {s:?}, {volume}: stress off by {wrong}"
        );
        let wrong = off(&found.deform[3 * i..3 * i + 3], built(*u, kept, *v));
        assert!(
            wrong < 3e-5,
            "{material} at {s:?}, {volume}: deformation off by {wrong}"
        );
        let wrong = (f64::from(found.volume[i]) - left).abs();
        assert!(
            wrong < 3e-5,
            "{material} at {s:?}, {volume}: volume off by {wrong}"
        );
        // Control: the stress without its turn is another, unless it is the same in all directions.
        if principal[0] - principal[2] > 10.0 * bound * scale {
            let unturned = built(rotation([0.0; 3]), principal, rotation([0.0; 3]));
            assert!(off(stress, unturned) > bound * scale, "{material} at {s:?}");
        }
    }
}

fn corotated(s: [f64; 3], harder: f64) -> [f64; 3] {
    let (mu, lambda) = lame();
    let j: f64 = s.iter().product();
    s.map(|s| harder * (2.0 * mu * (s - 1.0) * s + lambda * (j - 1.0) * j))
}

#[test]
fn jelly_stress_is_fixed_corotated() {
    let arguments = json!({"density": DENSITY, "young": YOUNG, "poisson": POISSON});
    judge("jelly", &arguments, [0.0, 0.0], |s, volume| {
        (corotated(s, 1.0), s, volume)
    });
}

#[test]
fn snow_yields_and_hardens() {
    let (theta_c, theta_s, hardening, hardest) = (0.025, 0.0075, 10.0, 6.0);
    let arguments = json!({
        "density": DENSITY, "young": YOUNG, "poisson": POISSON, "theta_c": theta_c, "theta_s": theta_s,
        "hardening": hardening, "hardest": hardest,
    });
    let snow = |s: [f64; 3], volume: f64| {
        let kept = s.map(|s: f64| s.clamp(1.0 - theta_c, 1.0 + theta_s));
        let plastic = volume * s.iter().product::<f64>() / kept.iter().product::<f64>();
        let plastic = plastic.clamp(0.1, 10.0);
        let harder = f64::min((hardening * (1.0 - plastic)).exp(), hardest);
        (corotated(kept, harder), kept, plastic)
    };
    judge("snow", &arguments, [1.0, 0.9], snow);
    // Stretched and compressed to both limits of J_p.
    judge("snow", &arguments, [9.99, 0.1001], snow);
}

#[test]
fn sand_stays_in_the_yield_cone() {
    let angle = 35.0f64;
    let arguments = json!({"density": DENSITY, "young": YOUNG, "poisson": POISSON, "friction_angle": angle});
    let (mu, lambda) = lame();
    let sine = angle.to_radians().sin();
    let alpha = (2.0f64 / 3.0).sqrt() * 2.0 * sine / (3.0 - sine);
    judge("sand", &arguments, [0.0, 0.05], |s, gained| {
        let e = s.map(|s| s.ln() + gained / 3.0);
        let sum: f64 = e.iter().sum();
        if sum >= 0.0 {
            return ([0.0; 3], [1.0; 3], sum);
        }
        let shear = e.map(|e| e - sum / 3.0);
        let size = shear.iter().map(|x| x * x).sum::<f64>().sqrt();
        let bound = -(3.0 * lambda + 2.0 * mu) / (2.0 * mu) * sum * alpha;
        let kept = shear.map(|x| sum / 3.0 + x * f64::min(1.0, bound / size.max(1e-300)));
        let principal = kept.map(|e| 2.0 * mu * e + lambda * sum);
        // Drucker and Prager's cone itself: |dev tau| <= -alpha (3 lambda + 2 mu) tr(e).
        let mean = principal.iter().sum::<f64>() / 3.0;
        let deviator = principal.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt();
        assert!(deviator <= -alpha * 3.0 * mean * (1.0 + 1e-9));
        (principal, kept.map(f64::exp), 0.0)
    });
}

#[test]
fn water_pressure_follows_tait_and_is_never_negative() {
    let (bulk, gamma) = (144_000.0, 7.0);
    let arguments = json!({"density": DENSITY, "bulk": bulk, "gamma": gamma});
    let cases: Vec<_> = [1.2, 1.0, 0.999, 0.9, 0.6]
        .map(|j| ([1.0; 3], j, rotation([0.0; 3]), rotation([0.0; 3])))
        .into();
    let Some(found) = found("water", &arguments, &cases) else {
        return;
    };
    for (i, (_, j, u, _)) in cases.iter().enumerate() {
        let kept = j.min(1.0);
        let pressure = bulk / (DENSITY * gamma) * (kept.powf(-gamma) - 1.0);
        let wrong = off(
            &found.stress[3 * i..3 * i + 3],
            built(*u, [-pressure * kept; 3], *u),
        );
        assert!(
            wrong < 1e-5 * (bulk / DENSITY + pressure),
            "J {j}: off by {wrong}"
        );
        assert!((f64::from(found.volume[i]) - kept).abs() < 1e-6);
    }
    // Sound goes at sqrt(bulk / density): the slope of the pressure at rest.
    let slope = -f64::from(found.stress[6][0]) / (0.999 * 0.001);
    assert!((slope / (bulk / DENSITY) - 1.0).abs() < 0.01, "{slope}");
}
