//! CPU twin: the sparse matrix of Wepner 2019, section 3.3, written out from a mask, its regions, and a direct solver.

/// Kind of a side of the domain, numbered as in pipeline files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Closed,
    Open,
    Periodic,
}

/// Types of cells (0 fluid, 1 air, 2 solid) and the sides of the domain.
pub(super) struct Mask {
    pub size: [usize; 3],
    pub types: Vec<u32>,
    pub low: [Side; 3],
    pub high: [Side; 3],
}

impl Mask {
    pub fn is_fluid(&self, cell: usize) -> bool {
        self.types[cell] == 0
    }

    pub fn place(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// The cells behind the six faces of a cell; `None` for air beyond an open side. Closed sides have none.
    fn beside(&self, cell: usize) -> Vec<Option<usize>> {
        let place = self.place(cell);
        let mut found = Vec::new();
        for axis in 0..3 {
            for (up, side) in [(false, self.low[axis]), (true, self.high[axis])] {
                let n = self.size[axis];
                let at_side = place[axis] == if up { n - 1 } else { 0 };
                if at_side && side != Side::Periodic {
                    found.extend((side == Side::Open).then_some(None));
                    continue;
                }
                let mut next = place;
                next[axis] = (place[axis] + if up { 1 } else { n - 1 }) % n;
                found.push(Some(next[0] + self.size[0] * (next[1] + self.size[1] * next[2])));
            }
        }
        found
    }

    /// The row of a cell of fluid, dense: minus Wepner's. The number of neighbours that are not solid on the diagonal, -1
    /// for each one of fluid.
    pub fn row(&self, cell: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.types.len()];
        for beside in self.beside(cell) {
            match beside {
                Some(next) if self.types[next] == 2 => {}
                Some(next) if self.types[next] == 0 => {
                    row[cell] += 1.0;
                    row[next] -= 1.0;
                }
                _ => row[cell] += 1.0,
            }
        }
        row
    }

    /// A x in cells of fluid, 0 elsewhere.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        let apply = |cell: usize| {
            let beside = self.beside(cell).into_iter();
            beside
                .map(|next| match next {
                    Some(next) if self.types[next] == 2 => 0.0,
                    Some(next) if self.types[next] == 0 => x[cell] - x[next],
                    _ => x[cell],
                })
                .sum()
        };
        (0..self.types.len())
            .map(|cell| if self.is_fluid(cell) { apply(cell) } else { 0.0 })
            .collect()
    }

    /// The region of each cell of fluid: the first cell of it; and whether a region meets air.
    pub fn regions(&self) -> (Vec<Option<usize>>, Vec<bool>) {
        let mut region = vec![None; self.types.len()];
        let mut meets_air = vec![false; self.types.len()];
        for first in 0..self.types.len() {
            if !self.is_fluid(first) || region[first].is_some() {
                continue;
            }
            let mut open = vec![first];
            region[first] = Some(first);
            while let Some(cell) = open.pop() {
                for next in self.beside(cell) {
                    match next {
                        Some(next) if self.is_fluid(next) => {
                            if region[next].is_none() {
                                region[next] = Some(first);
                                open.push(next);
                            }
                        }
                        Some(next) if self.types[next] == 2 => {}
                        _ => meets_air[first] = true,
                    }
                }
            }
        }
        (region, meets_air)
    }

    /// `values` without their means over closed regions.
    pub fn without_means(&self, values: &[f64]) -> Vec<f64> {
        let (region, meets_air) = self.regions();
        let mut sums = vec![(0.0, 0.0); values.len()];
        for (value, root) in values.iter().zip(&region) {
            if let Some(root) = root {
                sums[*root].0 += value;
                sums[*root].1 += 1.0;
            }
        }
        let mean = |root: usize| {
            if meets_air[root] {
                0.0
            } else {
                sums[root].0 / sums[root].1
            }
        };
        let rest = values.iter().zip(&region);
        rest.map(|(value, root)| root.map_or(0.0, |root| value - mean(root)))
            .collect()
    }

    /// The solution by elimination; in closed regions the one without a mean.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (region, meets_air) = self.regions();
        let fluid: Vec<usize> = (0..b.len()).filter(|cell| self.is_fluid(*cell)).collect();
        let mut rows: Vec<Vec<f64>> = fluid
            .iter()
            .map(|cell| {
                let mut row = self.row(*cell);
                // The first cell of a closed region holds its constant down.
                let pinned = region[*cell] == Some(*cell) && !meets_air[*cell];
                row[*cell] += if pinned { 1.0 } else { 0.0 };
                let mut row: Vec<f64> = fluid.iter().map(|column| row[*column]).collect();
                row.push(b[*cell]);
                row
            })
            .collect();
        let n = fluid.len();
        for pivot in 0..n {
            let best = (pivot..n).max_by(|a, b| rows[*a][pivot].abs().total_cmp(&rows[*b][pivot].abs()));
            rows.swap(pivot, best.unwrap());
            let (upper, lower) = rows.split_at_mut(pivot + 1);
            let top = &upper[pivot];
            for row in lower.iter_mut().filter(|row| row[pivot] != 0.0) {
                let factor = row[pivot] / top[pivot];
                for (value, above) in row[pivot..].iter_mut().zip(&top[pivot..]) {
                    *value -= factor * above;
                }
            }
        }
        let mut x = vec![0.0; b.len()];
        for pivot in (0..n).rev() {
            let known: f64 = (pivot + 1..n).map(|k| rows[pivot][k] * x[fluid[k]]).sum();
            x[fluid[pivot]] = (rows[pivot][n] - known) / rows[pivot][pivot];
        }
        self.without_means(&x)
    }

    /// Iterations of conjugate gradients in 32-bit floats (Hestenes & Stiefel 1952) until |r| <= relative |b|.
    pub fn iterations(&self, b: &[f64], relative: f32) -> u32 {
        let beside: Vec<Vec<Option<usize>>> = (0..b.len()).map(|cell| self.beside(cell)).collect();
        let apply = |x: &[f32], cell: usize| -> f32 {
            beside[cell].iter().fold(0.0, |sum, next| match next {
                Some(next) if self.types[*next] == 2 => sum,
                Some(next) if self.types[*next] == 0 => sum + (x[cell] - x[*next]),
                _ => sum + x[cell],
            })
        };
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>() as f32;
        let mut r: Vec<f32> = b.iter().map(|b| *b as f32).collect();
        let mut d = r.clone();
        let mut rr = dot(&r, &r);
        let enough = relative * relative * rr;
        for turn in 0..10_000 {
            if rr <= enough {
                return turn;
            }
            let q: Vec<f32> = (0..b.len())
                .map(|cell| if self.is_fluid(cell) { apply(&d, cell) } else { 0.0 })
                .collect();
            let alpha = rr / dot(&d, &q);
            for (r, q) in r.iter_mut().zip(&q) {
                *r -= alpha * q;
            }
            let now = dot(&r, &r);
            let beta = now / rr;
            rr = now;
            for (d, r) in d.iter_mut().zip(&r) {
                *d = r + beta * *d;
            }
        }
        panic!("conjugate gradients did not converge")
    }
}
