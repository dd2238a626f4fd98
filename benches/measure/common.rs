//! Helpers of all measurements.

use std::error::Error;

use sastrugi::gpu::{Gpu, OpenOptions};

/// Result of a measurement; `main` prints any error.
pub type Measured = Result<(), Box<dyn Error>>;

/// Opens the default device.
pub fn open() -> Result<Gpu, Box<dyn Error>> {
    let gpu = Gpu::open(&OpenOptions::default())?;
    println!("device: {}", gpu.report().name);
    Ok(gpu)
}

pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
