//! Numbers of the parts of a pipeline.

/// Index into [`super::Pipeline::resources`].
pub type ResourceId = usize;
/// Index into [`super::Pipeline::fields`].
pub type FieldId = usize;
/// Index into [`super::Pipeline::kernels`].
pub type KernelId = usize;
/// Index into [`super::Pipeline::stages`].
pub type StageId = usize;
