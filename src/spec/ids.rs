//! Numbers of what a program has.

/// Number of an instance; 0 is the file itself.
pub(crate) type InstanceId = usize;
/// Number of a declared resource.
pub(crate) type DeclId = usize;
/// Number of a channel.
pub(crate) type ChannelId = usize;
pub(crate) type ParameterId = usize;
