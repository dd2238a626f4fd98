//! The Vulkan layer on whatever device is here, lavapipe at least, under validation.

mod devices;
mod kernels;
mod memory;
mod misuse;
mod queues;
mod sparse;
mod sparse_misuse;
mod validation;

use super::common;
