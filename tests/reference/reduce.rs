//! Twin of shaders/lib/reduce.glsl and of the stages that sum a list with one workgroup.

/// Each of `lanes` invocations sums its stride of the list in order; a tree then adds the lanes up.
pub fn strided_sum(list: &[[f32; 2]], lanes: usize) -> [f32; 2] {
    assert!(
        lanes.is_power_of_two(),
        "a workgroup of {lanes} is no power of two"
    );
    let mut values: Vec<[f32; 2]> = (0..lanes)
        .map(|lane| list.iter().skip(lane).step_by(lanes).fold([0.0; 2], add))
        .collect();
    let mut half_width = lanes / 2;
    while half_width > 0 {
        for lane in 0..half_width {
            values[lane] = add(values[lane], &values[lane + half_width]);
        }
        half_width /= 2;
    }
    values[0]
}

fn add(a: [f32; 2], b: &[f32; 2]) -> [f32; 2] {
    [a[0] + b[0], a[1] + b[1]]
}
