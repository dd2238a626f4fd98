//! Vulkan compute pipelines, written as data, for simulations that move particles over grids.
//!
//! Layers, lower ones first; a layer uses only those above it in this list:
//! [`spec`] (the pipeline file), [`shader`] (GLSL and SPIR-V), [`plan`] (commands and barriers as data),
//! [`gpu`] (the only place that calls Vulkan; knows no pipeline), [`grid`] (sparse grids as data), [`particles`]
//! (sets that grow and shrink, as data), [`output`] (writers of frames), [`run`] (joins them), [`cli`].

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod access;
pub mod cli;
pub mod element;
pub mod formula;
#[allow(
    unsafe_code,
    reason = "the one layer that calls Vulkan; every block argues its safety"
)]
pub mod gpu;
pub mod grid;
pub mod heights;
pub mod initial;
pub mod ir;
pub mod lower;
pub mod output;
pub mod particles;
pub mod plan;
pub mod problem;
pub mod run;
pub mod shader;
pub mod spec;
pub mod words;

// Tests say `sastrugi::` for what they test, wherever they are compiled.
#[cfg(test)]
extern crate self as sastrugi;
#[cfg(test)]
#[path = "../tests/engine/mod.rs"]
mod engine;
