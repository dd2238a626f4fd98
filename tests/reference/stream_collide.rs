//! `shaders/lbm/stream_collide.comp`, with two copies of the populations, in doubles: the values differ from the shader's by
//! its rounding, and by nothing that its order of memory could do.

pub const FLUID: u32 = 0;
pub const SOLID: u32 = 2;
pub const BODY: u32 = 3;

/// Velocities in cells a step, each but the first followed by its opposite, and their weights.
pub struct Lattice {
    pub velocities: Vec<[i64; 3]>,
    pub weights: Vec<f64>,
}

impl Lattice {
    pub fn new(populations: usize) -> Lattice {
        let axes: &[[i64; 3]] = &[[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let edges: &[[i64; 3]] = &[
            [1, 1, 0],
            [1, -1, 0],
            [1, 0, 1],
            [1, 0, -1],
            [0, 1, 1],
            [0, 1, -1],
        ];
        let corners: &[[i64; 3]] = &[[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];
        let (pairs, weights): (Vec<_>, &[f64]) = match populations {
            9 => (
                [&axes[..2], &edges[..2]].concat(),
                &[4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0],
            ),
            19 => ([axes, edges].concat(), &[1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0]),
            27 => (
                [axes, edges, corners].concat(),
                &[8.0 / 27.0, 2.0 / 27.0, 1.0 / 54.0, 1.0 / 216.0],
            ),
            _ => panic!("no lattice of {populations} velocities"),
        };
        let both = pairs.iter().flat_map(|c| [*c, c.map(|c| -c)]);
        let velocities: Vec<[i64; 3]> = std::iter::once([0; 3]).chain(both).collect();
        let length = |c: &[i64; 3]| c.iter().map(|c| c.unsigned_abs() as usize).sum::<usize>();
        let weights = velocities.iter().map(|c| weights[length(c)]).collect();
        Lattice { velocities, weights }
    }

    fn equilibrium(&self, k: usize, rho: f64, u: [f64; 3]) -> f64 {
        let cu = dot(self.velocities[k].map(|c| c as f64), u);
        self.weights[k] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * dot(u, u))
    }
}

fn opposite(k: usize) -> usize {
    if k == 0 { 0 } else { ((k - 1) ^ 1) + 1 }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A periodic box: cells x fastest, velocities and accelerations in units of a cell and a step.
pub struct Fluid {
    pub lattice: Lattice,
    pub size: [i64; 3],
    pub kinds: Vec<u32>,
    pub rho: Vec<f64>,
    pub u: Vec<[f64; 3]>,
    pub acceleration: [f64; 3],
    /// Rates of relaxation of the even and the odd part.
    pub rates: [f64; 2],
    f: Vec<Vec<f64>>,
}

impl Fluid {
    pub fn new(
        lattice: Lattice,
        size: [i64; 3],
        kinds: Vec<u32>,
        rho: Vec<f64>,
        u: Vec<[f64; 3]>,
        rates: [f64; 2],
    ) -> Fluid {
        let start = |k| {
            rho.iter()
                .zip(&u)
                .map(|(rho, u)| lattice.equilibrium(k, *rho, *u))
                .collect()
        };
        let f = (0..lattice.weights.len()).map(start).collect();
        Fluid {
            lattice,
            size,
            kinds,
            rho,
            u,
            acceleration: [0.0; 3],
            rates,
            f,
        }
    }

    /// The cell that is `c` farther from cell `i`.
    fn beside(&self, i: usize, c: [i64; 3]) -> usize {
        let [nx, ny, nz] = self.size;
        let i = i as i64;
        let [x, y, z] = [
            (i % nx + c[0]).rem_euclid(nx),
            (i / nx % ny + c[1]).rem_euclid(ny),
            (i / (nx * ny) + c[2]).rem_euclid(nz),
        ];
        ((z * ny + y) * nx + x) as usize
    }

    /// Population that streams into cell `i` along velocity `k`.
    fn incoming(&self, i: usize, k: usize) -> f64 {
        let c = self.lattice.velocities[k];
        let from = self.beside(i, c.map(|c| -c));
        match self.kinds[from] {
            FLUID => self.f[k][from],
            kind => {
                let u = if kind == BODY { self.u[from] } else { [0.0; 3] };
                self.f[opposite(k)][i] + 6.0 * self.lattice.weights[k] * dot(c.map(|c| c as f64), u)
            }
        }
    }

    pub fn step(&mut self) {
        let mut next = self.f.clone();
        let count = self.lattice.weights.len();
        for i in (0..self.kinds.len()).filter(|i| self.kinds[*i] == FLUID) {
            let f: Vec<f64> = (0..count).map(|k| self.incoming(i, k)).collect();
            let rho: f64 = f.iter().sum();
            let force = self.acceleration.map(|a| rho * a);
            let u: [f64; 3] = std::array::from_fn(|a| {
                let momentum: f64 = (0..count)
                    .map(|k| self.lattice.velocities[k][a] as f64 * f[k])
                    .sum();
                (momentum + 0.5 * force[a]) / rho
            });
            let source = |k: usize| {
                let c = self.lattice.velocities[k].map(|c| c as f64);
                let towards: [f64; 3] = std::array::from_fn(|a| 3.0 * (c[a] - u[a]) + 9.0 * dot(c, u) * c[a]);
                self.lattice.weights[k] * dot(towards, force)
            };
            for k in 0..count {
                let o = opposite(k);
                let [e, eo] = [k, o].map(|k| self.lattice.equilibrium(k, rho, u));
                let part = |sign: f64, rate: f64| {
                    let lack = 0.5 * (e + sign * eo) - 0.5 * (f[k] + sign * f[o]);
                    rate * lack + (1.0 - 0.5 * rate) * 0.5 * (source(k) + sign * source(o))
                };
                next[k][i] = f[k] + part(1.0, self.rates[0]) + part(-1.0, self.rates[1]);
            }
            self.rho[i] = rho;
            self.u[i] = u;
        }
        self.f = next;
    }

    /// The force on the bodies: what goes into them after this step, less what will come back.
    pub fn force(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for i in (0..self.kinds.len()).filter(|i| self.kinds[*i] == FLUID) {
            for k in 1..self.lattice.weights.len() {
                let c = self.lattice.velocities[k];
                if self.kinds[self.beside(i, c)] == BODY {
                    // Without the share of a fluid at rest, which is no force on a closed body.
                    let both = self.f[k][i] + self.incoming(i, opposite(k)) - 2.0 * self.lattice.weights[k];
                    (0..3).for_each(|a| sum[a] += both * c[a] as f64);
                }
            }
        }
        sum
    }
}
