//! CPU twin of reads of a field.

/// A field of floats, x fastest.
pub(super) struct Field {
    pub size: [u64; 3],
    pub components: usize,
    pub values: Vec<f32>,
    /// By axis: the outermost values are on the border, not half a cell inside.
    pub ends: [bool; 3],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Border {
    Background(f32),
    Clamp,
    Repeat,
    Symmetric,
    Antisymmetric,
}

impl Border {
    pub fn key(self) -> &'static str {
        match self {
            Border::Background(_) => "background",
            Border::Clamp => "clamp",
            Border::Repeat => "repeat",
            Border::Symmetric => "symmetric",
            Border::Antisymmetric => "antisymmetric",
        }
    }
}

impl Field {
    fn at(&self, index: [i64; 3]) -> &[f32] {
        let [nx, ny, _] = self.size;
        let [x, y, z] = index.map(|i| i as u64);
        let element = ((z * ny + y) * nx + x) as usize;
        &self.values[element * self.components..][..self.components]
    }

    /// The value at an index, within or beyond the border; of `repeat`, at most a period beyond.
    pub fn read(&self, index: [i64; 3], border: Border) -> Vec<f32> {
        self.read_each(index, [border; 3])
    }

    /// The same with a border for each axis.
    pub fn read_each(&self, index: [i64; 3], borders: [Border; 3]) -> Vec<f32> {
        let mut at = index;
        let mut sign = 1.0;
        for axis in 0..3 {
            let side = self.size[axis] as i64;
            match borders[axis] {
                Border::Background(value) if !(0..side).contains(&index[axis]) => {
                    return vec![value; self.components];
                }
                Border::Background(_) => {}
                Border::Clamp => at[axis] = index[axis].clamp(0, side - 1),
                Border::Repeat => at[axis] = index[axis].rem_euclid(side),
                Border::Symmetric | Border::Antisymmetric => {
                    // Twice the place of the border, from the value at index 0.
                    let [low, high] = if self.ends[axis] {
                        [0, 2 * side - 2]
                    } else {
                        [-1, 2 * side - 1]
                    };
                    let beyond = [low, high]
                        .into_iter()
                        .zip([index[axis] < 0, index[axis] >= side]);
                    for (twice, _) in beyond.filter(|(_, beyond)| *beyond) {
                        at[axis] = (twice - index[axis]).clamp(0, side - 1);
                        sign *= if borders[axis] == Border::Antisymmetric {
                            -1.0
                        } else {
                            1.0
                        };
                    }
                }
            }
        }
        self.at(at).iter().map(|value| sign * value).collect()
    }

    /// Linear between the values around a place, which is in spacings from the value at index 0.
    pub fn sample(&self, place: [f32; 3], axes: usize, border: Border) -> Vec<f32> {
        self.sample_each(place, axes, [border; 3])
    }

    /// The same with a border for each axis.
    pub fn sample_each(&self, place: [f32; 3], axes: usize, borders: [Border; 3]) -> Vec<f32> {
        let low = place.map(f32::floor);
        let part: Vec<f32> = (0..3).map(|axis| place[axis] - low[axis]).collect();
        let mut corners: Vec<Vec<f32>> = (0..1usize << axes)
            .map(|corner| {
                let step = |axis: usize| (corner >> axis & 1) as i64;
                self.read_each(std::array::from_fn(|axis| low[axis] as i64 + step(axis)), borders)
            })
            .collect();
        for part in part.iter().take(axes) {
            corners = corners
                .chunks_exact(2)
                .map(|pair| {
                    let between = |(a, b): (&f32, &f32)| a + part * (b - a);
                    pair[0].iter().zip(&pair[1]).map(between).collect()
                })
                .collect();
        }
        corners.swap_remove(0)
    }
}

#[test]
fn reference_lattice_handles_borders_and_sampling() {
    let field = Field {
        size: [2, 1, 1],
        components: 1,
        values: vec![1.0, 3.0],
        ends: [false; 3],
    };
    let read = |x: i64, border| field.read([x, 0, 0], border)[0];
    assert_eq!(read(-1, Border::Clamp), 1.0);
    assert_eq!(read(-1, Border::Repeat), 3.0);
    assert_eq!(read(2, Border::Background(7.0)), 7.0);
    assert_eq!(
        [-2, -1, 2, 3].map(|x| read(x, Border::Symmetric)),
        [3.0, 1.0, 3.0, 1.0]
    );
    assert_eq!(
        [-2, 0, 2].map(|x| read(x, Border::Antisymmetric)),
        [-3.0, 1.0, -3.0]
    );
    assert_eq!(field.sample([0.25, 0.0, 0.0], 3, Border::Clamp), [1.5]);
    assert_eq!(field.sample([1.5, 0.0, 0.0], 3, Border::Repeat), [2.0]);
    let mixed = [Border::Repeat, Border::Clamp, Border::Background(7.0)];
    assert_eq!(field.read_each([2, 5, 0], mixed), [1.0]);
    assert_eq!(field.read_each([2, 5, 1], mixed), [7.0]);
    let ends = Field {
        ends: [true; 3],
        values: vec![1.0, 3.0],
        ..field
    };
    assert_eq!(
        [-1, 2].map(|x| ends.read([x, 0, 0], Border::Symmetric)[0]),
        [3.0, 1.0]
    );
}
