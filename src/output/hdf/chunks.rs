//! The index of the chunks of a dataset: version 1 B-trees (section III.A.1), to which chunks are added in their order.
//!
//! A full node is written once. The nodes on the way to the last chunk are written anew for each state of the file. So nodes
//! have no siblings: a node that is complete cannot refer to one that will be elsewhere in the next state. Readers
//! descend from the root.

use std::io;

use super::bytes::{Put, Take, UNDEFINED, damaged};
use super::disk::Disk;

/// Children of a full node: twice the K that the format has for indices of chunks without another one in the superblock.
const CAPACITY: usize = 64;

/// A chunk, or a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    /// The number of the chunk, or of the first one below the node.
    pub chunk: u64,
    /// Bytes of this chunk in the file.
    pub bytes: u64,
    pub address: u64,
}

/// The shape of a dataset in chunks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    /// The sides of a chunk.
    pub chunk: Vec<u64>,
    /// Chunks for each step along the first axis; they are side by side along the second one.
    pub beside: u64,
    /// The first axis is left out.
    pub is_single: bool,
}

impl Shape {
    /// The place of a chunk: that of its first element.
    fn place(&self, chunk: u64) -> Vec<u64> {
        let mut place = vec![0; self.chunk.len()];
        place[0] = chunk / self.beside * self.chunk[0];
        if let Some(second) = place.get_mut(1) {
            *second = chunk % self.beside * self.chunk[1];
        }
        // Single: the chunk after the last one is beyond it along the second axis, not along the first.
        if self.is_single && chunk >= self.beside {
            place[1] = chunk * self.chunk[1];
        }
        place.split_off(usize::from(self.is_single))
    }

    fn rank(&self) -> usize {
        self.chunk.len() - usize::from(self.is_single)
    }

    /// Bytes of a key: the size of a chunk, the filters that were not used, its place, and 0 along the bytes of an element.
    fn key(&self) -> usize {
        8 + 8 * (self.rank() + 1)
    }

    fn put_key(&self, node: &mut Vec<u8>, bytes: u64, chunk: u64) {
        node.number(bytes, 4).number(0, 4);
        self.place(chunk).into_iter().for_each(|at| {
            node.number(at, 8);
        });
        node.number(0, 8);
    }

    /// Writes a node; `next` is the number of the first chunk behind it.
    fn write(&self, disk: &mut Disk, level: usize, entries: &[Entry], next: u64) -> io::Result<Entry> {
        let mut node = b"TREE".to_vec();
        node.number(1, 1).number(level as u64, 1);
        node.number(entries.len() as u64, 2)
            .number(UNDEFINED, 8)
            .number(UNDEFINED, 8);
        for entry in entries {
            self.put_key(&mut node, entry.bytes, entry.chunk);
            node.number(entry.address, 8);
        }
        self.put_key(&mut node, 0, next);
        node.resize(24 + (CAPACITY + 1) * self.key() + CAPACITY * 8, 0);
        let address = disk.add(&node)?;
        let first = entries.first().ok_or_else(damaged)?;
        Ok(Entry { address, ..*first })
    }

    /// Reads the first entries of a node.
    fn read(&self, disk: &mut Disk, address: u64, count: usize, level: usize) -> io::Result<Vec<Entry>> {
        if count > CAPACITY {
            return Err(damaged());
        }
        let node = disk.read(address, 24 + count * (self.key() + 8))?;
        let mut node = Take(&node);
        let kind = node.bytes(6)?;
        let used = node.number(2)?;
        if kind[..5] != *b"TREE\x01" || usize::from(kind[5]) != level || (used as usize) < count {
            return Err(damaged());
        }
        node.bytes(16)?;
        let entry = |_| {
            let bytes = node.number(4)?;
            node.number(4)?;
            let mut place = Vec::new();
            for _ in 0..=self.rank() {
                place.push(node.number(8)?);
            }
            let step = place[0] / self.chunk[0];
            let beside = if self.beside > 1 {
                place[1] / self.chunk[1]
            } else {
                0
            };
            Ok(Entry {
                chunk: step * self.beside + beside,
                bytes,
                address: node.number(8)?,
            })
        };
        (0..count).map(entry).collect()
    }
}

/// A tree that grows.
#[derive(Default)]
pub(super) struct Tree {
    /// The complete children of the last node of each level, the lowest first.
    levels: Vec<Vec<Entry>>,
    /// Number of chunks.
    pub chunks: u64,
    /// The root of the last state, for how many chunks, and with which last chunk; and the last nodes of its levels.
    written: Option<Written>,
}

#[derive(Clone)]
struct Written {
    chunks: u64,
    last: Option<Entry>,
    root: u64,
    nodes: Vec<(u64, usize)>,
}

impl Tree {
    /// Adds the next chunk.
    pub fn push(&mut self, disk: &mut Disk, shape: &Shape, bytes: u64, address: u64) -> io::Result<()> {
        let mut entry = Entry {
            chunk: self.chunks,
            bytes,
            address,
        };
        self.chunks += 1;
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(entry);
            if self.levels[level].len() < CAPACITY {
                break;
            }
            let full = std::mem::take(&mut self.levels[level]);
            entry = shape.write(disk, level, &full, self.chunks)?;
        }
        Ok(())
    }

    /// Writes the nodes on the way to the last chunk: `last`, if it is not complete. Returns the address of the root.
    pub fn root(&mut self, disk: &mut Disk, shape: &Shape, last: Option<Entry>) -> io::Result<u64> {
        if let Some(written) = &self.written
            && (written.chunks, written.last) == (self.chunks, last)
        {
            return Ok(written.root);
        }
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let next = self.chunks + u64::from(last.is_some());
        let mut child = last;
        let mut nodes = Vec::new();
        for (level, complete) in self.levels.iter().enumerate() {
            let above = self.levels[level + 1..].iter().any(|entries| !entries.is_empty());
            let mut entries = complete.clone();
            entries.extend(child);
            // A last node that is the only one is the root.
            if entries.is_empty() || (complete.is_empty() && !above && level > 0) {
                nodes.push((UNDEFINED, 0));
                continue;
            }
            let node = shape.write(disk, level, &entries, next)?;
            nodes.push((node.address, complete.len()));
            child = Some(node);
        }
        let root = child.map_or(UNDEFINED, |node| node.address);
        self.written = Some(Written {
            chunks: self.chunks,
            last,
            root,
            nodes,
        });
        Ok(root)
    }

    /// The last nodes of the levels of the last state, with the numbers of their complete children.
    pub fn nodes(&self) -> Vec<(u64, usize)> {
        self.written
            .as_ref()
            .map_or(Vec::new(), |written| written.nodes.clone())
    }

    /// The tree of a state.
    pub fn resume(
        disk: &mut Disk,
        shape: &Shape,
        (chunks, last, root): (u64, Option<Entry>, u64),
        nodes: &[(u64, usize)],
    ) -> io::Result<Tree> {
        let mut levels = Vec::new();
        for (level, (address, count)) in nodes.iter().enumerate() {
            levels.push(match count {
                0 => Vec::new(),
                _ => shape.read(disk, *address, *count, level)?,
            });
        }
        Ok(Tree {
            levels,
            chunks,
            written: Some(Written {
                chunks,
                last,
                root,
                nodes: nodes.to_vec(),
            }),
        })
    }
}

/// Writes a whole tree. Returns the address of its root.
pub(super) fn whole(disk: &mut Disk, shape: &Shape, mut entries: Vec<Entry>) -> io::Result<u64> {
    let end = entries.len() as u64;
    for level in 0.. {
        let mut above: Vec<Entry> = Vec::new();
        let mut parts = entries.chunks(CAPACITY).peekable();
        while let Some(part) = parts.next() {
            let next = parts.peek().map_or(end, |part| part[0].chunk);
            above.push(shape.write(disk, level, part, next)?);
        }
        entries = above;
        if entries.len() <= 1 {
            break;
        }
    }
    Ok(entries.first().map_or(UNDEFINED, |node| node.address))
}
