//! What the panel tells of the simulation.

use std::sync::Arc;

use sastrugi::Parameter;

use super::input::Wanted;

/// The state of the simulation as the panel shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Details {
    pub title: String,
    pub frame: u64,
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Steps per second; 0 until they have been counted.
    pub pace: f64,
    pub paused: bool,
    pub recording: bool,
    /// Names of the images, and the number of the one that shows.
    pub images: Vec<String>,
    pub shown: usize,
    /// The size of that image.
    pub picture: [u32; 2],
    /// Parameters that the window sets.
    pub reads: Arc<Vec<Wanted>>,
    pub parameters: Arc<Vec<Parameter>>,
    /// Parameters that were changed in the window.
    pub changed: Vec<String>,
    /// Stages and their time, ms per step or frame: medians, the longest first.
    pub stages: Vec<(String, f64)>,
}
