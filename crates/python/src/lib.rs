//! The native part of the Python package, in terms of the public library. The package `sastrugi` (../python) is its only
//! client and has the documented interface.

mod device;
mod error;
mod facts;
mod memory;
mod picture;
mod run;
mod simulation;
mod spec;

use std::ffi::OsString;

use pyo3::prelude::*;
use sastrugi::shipped;

/// Runs the command line `sastrugi` and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| sastrugi_cli::main(arguments))
}

/// Name, driver, bytes of memory and usability of every device.
#[pyfunction]
fn devices(py: Python<'_>) -> PyResult<Vec<(String, String, u64, bool)>> {
    py.detach(device::list)
        .map_err(|error| error::exception(py, &error))
}

/// Names and titles of the shipped pipelines.
#[pyfunction]
fn pipelines() -> Vec<(&'static str, &'static str)> {
    shipped::pipelines()
        .iter()
        .map(|found| (found.name, found.title))
        .collect()
}

/// The text of a shipped pipeline, module or kernel.
#[pyfunction]
fn text(name: &str) -> Option<String> {
    shipped::text(name)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<memory::Memory>()?;
    module.add_function(wrap_pyfunction!(spec::check, module)?)?;
    module.add_function(wrap_pyfunction!(picture::png_of, module)?)?;
    module.add_function(wrap_pyfunction!(picture::film_of, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(devices, module)?)?;
    module.add_function(wrap_pyfunction!(pipelines, module)?)?;
    module.add_function(wrap_pyfunction!(text, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
