//! Numbers of the parts of a pipeline.

/// Index into [`super::Pipeline::resources`].
pub(crate) type ResourceId = usize;
/// Index into [`super::Pipeline::fields`].
pub(crate) type FieldId = usize;
/// Index into [`super::Pipeline::kernels`].
pub(crate) type KernelId = usize;
/// Index into [`super::Pipeline::stages`].
pub(crate) type StageId = usize;
