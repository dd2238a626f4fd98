//! Particles to a grid (shaders/mpm/p2g.glsl), in integers. Particles are sorted by the cell of their lowest node. Slabs of
//! SLAB layers of cells write two layers more: all even slabs are processed in parallel, then all odd ones.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use crate::air;

// Values of mpm.json.
const UNITS: u32 = 262_144;
const QUANTA: f32 = 8.0;
const LIMIT: f32 = 20.0;
/// Layers of a slab; at least 2.
const SLAB: usize = 2;

/// Mass in units and momentum in quanta.
pub type Node = [i32; 4];

#[derive(Debug, Clone)]
pub struct Particles {
    /// Nodes along each side, and their distance.
    pub cells: usize,
    pub dx: f32,
    pub position: Vec<[f32; 3]>,
    pub velocity: Vec<[f32; 3]>,
    /// Columns of the affine matrix, 1/s.
    pub affine: Vec<[[f32; 3]; 3]>,
}

impl Particles {
    /// The particles of a run of mpm.json.
    pub fn read(directory: &Path) -> Result<Particles, Box<dyn Error>> {
        let (shape, _) = air::array::<u32>(directory, "mass", 1)?;
        let affine = air::vectors(directory, "affine", 1)?;
        Ok(Particles {
            cells: shape[0] as usize,
            dx: 1.0 / shape[0] as f32,
            position: air::vectors(directory, "position", 1)?,
            velocity: air::vectors(directory, "velocity", 1)?,
            affine: affine.as_chunks().0.to_vec(),
        })
    }

    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Nodes without mass.
    pub fn nodes(&self) -> Vec<Node> {
        vec![[0; 4]; self.cells.pow(3)]
    }

    /// Adds all particles to the nodes.
    pub fn p2g(&self, nodes: &mut [Node]) {
        let layer = self.cells * self.cells;
        for odd in [0, 1] {
            let first = odd * SLAB;
            let pairs = nodes[first * layer..]
                .par_chunks_mut(2 * SLAB * layer)
                .enumerate();
            pairs.for_each(|(pair, nodes)| {
                let low = first + 2 * SLAB * pair;
                for particle in self.in_layers(low..low + SLAB) {
                    self.add(particle, low, nodes);
                }
            });
        }
    }

    /// The particles whose lowest node is in these layers.
    fn in_layers(&self, layers: Range<usize>) -> Range<usize> {
        let below = |layer: usize| {
            let is_below = |x: &[f32; 3]| lowest(x[2] / self.dx) < layer as f32;
            self.position.partition_point(is_below)
        };
        below(layers.start)..below(layers.end)
    }

    /// Adds a particle to nodes that begin with layer `low`.
    #[inline(always)]
    fn add(&self, particle: usize, low: usize, nodes: &mut [Node]) {
        let at = self.position[particle].map(|x| x / self.dx);
        let base = at.map(lowest);
        let offset: [f32; 3] = std::array::from_fn(|axis| at[axis] - 0.5 - base[axis]);
        let weight = offset.map(|x| {
            let (left, middle, right) = (1.5 - x, x - 1.0, x - 0.5);
            [0.5 * left * left, 0.75 - middle * middle, 0.5 * right * right]
        });
        let mut masses = [0; 27];
        for (k, mass) in masses.iter_mut().enumerate() {
            let row = weight[1][k / 3 % 3] * weight[2][k / 9] * UNITS as f32;
            *mass = weight[0][k % 3].mul_add(row, 0.5) as i32;
        }
        masses[13] = 0;
        masses[13] = UNITS as i32 - masses.iter().sum::<i32>();
        let [x, y, z] = base.map(|x| x as usize);
        let (v, q) = (self.velocity[particle], self.affine[particle]);
        for k in 0..9 {
            let (j, k) = (k % 3, k / 3);
            let start = x + self.cells * (y + j + self.cells * (z + k - low));
            for (i, node) in nodes[start..start + 3].iter_mut().enumerate() {
                let mass = masses[i + 3 * (j + 3 * k)];
                let n = [i, j, k];
                let d: [f32; 3] = std::array::from_fn(|axis| (n[axis] as f32 - offset[axis]) * self.dx);
                node[0] += mass;
                for row in 0..3 {
                    let carried = v[row] + (q[0][row] * d[0] + q[1][row] * d[1] + q[2][row] * d[2]);
                    node[1 + row] += round(mass as f32 * QUANTA * carried.clamp(-LIMIT, LIMIT));
                }
            }
        }
    }
}

/// The lowest of the three nodes along an axis of a point, in cells.
fn lowest(at: f32) -> f32 {
    (at - 1.0).floor()
}

/// To the nearest, halves away from 0.
fn round(x: f32) -> i32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }) as i32
}

/// The nodes of a run of mpm.json.
pub fn read_nodes(directory: &Path) -> Result<Vec<Node>, Box<dyn Error>> {
    let (_, mass) = air::array::<u32>(directory, "mass", 1)?;
    let mut nodes: Vec<Node> = mass.into_iter().map(|mass| [mass as i32, 0, 0, 0]).collect();
    for (axis, name) in ["px", "py", "pz"].into_iter().enumerate() {
        let (_, momentum) = air::array::<i32>(directory, name, 1)?;
        nodes
            .iter_mut()
            .zip(momentum)
            .for_each(|(node, p)| node[1 + axis] = p);
    }
    Ok(nodes)
}
