//! Trees of OpenVDB: a root with nodes of 32³ children, which have 16³ children, which are leaves of 8³ voxels. A file
//! has the masks of all nodes first, then the values of the leaves, in the order of the tree.
//!
//! Format: OpenVDB, `tree/RootNode.h`, `InternalNode.h`, `LeafNode.h`, `io/Compression.h`, file version 224.

use std::io;

use super::pack::Packing;

/// Voxels along a side of a leaf.
pub(super) const LEAF: usize = 8;
/// Voxels of a leaf.
pub(super) const VOXELS: usize = LEAF * LEAF * LEAF;
/// Sides of inner nodes, in children, from the root down.
const SIDES: [usize; 2] = [32, 16];
/// The byte before values: all inactive values are the background, and only active values follow.
const ACTIVE_ALONE: u8 = 0;

/// The values of a leaf, and its mask; voxel (x, y, z) is number 64 x + 8 y + z.
pub(super) struct Leaf {
    pub mask: [u8; VOXELS / 8],
    /// The values of the active voxels in order, as in the file.
    pub values: Vec<u8>,
}

impl Leaf {
    pub fn new() -> Leaf {
        Leaf {
            mask: [0; VOXELS / 8],
            values: Vec::new(),
        }
    }

    /// The number of a voxel, from its place in the leaf.
    pub fn number([x, y, z]: [usize; 3]) -> usize {
        (x * LEAF + y) * LEAF + z
    }

    pub fn set_on(&mut self, number: usize) {
        self.mask[number / 8] |= 1 << (number % 8);
    }

    pub fn is_on(&self, number: usize) -> bool {
        self.mask[number / 8] >> (number % 8) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.mask.iter().all(|byte| *byte == 0)
    }
}

/// The encoding of values.
#[derive(Clone, Copy)]
pub(super) struct Coding {
    pub packing: Packing,
    /// Bytes of one number in the file.
    pub size: usize,
    /// Floats of 16 bits: chunks without values are then left out.
    pub half: bool,
}

/// The two parts of a tree in a file.
pub(super) struct Tree {
    pub topology: Vec<u8>,
    pub buffers: Vec<u8>,
    /// Active voxels.
    pub voxels: u64,
    /// The first and the last of them along each axis.
    pub bounds: Option<[[i32; 3]; 2]>,
}

impl Tree {
    /// The tree of the leaves that `leaf` has at the voxels from 0 to `sides`: it gets the first voxel of each.
    pub fn new(
        sides: [usize; 3],
        background: &[u8],
        coding: Coding,
        leaf: &dyn Fn([usize; 3]) -> io::Result<Leaf>,
    ) -> io::Result<Tree> {
        let mut walk = Walk {
            sides,
            coding,
            leaf,
            tree: Tree {
                topology: Vec::new(),
                buffers: Vec::new(),
                voxels: 0,
                bounds: None,
            },
        };
        // One buffer per leaf; no tiles.
        walk.put(&1u32.to_le_bytes());
        walk.put(background);
        walk.put(&0u32.to_le_bytes());
        let count = walk.tree.topology.len();
        walk.put(&[0; 4]);
        let mut children = 0u32;
        let extent = extent(0);
        let nodes = sides.map(|side| side.div_ceil(extent));
        for node in lattice(nodes) {
            let first = node.map(|at| at * extent);
            let start = walk.tree.topology.len();
            for at in first {
                walk.put(&(at as i32).to_le_bytes());
            }
            if walk.node(0, first)? {
                children += 1;
            } else {
                walk.tree.topology.truncate(start);
            }
        }
        walk.tree.topology[count..count + 4].copy_from_slice(&children.to_le_bytes());
        Ok(walk.tree)
    }
}

/// Voxels along a side of an inner node.
fn extent(level: usize) -> usize {
    LEAF * SIDES[level..].iter().product::<usize>()
}

/// The places of a lattice, z fastest.
fn lattice([x, y, z]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..x).flat_map(move |x| (0..y).flat_map(move |y| (0..z).map(move |z| [x, y, z])))
}

struct Walk<'a> {
    sides: [usize; 3],
    coding: Coding,
    leaf: &'a dyn Fn([usize; 3]) -> io::Result<Leaf>,
    tree: Tree,
}

impl Walk<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.tree.topology.extend_from_slice(bytes);
    }

    /// Adds an inner node and everything below it. Returns false, and adds nothing, if it has no leaves.
    fn node(&mut self, level: usize, first: [usize; 3]) -> io::Result<bool> {
        let (side, start) = (SIDES[level], self.tree.topology.len());
        let child = extent(level) / side;
        let mut mask = vec![0; side * side * side / 8];
        // The mask of children, which is known at the end, the one of active tiles, and no values of tiles.
        self.tree.topology.resize(start + 2 * mask.len(), 0);
        self.put(&[ACTIVE_ALONE]);
        self.chunk_without_values()?;
        let inside: [usize; 3] = std::array::from_fn(|axis| {
            let rest = self.sides[axis].saturating_sub(first[axis]);
            rest.div_ceil(child).min(side)
        });
        for [x, y, z] in lattice(inside) {
            let corner = [first[0] + x * child, first[1] + y * child, first[2] + z * child];
            let is_there = if level + 1 < SIDES.len() {
                self.node(level + 1, corner)?
            } else {
                self.add_leaf(corner)?
            };
            if is_there {
                let number = (x * side + y) * side + z;
                mask[number / 8] |= 1 << (number % 8);
            }
        }
        let has_children = mask.iter().any(|byte| *byte != 0);
        if has_children {
            self.tree.topology[start..start + mask.len()].copy_from_slice(&mask);
        } else {
            self.tree.topology.truncate(start);
        }
        Ok(has_children)
    }

    fn add_leaf(&mut self, corner: [usize; 3]) -> io::Result<bool> {
        let leaf = (self.leaf)(corner)?;
        if leaf.is_empty() {
            return Ok(false);
        }
        self.put(&leaf.mask);
        let out = &mut self.tree.buffers;
        out.extend_from_slice(&leaf.mask);
        out.push(ACTIVE_ALONE);
        self.coding.packing.add(&leaf.values, self.coding.size, out)?;
        self.count(&leaf, corner);
        Ok(true)
    }

    /// Counts the active voxels of a leaf.
    fn count(&mut self, leaf: &Leaf, corner: [usize; 3]) {
        self.tree.voxels += leaf
            .mask
            .iter()
            .map(|byte| u64::from(byte.count_ones()))
            .sum::<u64>();
        // Of a box, the corners alone matter.
        let step = if leaf.mask.iter().all(|byte| *byte == u8::MAX) {
            LEAF - 1
        } else {
            1
        };
        for place in lattice([LEAF; 3]) {
            if place.iter().all(|at| at.is_multiple_of(step)) && leaf.is_on(Leaf::number(place)) {
                let voxel = std::array::from_fn(|axis| (corner[axis] + place[axis]) as i32);
                let [low, high] = self.tree.bounds.unwrap_or([voxel; 2]);
                let ends = |end: fn(i32, i32) -> i32, bound: [i32; 3]| {
                    std::array::from_fn(|axis| end(bound[axis], voxel[axis]))
                };
                self.tree.bounds = Some([ends(i32::min, low), ends(i32::max, high)]);
            }
        }
    }

    fn chunk_without_values(&mut self) -> io::Result<()> {
        if self.coding.half {
            return Ok(());
        }
        let Coding { packing, size, .. } = self.coding;
        packing.add(&[], size, &mut self.tree.topology)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_leaves_are_left_out() {
        let coding = Coding {
            packing: Packing::new(Some(super::super::Compression::None)),
            size: 4,
            half: false,
        };
        let tree = |far: usize| {
            let leaf = |corner: [usize; 3]| {
                let mut leaf = Leaf::new();
                if corner == [far, 0, 0] {
                    leaf.set_on(Leaf::number([1, 2, 3]));
                    leaf.values = vec![7; 4];
                }
                Ok(leaf)
            };
            Tree::new([4104, 8, 8], &[0; 4], coding, &leaf).unwrap()
        };
        // The second node of the root has one child in each level.
        let found = tree(4096);
        assert_eq!(
            (found.voxels, found.bounds),
            (1, Some([[4097, 2, 3]; 2])),
            "of all leaves"
        );
        let words = |at: usize| i32::from_le_bytes(*found.topology[at..].first_chunk().unwrap());
        assert_eq!([8, 12, 16, 20, 24].map(words), [0, 1, 4096, 0, 0]);
        let sides: usize = SIDES.iter().map(|side| 2 * side * side * side / 8 + 1).sum();
        assert_eq!(found.topology.len(), 28 + sides + VOXELS / 8);
        assert_eq!(found.buffers.len(), VOXELS / 8 + 1 + 4);
        // Control: another leaf is in the first node, and without one there are no nodes.
        assert_ne!(tree(0).topology, found.topology);
        assert_eq!(tree(1).topology.len(), 16);
    }
}
