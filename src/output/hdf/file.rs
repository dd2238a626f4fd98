//! A file with its superblock (section II.A) and its states.

use std::fs;
use std::io;

use super::attribute::{Attribute, Value};
use super::bytes::{Put, Take, UNDEFINED, damaged, seal, unseal};
use super::chunks::{Entry, Tree};
use super::dataset::{Dataset, Form};
use super::disk::{Disk, SUPERBLOCK};
use super::headers::{self, Members, Node};
use super::state::{self, DatasetState, State};

const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// A file to which frames are added.
pub struct File {
    pub(super) disk: Disk,
    datasets: Vec<Dataset>,
    forms: String,
    root: Option<u64>,
}

/// A file cannot be continued.
pub enum Unfit {
    Io(io::Error),
    /// It has datasets of other kinds.
    Other,
}

impl From<io::Error> for Unfit {
    fn from(error: io::Error) -> Unfit {
        Unfit::Io(error)
    }
}

impl File {
    /// An empty file, which becomes valid with its first state.
    pub fn create(file: fs::File, forms: &[Form]) -> File {
        File {
            disk: Disk::new(file, SUPERBLOCK as u64),
            datasets: forms.iter().map(Dataset::new).collect(),
            forms: hash(forms),
            root: None,
        }
    }

    /// Restores the last state before a frame, and removes what was added later. `None` if there is no such state.
    pub fn resume(file: fs::File, forms: &[Form], before: u64) -> Result<Option<File>, Unfit> {
        let length = file.metadata()?.len();
        let mut disk = Disk::new(file, length);
        let superblock = disk.read(0, SUPERBLOCK)?;
        let mut fields = Take(unseal(&superblock)?);
        if fields.bytes(12)? != [&SIGNATURE[..], &[2, 8, 8, 0]].concat() {
            return Err(damaged().into());
        }
        fields.bytes(24)?;
        let mut root = fields.number(8)?;
        let state = loop {
            let state = read_state(&mut disk, root)?;
            if state.forms != hash(forms) || state.datasets.len() != forms.len() {
                return Err(Unfit::Other);
            }
            match state.previous {
                _ if state.frame < before => break state,
                // States are behind their predecessors, so the search ends.
                Some(previous) if previous < root => root = previous,
                Some(_) => return Err(damaged().into()),
                None => return Ok(None),
            }
        };
        if state.end > length {
            return Err(damaged().into());
        }
        let mut datasets = Vec::new();
        for (form, state) in forms.iter().zip(&state.datasets) {
            datasets.push(restored(&mut disk, form, state)?);
        }
        disk.end = state.end;
        let mut file = File {
            disk,
            datasets,
            forms: state.forms,
            root: Some(root),
        };
        file.refer_to(root)?;
        file.disk.flush()?;
        // Only now: the superblock no longer refers to what is removed.
        file.disk.set_length()?;
        Ok(Some(file))
    }

    /// Rows of a dataset.
    pub fn rows(&self, dataset: usize) -> u64 {
        self.datasets[dataset].rows
    }

    /// Adds rows to a dataset.
    pub fn append(&mut self, dataset: usize, bytes: &[u8]) -> io::Result<()> {
        self.datasets[dataset].append(&mut self.disk, bytes)
    }

    /// Makes the rows so far a state of the file, with the members of its root. Returns the length of the file, and the hash
    /// of all bytes that were added.
    pub fn commit(&mut self, frame: u64, members: Members) -> io::Result<(u64, blake3::Hash)> {
        let mut names = vec![0; self.datasets.len()];
        members.iter().for_each(|(_, node)| count_names(node, &mut names));
        let mut addresses = Vec::new();
        let mut states = Vec::new();
        for (dataset, names) in self.datasets.iter_mut().zip(names) {
            let index = dataset.write_index(&mut self.disk)?;
            let header = headers::dataset(dataset, index, names)?;
            addresses.push(self.disk.add(&header)?);
            states.push(DatasetState {
                rows: dataset.rows,
                chunks: dataset.tree.chunks,
                root: index,
                last: dataset.last.map(|last| (last.bytes, last.address)),
                nodes: dataset.tree.nodes(),
            });
        }
        let mut links = Vec::new();
        for (name, node) in members {
            links.push((name, self.add(&node, &addresses)?));
        }
        let mut state = State {
            frame,
            end: 0,
            previous: self.root,
            forms: self.forms.clone(),
            datasets: states,
        };
        let root = self.add_root(&links, &mut state)?;
        self.disk.set_length()?;
        self.disk.flush()?;
        self.refer_to(root)?;
        self.root = Some(root);
        let hash = std::mem::replace(&mut self.disk.hash, blake3::Hasher::new());
        Ok((self.disk.end, hash.finalize()))
    }

    /// Ensures that the last state survives a power failure.
    pub fn flush(&self) -> io::Result<()> {
        self.disk.flush()
    }

    fn add(&mut self, node: &Node, datasets: &[u64]) -> io::Result<u64> {
        match node {
            Node::Dataset(number) => Ok(datasets[*number]),
            Node::Group(attributes, members) => {
                let mut links = Vec::new();
                for (name, node) in members {
                    links.push((name.clone(), self.add(node, datasets)?));
                }
                self.disk.add(&headers::group(attributes, &links)?)
            }
        }
    }

    /// Adds the root, whose state has the length of the file with it: the length that it has in digits changes it.
    fn add_root(&mut self, links: &[(String, u64)], state: &mut State) -> io::Result<u64> {
        let before = self.disk.end;
        loop {
            let text = serde_json::to_string(state)?;
            let attribute = Attribute::new(state::NAME, Value::Text(text));
            let header = headers::group(&[attribute], links)?;
            self.disk.end = before;
            let address = self.disk.reserve(header.len() as u64);
            if state.end == self.disk.end {
                self.disk.write(address, &header)?;
                return Ok(address);
            }
            state.end = self.disk.end;
        }
    }

    /// Writes the superblock, version 2.
    fn refer_to(&mut self, root: u64) -> io::Result<()> {
        let mut superblock = SIGNATURE.to_vec();
        // Version, bytes of addresses and of lengths, flags.
        superblock.extend([2, 8, 8, 0]);
        // The base of addresses; no extension.
        superblock.number(0, 8).number(UNDEFINED, 8);
        superblock.number(self.disk.end, 8).number(root, 8);
        seal(&mut superblock);
        self.disk.write(0, &superblock)
    }
}

/// A hash of the constant properties of datasets.
fn hash(forms: &[Form]) -> String {
    blake3::hash(format!("{forms:?}").as_bytes()).to_hex()[..16].to_owned()
}

fn count_names(node: &Node, names: &mut [u64]) {
    match node {
        Node::Dataset(number) => names[*number] += 1,
        Node::Group(_, members) => members.iter().for_each(|(_, node)| count_names(node, names)),
    }
}

fn read_state(disk: &mut Disk, root: u64) -> io::Result<State> {
    let prefix = disk.read(root, headers::PREFIX)?;
    let header = disk.read(root, headers::length(&prefix)?)?;
    let text = headers::text_of(&header, state::NAME)?;
    serde_json::from_str(&text).map_err(|_| damaged())
}

fn restored(disk: &mut Disk, form: &Form, state: &DatasetState) -> io::Result<Dataset> {
    let last = state.last.map(|(bytes, address)| Entry {
        chunk: state.chunks,
        bytes,
        address,
    });
    let shape = Dataset::new(form).shape;
    let tree = Tree::resume(disk, &shape, (state.chunks, last, state.root), &state.nodes)?;
    Dataset::resume(form, state.rows, tree, last, disk)
}
