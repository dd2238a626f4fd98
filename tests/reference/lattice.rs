//! Twin of shaders/lib/lattice.glsl.

pub fn linear(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

/// The lower corner and the remainder of a clamped coordinate.
fn corner(at: f32, points: usize) -> (usize, f32) {
    let at = at.clamp(0.0, (points - 1) as f32);
    let i = (at.floor() as usize).min(points - 2);
    (i, at - i as f32)
}

pub fn bilinear(field: impl Fn([usize; 2]) -> f32, points: [usize; 2], at: [f32; 2]) -> f32 {
    let (x, tx) = corner(at[0], points[0]);
    let (y, ty) = corner(at[1], points[1]);
    let row = |y| linear(field([x, y]), field([x + 1, y]), tx);
    linear(row(y), row(y + 1), ty)
}

pub fn trilinear(field: impl Fn([usize; 3]) -> f32, points: [usize; 3], at: [f32; 3]) -> f32 {
    let (x, tx) = corner(at[0], points[0]);
    let (y, ty) = corner(at[1], points[1]);
    let (z, tz) = corner(at[2], points[2]);
    let row = |y, z| linear(field([x, y, z]), field([x + 1, y, z]), tx);
    let layer = |z| linear(row(y, z), row(y + 1, z), ty);
    linear(layer(z), layer(z + 1), tz)
}
