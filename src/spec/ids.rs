//! Indices of the parts of a program.

/// Index of an instance; 0 is the file itself.
pub type InstanceId = usize;
/// Index of a declared resource.
pub type DeclId = usize;
/// Index of a channel.
pub type ChannelId = usize;
pub type ParameterId = usize;
