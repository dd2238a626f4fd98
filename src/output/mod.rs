//! Frames to disk: encoders, a bounded queue of writer threads, and the manifest.
//!
//! A file under its final name is complete or absent ([`write_atomically`]), a full queue blocks the caller
//! ([`Writers::submit`]), and the first error of any thread is returned to the caller. Equal input gives equal files,
//! independent of the time of day and the order in which threads finish. This module does not depend on Vulkan or
//! pipeline files: the caller provides a [`Job`].

mod active;
mod atomic_file;
mod collection;
mod colormap;
mod common;
mod content;
mod convert;
mod error;
mod faces;
mod ffmpeg;
mod format;
mod formats;
mod growing;
mod hdf;
mod job;
mod log;
pub mod manifest;
mod map;
mod movie;
mod ordered;
mod payload;
mod picture;
mod select;
mod series;
mod staggered;
mod stale_parts;
mod writers;

pub use atomic_file::{FileDigest, add_to_hash, write_atomically};
pub use colormap::Colormap;
pub use common::{CommonFile, Mark, Selected, Share};
pub use content::{
    Column, Compression, Content, Faces, Geometry, Picked, Scalar, Selection, Style, VolumeClass,
};
pub use error::OutputError;
pub use format::Format;
pub use formats::{FormatKind, Setting, unfit};
pub use job::{Job, MAX_NAME_BYTES, check_name, frame_path};
pub use log::{Ticket, Written};
pub use map::Map;
pub use movie::check_ffmpeg;
pub use payload::Payload;
pub use series::{FrameColumn, Series};
pub use stale_parts::remove_stale_parts;
pub use writers::Writers;

/// The file with the scene of a whole run.
pub const SCENE: &str = "scene.usda";
