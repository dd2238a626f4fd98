//! Datasets whose rows are added in order.

use std::io::{self, Read, Write};

use flate2::Compression as Effort;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::super::content::Scalar;
use super::attribute::Attribute;
use super::bytes::damaged;
use super::chunks::{Entry, Shape, Tree, whole};
use super::disk::Disk;

/// Bytes of a chunk at most, unless a single row has more: the size of the cache that HDF5 has by default for the chunks of
/// a dataset.
const CHUNK: u64 = 1 << 20;

/// The constant properties of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub scalar: Scalar,
    /// The sides of a row: all but the first one.
    pub row: Vec<u64>,
    /// A row is one frame; a dataset with only one row has no axis for them, as VTK expects of a single step.
    pub is_stack: bool,
    /// Rows of a chunk at most.
    pub rows: u64,
    /// Effort of deflate, after a shuffle of the bytes of the numbers.
    pub deflate: Option<u32>,
    pub attributes: Vec<Attribute>,
}

impl Form {
    pub fn row_bytes(&self) -> u64 {
        self.row.iter().product::<u64>() * self.scalar.size()
    }

    /// The sides of a chunk: whole rows, or parts of a frame along its first axis.
    fn shape(&self) -> Shape {
        let mut chunk = vec![1];
        chunk.extend(&self.row);
        let mut beside = 1;
        if let (true, Some(side)) = (self.is_stack, self.row.first()) {
            // Parts of about the same size.
            let most = (CHUNK * side / self.row_bytes().max(1)).clamp(1, *side);
            chunk[1] = side.div_ceil(side.div_ceil(most));
            beside = side.div_ceil(chunk[1]);
        } else {
            chunk[0] = (CHUNK / self.row_bytes().max(1)).min(self.rows).max(1);
        }
        Shape {
            chunk,
            beside,
            is_single: false,
        }
    }
}

pub(super) struct Dataset {
    pub form: Form,
    pub rows: u64,
    pub shape: Shape,
    pub tree: Tree,
    /// The last chunk, if it has room for rows.
    pub last: Option<Entry>,
    /// Its rows, if it is compressed.
    partial: Vec<u8>,
    /// The chunks of the first frame, until it is written.
    first: Vec<Entry>,
}

impl Dataset {
    pub fn new(form: &Form) -> Dataset {
        Dataset {
            shape: form.shape(),
            form: form.clone(),
            rows: 0,
            tree: Tree::default(),
            last: None,
            partial: Vec::new(),
            first: Vec::new(),
        }
    }

    /// The dataset of a state, whose tree and last chunk have been read.
    pub fn resume(
        form: &Form,
        rows: u64,
        tree: Tree,
        last: Option<Entry>,
        disk: &mut Disk,
    ) -> io::Result<Dataset> {
        let mut dataset = Dataset {
            rows,
            tree,
            last,
            ..Dataset::new(form)
        };
        if let (Some(_), Some(last)) = (form.deflate, last) {
            let packed = disk.read(last.address, last.bytes as usize)?;
            let mut rows = unpacked(&packed, form.scalar, dataset.chunk_bytes())?;
            rows.truncate(dataset.partial_bytes());
            dataset.partial = rows;
        }
        Ok(dataset)
    }

    pub fn chunk_bytes(&self) -> usize {
        (self.shape.chunk.iter().product::<u64>() * self.form.scalar.size()) as usize
    }

    /// Bytes of the rows in a chunk that is not full.
    fn partial_bytes(&self) -> usize {
        (self.rows % self.shape.chunk[0] * self.form.row_bytes()) as usize
    }

    /// Adds rows.
    pub fn append(&mut self, disk: &mut Disk, bytes: &[u8]) -> io::Result<()> {
        let row = self.form.row_bytes().max(1);
        let rows = bytes.len() as u64 / row;
        if rows * row != bytes.len() as u64 || (self.form.is_stack && rows != 1) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "rows are incomplete"));
        }
        match (self.form.is_stack, self.form.deflate) {
            (true, _) => {
                let size = self.chunk_bytes();
                let parts: Vec<Vec<u8>> = bytes.chunks(size).map(|part| padded(part, size)).collect();
                self.add_full(disk, &parts)?;
            }
            (false, None) => self.fill(disk, bytes)?,
            (false, Some(_)) => self.pack(disk, bytes)?,
        }
        self.rows += rows;
        Ok(())
    }

    /// Adds rows in place: behind those that the file has.
    fn fill(&mut self, disk: &mut Disk, mut bytes: &[u8]) -> io::Result<()> {
        let size = self.chunk_bytes();
        let mut filled = self.partial_bytes();
        while !bytes.is_empty() {
            let last = match self.last {
                Some(last) => last,
                None => Entry {
                    chunk: self.tree.chunks,
                    bytes: size as u64,
                    address: disk.reserve(size as u64),
                },
            };
            let (front, rest) = bytes.split_at(bytes.len().min(size - filled));
            disk.write(last.address + filled as u64, front)?;
            (bytes, filled) = (rest, filled + front.len());
            self.last = Some(last);
            if filled == size {
                self.tree.push(disk, &self.shape, last.bytes, last.address)?;
                (self.last, filled) = (None, 0);
            }
        }
        Ok(())
    }

    /// Adds compressed chunks; the rows of the last one are compressed again with the next ones.
    fn pack(&mut self, disk: &mut Disk, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let size = self.chunk_bytes();
        let mut rows = std::mem::take(&mut self.partial);
        rows.extend_from_slice(bytes);
        let full: Vec<Vec<u8>> = rows.chunks_exact(size).map(<[u8]>::to_vec).collect();
        self.partial = rows.split_off(full.len() * size);
        self.add_full(disk, &full)?;
        self.last = None;
        if !self.partial.is_empty() {
            let packed = self.packed(&padded(&self.partial, size))?;
            self.last = Some(Entry {
                chunk: self.tree.chunks,
                bytes: packed.len() as u64,
                address: disk.add(&packed)?,
            });
        }
        Ok(())
    }

    fn add_full(&mut self, disk: &mut Disk, parts: &[Vec<u8>]) -> io::Result<()> {
        let packed = parts.par_iter().map(|part| self.packed(part));
        let packed: Vec<Vec<u8>> = packed.collect::<io::Result<_>>()?;
        for part in packed {
            let address = disk.add(&part)?;
            let entry = Entry {
                chunk: self.tree.chunks,
                bytes: part.len() as u64,
                address,
            };
            if self.form.is_stack && self.rows == 0 {
                self.first.push(entry);
            }
            self.tree.push(disk, &self.shape, entry.bytes, address)?;
        }
        Ok(())
    }

    /// The bytes of a chunk in the file.
    fn packed(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let Some(effort) = self.form.deflate else {
            return Ok(bytes.to_vec());
        };
        let size = self.form.scalar.size() as usize;
        let shuffled: Vec<u8> = (0..size)
            .flat_map(|byte| bytes.iter().skip(byte).step_by(size))
            .copied()
            .collect();
        let mut encoder = ZlibEncoder::new(Vec::new(), Effort::new(effort));
        encoder.write_all(&shuffled)?;
        encoder.finish()
    }

    /// True if the dataset has no axis for its rows.
    pub fn is_single(&self) -> bool {
        self.form.is_stack && self.rows == 1
    }

    /// Writes the index of the chunks. Returns its address.
    pub fn write_index(&mut self, disk: &mut Disk) -> io::Result<u64> {
        let root = self.tree.root(disk, &self.shape, self.last)?;
        if !self.is_single() || self.first.is_empty() {
            return Ok(root);
        }
        let single = Shape {
            is_single: true,
            ..self.shape.clone()
        };
        whole(disk, &single, std::mem::take(&mut self.first))
    }
}

fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(size, 0);
    bytes
}

fn unpacked(packed: &[u8], scalar: Scalar, size: usize) -> io::Result<Vec<u8>> {
    let mut shuffled = Vec::new();
    ZlibDecoder::new(packed)
        .take(size as u64 + 1)
        .read_to_end(&mut shuffled)?;
    if shuffled.len() != size {
        return Err(damaged());
    }
    let numbers = size / scalar.size() as usize;
    let number = |at: usize| shuffled.iter().skip(at).step_by(numbers);
    Ok((0..numbers).flat_map(number).copied().collect())
}
