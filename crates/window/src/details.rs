//! State of the simulation for the panel.

use std::sync::Arc;

use sastrugi::Parameter;

use super::input::Wanted;

/// State of the simulation that the panel shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Details {
    pub title: String,
    pub frame: u64,
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Steps per second; 0 before the first measurement.
    pub pace: f64,
    pub paused: bool,
    pub recording: bool,
    /// Names of the images; `shown` is the index of the shown one.
    pub images: Vec<String>,
    pub shown: usize,
    /// Size of the shown image, pixels.
    pub picture: [u32; 2],
    /// Parameters that the window sets.
    pub reads: Arc<Vec<Wanted>>,
    pub parameters: Arc<Vec<Parameter>>,
    /// Parameters that were changed in the window.
    pub changed: Vec<String>,
    /// Stages and their median times, ms per step or frame, slowest first.
    pub stages: Vec<(String, f64)>,
}
