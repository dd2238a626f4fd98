//! Twin of shaders/lib/svd3.glsl. Matrices are three columns.

pub type Vec3 = [f32; 3];
pub type Mat3 = [Vec3; 3];

pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const SWEEPS: usize = 8;

#[derive(Debug, Clone, Copy)]
pub struct Svd {
    pub u: Mat3,
    pub sigma: Vec3,
    pub v: Mat3,
}

pub fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - b[j] * a[k]
    })
}

/// `a x + b y`.
fn combine(a: f32, x: Vec3, b: f32, y: Vec3) -> Vec3 {
    std::array::from_fn(|i| a * x[i] + b * y[i])
}

fn rotate(b: &mut Mat3, v: &mut Mat3, p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (dot(b[p], b[p]), dot(b[q], b[q]), dot(b[p], b[q]));
    if gamma.abs() <= 1.2e-7 * alpha.sqrt() * beta.sqrt() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = if zeta.abs() > 1e9 {
        0.5 / zeta
    } else {
        (if zeta >= 0.0 { 1.0 } else { -1.0 }) / (zeta.abs() + (1.0 + zeta * zeta).sqrt())
    };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for m in [b, v] {
        let (mp, mq) = (m[p], m[q]);
        m[p] = combine(c, mp, -s, mq);
        m[q] = combine(s, mp, c, mq);
    }
    true
}

fn order(b: &mut Mat3, v: &mut Mat3, p: usize, q: usize) {
    if dot(b[p], b[p]) < dot(b[q], b[q]) {
        for m in [b, v] {
            let mp = m[p];
            m[p] = m[q];
            m[q] = mp.map(|x| -x);
        }
    }
}

fn across(u: Vec3) -> Vec3 {
    let w = if u[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let w = combine(1.0, w, -dot(w, u), u);
    w.map(|x| x / dot(w, w).sqrt())
}

pub fn svd3(a: Mat3) -> Svd {
    let mut v = IDENTITY;
    let size = a.as_flattened().iter().fold(0.0f32, |size, x| size.max(x.abs()));
    if size == 0.0 {
        return Svd {
            u: v,
            sigma: [0.0; 3],
            v,
        };
    }
    // The exponent of frexp, subnormal numbers included.
    let mut exponent = 0;
    let mut mantissa = f64::from(size);
    while mantissa >= 1.0 {
        mantissa *= 0.5;
        exponent += 1;
    }
    while mantissa < 0.5 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let half_scale = 2f32.powi(-(exponent / 2));
    let other_scale = 2f32.powi(-(exponent - exponent / 2));
    let mut b = a.map(|column| column.map(|x| x * half_scale * other_scale));
    for _ in 0..SWEEPS {
        let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| rotate(&mut b, &mut v, p, q));
        if turned == [false; 3] {
            break;
        }
    }
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        order(&mut b, &mut v, p, q);
    }
    let length = dot(b[0], b[0]).sqrt();
    let first = b[0].map(|x| x / length);
    let second = combine(1.0, b[1], -dot(b[1], first), first);
    let along = dot(second, second).sqrt();
    let second = if along > 1e-6 * length {
        second.map(|x| x / along)
    } else {
        across(first)
    };
    let u = [first, second, cross(first, second)];
    let sigma = [dot(u[0], b[0]), dot(u[1], b[1]).abs(), dot(u[2], b[2])];
    Svd {
        u,
        sigma: sigma.map(|s| s / half_scale / other_scale),
        v,
    }
}
