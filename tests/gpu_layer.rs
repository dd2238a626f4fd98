//! The Vulkan layer on whatever device is here, lavapipe at least, under validation.

mod common;

#[path = "gpu_layer/devices.rs"]
mod devices;
#[path = "gpu_layer/kernels.rs"]
mod kernels;
#[path = "gpu_layer/memory.rs"]
mod memory;
#[path = "gpu_layer/misuse.rs"]
mod misuse;
#[path = "gpu_layer/queues.rs"]
mod queues;
#[path = "gpu_layer/sparse.rs"]
mod sparse;
#[path = "gpu_layer/sparse_misuse.rs"]
mod sparse_misuse;
#[path = "gpu_layer/validation.rs"]
mod validation;
