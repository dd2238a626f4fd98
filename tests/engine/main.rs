//! Tests of the library's internals, which the feature `internals` makes public. Tests that only start the program are in
//! `tests/program`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../physics/mod.rs"]
mod physics;
#[path = "../reference/mod.rs"]
mod reference;

/// The directory of the workspace.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

mod advection;
mod angular_momentum;
mod batch;
mod bedforms;
mod cache;
mod docs;
mod drift;
mod examples;
mod fft;
mod flip;
mod flow_physics;
mod flow_stages;
mod golden_plans;
mod gpu_layer;
mod lattices;
mod lbm;
mod lbm_surface;
mod loops;
mod matter_physics;
mod measures;
mod memory;
mod morton;
mod mpm;
mod output;
mod page_manager;
mod particles;
mod pic;
mod plan_properties;
mod portable;
mod pressure;
mod primitives;
mod processor;
mod races;
mod ranks;
mod reductions;
mod render;
mod schema;
mod shipped;
mod snow_meets;
mod snow_physics;
mod snow_stages;
mod sparse;
mod spectra;
mod spirv;
mod state;
mod traffic;
mod types;
mod validation;
