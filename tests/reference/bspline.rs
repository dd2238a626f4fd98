//! Twin of shaders/lib/bspline.glsl.

pub struct Spline {
    pub base: [i32; 3],
    pub offset: [f32; 3],
    pub weight: [[f32; 3]; 3],
}

pub fn spline_at(at: [f32; 3]) -> Spline {
    let low = at.map(|x| (x - 1.0).floor());
    let offset: [f32; 3] = std::array::from_fn(|axis| at[axis] - 0.5 - low[axis]);
    let weight = [
        offset.map(|x| 0.5 * (1.5 - x) * (1.5 - x)),
        offset.map(|x| 0.75 - (x - 1.0) * (x - 1.0)),
        offset.map(|x| 0.5 * (x - 0.5) * (x - 0.5)),
    ];
    Spline {
        base: low.map(|x| x as i32),
        offset,
        weight,
    }
}

impl Spline {
    pub fn weight(&self, n: [usize; 3]) -> f32 {
        self.weight[n[0]][0] * self.weight[n[1]][1] * self.weight[n[2]][2]
    }

    pub fn gradient(&self, n: [usize; 3]) -> [f32; 3] {
        std::array::from_fn(|along| {
            let factor = |axis: usize| {
                let x = self.offset[axis];
                let slope = [x - 1.5, 2.0 - 2.0 * x, x - 0.5];
                if axis == along {
                    slope[n[axis]]
                } else {
                    self.weight[n[axis]][axis]
                }
            };
            factor(0) * factor(1) * factor(2)
        })
    }
}

/// The 27 nodes of a point, x fastest.
pub fn nodes() -> impl Iterator<Item = [usize; 3]> {
    (0..27).map(|k| [k % 3, k / 3 % 3, k / 9])
}
