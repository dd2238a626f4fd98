//! Types of access to memory, and sets of them. One table in `gpu` maps them to Vulkan.

use std::fmt;

/// The type of a command's access to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// A kernel reads, through an address.
    ShaderRead,
    /// A kernel writes, through an address. An atomic is both.
    ShaderWrite,
    /// A copy reads its source.
    TransferRead,
    /// A copy or a fill writes.
    TransferWrite,
    /// The device reads the group counts of an indirect dispatch.
    IndirectRead,
    /// The device reads the condition of a command.
    ConditionRead,
    /// The program reads mapped memory after waiting for a timeline.
    HostRead,
    /// The program has written mapped memory. (Writes before a submission are visible to it anyway.)
    HostWrite,
}

impl Access {
    pub const ALL: [Access; 8] = [
        Access::ShaderRead,
        Access::ShaderWrite,
        Access::TransferRead,
        Access::TransferWrite,
        Access::IndirectRead,
        Access::ConditionRead,
        Access::HostRead,
        Access::HostWrite,
    ];

    pub fn writes(self) -> bool {
        matches!(
            self,
            Access::ShaderWrite | Access::TransferWrite | Access::HostWrite
        )
    }

    /// The device part that performs the access, for execution dependencies.
    pub fn stage(self) -> PipelineStage {
        match self {
            Access::ShaderRead | Access::ShaderWrite => PipelineStage::Compute,
            Access::TransferRead | Access::TransferWrite => PipelineStage::Transfer,
            Access::IndirectRead => PipelineStage::Indirect,
            Access::ConditionRead => PipelineStage::Condition,
            Access::HostRead | Access::HostWrite => PipelineStage::Host,
        }
    }

    /// Two accesses to one resource must be ordered when at least one of them writes.
    pub fn conflicts(self, other: Access) -> bool {
        self.writes() || other.writes()
    }
}

/// Parts of the device that plans distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineStage {
    Compute,
    Transfer,
    Indirect,
    Condition,
    Host,
}

/// A set of access kinds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct AccessSet(u8);

impl AccessSet {
    pub fn contains(self, access: Access) -> bool {
        self.0 & (1 << access as u8) != 0
    }

    pub fn insert(&mut self, access: Access) {
        self.0 |= 1 << access as u8;
    }

    pub fn union(self, other: AccessSet) -> AccessSet {
        AccessSet(self.0 | other.0)
    }

    pub fn intersection(self, other: AccessSet) -> AccessSet {
        AccessSet(self.0 & other.0)
    }

    /// The accesses of the set that write.
    pub fn writes(self) -> AccessSet {
        let mut set = AccessSet::default();
        self.iter()
            .filter(|access| access.writes())
            .for_each(|access| set.insert(access));
        set
    }

    pub fn has_stage(self, stage: PipelineStage) -> bool {
        self.iter().any(|access| access.stage() == stage)
    }

    pub fn iter(self) -> impl Iterator<Item = Access> {
        Access::ALL
            .into_iter()
            .filter(move |access| self.contains(*access))
    }
}

impl<const N: usize> From<[Access; N]> for AccessSet {
    fn from(list: [Access; N]) -> AccessSet {
        let mut set = AccessSet::default();
        list.into_iter().for_each(|access| set.insert(access));
        set
    }
}

impl fmt::Debug for AccessSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
