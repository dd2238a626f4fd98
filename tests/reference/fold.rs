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
    finish(partials, groups)
}

/// The sum of the values of the active blocks of a sparse grid, in the order of the list, combined in runs of `run`; there
/// could have been `most`.
pub fn sum_of_blocks(values: &[f32], run: usize, most: usize) -> f32 {
    if most <= GROUP * 16 {
        return sum(values, most);
    }
    let singles: Vec<[f32; 2]> = values.iter().map(|value| [*value, 0.0]).collect();
    let wide = (run / 16).max(1);
    let of_run = |run: &[[f32; 2]]| group((0..wide).map(|lane| lanes(run, lane, wide)).collect());
    finish(singles.chunks(run).map(of_run).collect(), most / run)
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
    let most = partials.len();
    finish(partials, most)
}

/// Combines partial results, of many first those of parts. There could have been `most`.
fn finish(mut partials: Vec<[f32; 2]>, mut most: usize) -> f32 {
    while most > 1 {
        let groups = match most {
            0..=4096 => 1,
            many => many.div_ceil(1024).min(1024),
        };
        let each = most.div_ceil(groups);
        let of_group = |number: usize| {
            let [first, end] = [number, number + 1].map(|number| (number * each).min(partials.len()));
            group(
                (0..GROUP)
                    .map(|lane| lanes(&partials[first..end], lane, GROUP))
                    .collect(),
            )
        };
        (partials, most) = ((0..groups).map(of_group).collect(), groups);
    }
    result(partials[0])
}

fn result([sum, rest]: [f32; 2]) -> f32 {
    if sum.is_finite() { sum + rest } else { sum }
}
