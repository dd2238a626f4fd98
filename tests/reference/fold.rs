//! Twin of shaders/measure/fold.glsl and of the stages that use it, for sums of floats: other reductions do not depend
//! on any order.

const GROUP: usize = 256;

fn two_sum(a: f32, b: f32) -> [f32; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

fn folded(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    let [sum, rest] = two_sum(a[0], b[0]);
    [sum, rest + (a[1] + b[1])]
}

fn group(mut values: Vec<[f32; 2]>) -> [f32; 2] {
    let mut half = GROUP / 2;
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
    let [sum, rest] = match groups {
        1 => partials[0],
        _ => group((0..GROUP).map(|lane| lanes(&partials, lane, GROUP)).collect()),
    };
    if sum.is_finite() { sum + rest } else { sum }
}
