//! Numbers of what a program has.

/// Number of an instance; 0 is the file itself.
pub type InstanceId = usize;
/// Number of a declared resource.
pub type DeclId = usize;
/// Number of a channel.
pub type ChannelId = usize;
pub type ParameterId = usize;
