//! Vulkan compute pipelines, written as data, for simulations that move particles over grids.
//!
//! Layers, lower ones first; a layer uses only those above it in this list:
//! [`spec`] (the pipeline file), [`shader`] (GLSL and SPIR-V), [`plan`] (commands and barriers as data),
//! [`gpu`] (the only place that calls Vulkan; knows no pipeline), [`grid`] (sparse grids as data), [`particles`]
//! (sets that grow and shrink, as data), [`output`] (writers of frames), [`run`] (joins them), [`cli`].

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod access;
pub mod cache;
pub mod cli;
#[allow(
    unsafe_code,
    reason = "the one layer that calls Vulkan; every block argues its safety"
)]
pub mod gpu;
pub mod grid;
pub mod output;
pub mod particles;
pub mod plan;
pub mod run;
pub mod shader;
pub mod spec;
