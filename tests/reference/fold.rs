//! Twin of shaders/measure/fold.glsl and of the stages that use it, for sums of floats: other reductions do not depend
//! on any order.

const GROUP: usize = 256;
/// Elements of a tile of a grid along x.
const TILE: usize = 32;

fn two_sum(a: f32, b: f32) -> [f32; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

fn folded(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    let [sum, rest] = two_sum(a[0], b[0]);
    [sum, rest + (a[1] + b[1])]
}

/// Combines a power of two of values.
fn group(mut values: Vec<[f32; 2]>) -> [f32; 2] {
    let mut half = values.len() / 2;
    while half > 0 {
        for lane in 0..half {
            values[lane] = folded(values[lane], values[lane + half]);
        }
        half /= 2;
    }
    values[0]
}

/// Results of strided values, one lane after another.
fn lanes(values: &[[f32; 2]], first: usize, stride: usize) -> [f32; 2] {
    let mut mine = [0.0; 2];
    for value in values.iter().skip(first).step_by(stride) {
        mine = folded(mine, *value);
    }
    mine
}

/// The sum of values, of which there could have been `most`.
pub fn sum(values: &[f32], most: usize) -> f32 {
    let groups = most.div_ceil(GROUP * 16).clamp(1, 1024);
    let singles: Vec<[f32; 2]> = values.iter().map(|value| [*value, 0.0]).collect();
    let partials: Vec<[f32; 2]> = (0..groups)
        .map(|number| {
            let lane = |lane| lanes(&singles, number * GROUP + lane, groups * GROUP);
            group((0..GROUP).map(lane).collect())
        })
        .collect();
    match groups {
        1 => result(partials[0]),
        _ => finish(partials),
    }
}

/// The sum of the values of a grid with these sides, x fastest.
pub fn sum_of_grid(values: &[f32], [x, y, z]: [usize; 3]) -> f32 {
    if values.len() <= GROUP * 16 {
        return sum(values, values.len());
    }
    let rows = if y < 256 { 16 } else { 32 };
    let mut partials = Vec::new();
    for z in 0..z {
        for first in (0..y).step_by(rows) {
            for low in (0..x).step_by(TILE) {
                let column = |x_of: usize| {
                    let mut mine = [0.0; 2];
                    for y_of in (first..y.min(first + rows)).filter(|_| x_of < x) {
                        mine = folded(mine, [values[(z * y + y_of) * x + x_of], 0.0]);
                    }
                    mine
                };
                partials.push(group((low..low + TILE).map(column).collect()));
            }
        }
    }
    finish(partials)
}

/// Combines partial results, of many first those of parts.
fn finish(mut partials: Vec<[f32; 2]>) -> f32 {
    while partials.len() > 1 {
        let groups = match partials.len() {
            0..=4096 => 1,
            many => many.div_ceil(1024).min(1024),
        };
        let each = partials.len().div_ceil(groups);
        let of_group = |part: &[[f32; 2]]| group((0..GROUP).map(|lane| lanes(part, lane, GROUP)).collect());
        partials = partials.chunks(each).map(of_group).collect();
    }
    result(partials[0])
}

fn result([sum, rest]: [f32; 2]) -> f32 {
    if sum.is_finite() { sum + rest } else { sum }
}
