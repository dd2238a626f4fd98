//! The state of a file: what is required to continue it, as an attribute of its root.

use serde::{Deserialize, Serialize};

/// Name of the attribute.
pub(super) const NAME: &str = "state";

#[derive(Serialize, Deserialize)]
pub(super) struct State {
    /// The last frame.
    pub frame: u64,
    /// Length of the file.
    pub end: u64,
    /// The address of the root before.
    pub previous: Option<u64>,
    /// A hash of the constant properties of the datasets.
    pub forms: String,
    pub datasets: Vec<DatasetState>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct DatasetState {
    pub rows: u64,
    pub chunks: u64,
    /// The address of the index.
    pub root: u64,
    /// The last chunk, if it has room for rows: bytes and address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<(u64, u64)>,
    /// Addresses of the last nodes of the index, with the numbers of their complete children.
    pub nodes: Vec<(u64, usize)>,
}
