//! Runs particle and grid simulations on Vulkan devices, from pipelines written as data.
//!
//! A *pipeline* names grids, particle sets and buffers, and lists the *stages* (compute shaders) of a step. It
//! is JSON text, or built in Rust; shaders are files or strings. The engine checks it, places the barriers, and runs it
//! on any Vulkan 1.3 device, including processors.
//!
//! Heat in a box, from text to numbers, without a file:
//!
//! ```
//! use sastrugi::{Device, DeviceOptions, Pipeline, Simulation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pipeline = Pipeline::from_json(r#"{
//!     "parameters": {"n": 16, "rate": 0.1},
//!     "run": {"dt": "1/60"},
//!     "grids": {
//!         "box": {"cells": ["n", "n", "n"], "cell_size": 1, "channels": {"heat": "float", "next": "float"}}
//!     },
//!     "init": [{"stage": "warm", "over": "box", "writes": ["box.heat"]}],
//!     "step": [
//!         {"stage": "spread", "over": "box", "reads": ["box.heat"], "writes": ["box.next"], "arguments": {"rate": "rate"}},
//!         {"stage": "settle", "over": "box", "reads": ["box.next"], "writes": ["box.heat"]}
//!     ]
//! }"#)
//! .shader("warm.comp", r#"
//!     #version 460
//!     #include "stage.glsl"
//!     void stage(ivec3 cell) { set_box_heat(cell, cell == ivec3(4) ? 1000.0 : 0.0); }
//! "#)
//! .shader("spread.comp", r#"
//!     #version 460
//!     #include "stage.glsl"
//!     #pragma reach box_heat 1
//!     // Cells beyond the border are as warm as those at it.
//!     float at(ivec3 cell) { return box_heat(clamp(cell, ivec3(0), box_cells - 1)); }
//!     void stage(ivec3 cell) {
//!         float sum = -6.0 * at(cell);
//!         for (int axis = 0; axis < 3; axis++) {
//!             ivec3 side = ivec3(0);
//!             side[axis] = 1;
//!             sum += at(cell + side) + at(cell - side);
//!         }
//!         set_box_next(cell, at(cell) + arg.rate * sum);
//!     }
//! "#)
//! .shader("settle.comp", r#"
//!     #version 460
//!     #include "stage.glsl"
//!     void stage(ivec3 cell) { set_box_heat(cell, box_next(cell)); }
//! "#)
//! .set("n=12")
//! .build()?;
//!
//! # let device = Device::open(&DeviceOptions::default());
//! # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
//! # drop(device);
//! let device = Device::open(&DeviceOptions::default())?;
//! let mut simulation = Simulation::new(&device, &pipeline)?;
//! simulation.steps(60)?;
//! let heat: Vec<f32> = simulation.read("box.heat")?;
//! assert_eq!(heat.len(), 12 * 12 * 12);
//! // Heat spreads and none is lost.
//! let sum: f32 = heat.iter().sum();
//! assert!((sum - 1000.0).abs() < 0.1 && heat.iter().all(|heat| (0.0..100.0).contains(heat)));
//! # Ok(())
//! # }
//! ```
//!
//! - [`Pipeline`] and [`Builder`]: pipelines from text, files and Rust; [`Problems`] has every mistake at once.
//! - [`Device`] and [`Simulation`]: step by step in memory; fields are read and written by name, groups run between steps,
//!   and states are files.
//! - [`Run`]: whole runs with files on disk, followed by an [`Observer`].
//! - [`Ranks`]: the processes of one simulation that is cut into parts.
//!
//! - [`batch`]: sweeps of parameters, shares of a batch, and runs on several devices.
//! - [`shipped`]: the pipelines, modules and kernels that come with the library.
//!
//! Nothing here prints. The command line and the window are clients of these names, in packages of their own. `docs/spec.md` describes every key of a pipeline, and `docs/writing-a-stage.md`
//! the interface of shaders.

#![deny(unsafe_code)]
#![cfg_attr(not(feature = "internals"), deny(missing_docs))]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

/// Declares modules that are private, but for tests of the engine: those see them all.
macro_rules! inside {
    ($($(#[$attribute:meta])* $module:ident,)*) => {$(
        #[cfg(feature = "internals")]
        #[doc(hidden)]
        $(#[$attribute])*
        pub mod $module;
        #[cfg(not(feature = "internals"))]
        $(#[$attribute])*
        mod $module;
    )*};
}

inside! {
    access,
    api,
    cache,
    element,
    expr,
    #[allow(unsafe_code, reason = "the one layer that calls Vulkan; every block argues its safety")]
    gpu,
    grid,
    heights,
    initial,
    inline_shaders,
    input_file,
    ir,
    lower,
    output,
    particles,
    plan,
    problem,
    ranks,
    run,
    shader,
    shared_constants,
    spec,
    workgroups,
}

pub use api::{
    Bench, BenchCase, BenchOptions, BenchSweep, Builder, Component, CostLine, CostPoint, Device, DeviceInfo,
    DeviceOptions, Disturbance, DomainBench, Entry, Error, ErrorKind, Fault, Field, FieldMemory,
    FrameOptions, GraphFormat, Image, Keys, ListBench, MemoryPlace, ParticleCount, Pipeline, Run, Simulation,
    Snapshot, Spread, StageBench, Summary, Update, Work, batch, shipped, write_file,
};
pub use cache::user_directory as cache_directory;
pub use element::Element;
pub use gpu::Lowered;
pub use ir::{CutRequest, Effect, Input, Parameter, Whole};
pub use output::Colormap;
pub use problem::{MAX_SHOWN, Place, Problem, Problems, SourceText};
#[cfg(feature = "mpi")]
pub use ranks::Mpi;
pub use ranks::Ranks;
pub use run::{ChangeWriter, Changes, Earlier, Ending, Event, NoObserver, Observer, Options, Share};
pub use serde_json::{Value, json};
pub use spec::file::schema;
pub use spec::layout::of as format;

/// Pictures of simulations on a window of the program. Overlays are shapes of egui.
#[cfg(feature = "screen")]
pub mod screen {
    pub use crate::api::Screen;
    pub use crate::gpu::{Layout, Overlay, Shown, position};
}

/// Elevation models: PNG, GeoTIFF and ESRI ASCII grids.
pub mod elevation {
    pub use crate::heights::{
        Georeference, Header, Model, Projection, along_wind, downsample, examine, north_up, read, to_geotiff,
    };
}
