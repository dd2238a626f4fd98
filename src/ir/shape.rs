//! How domains are cut into workgroups.

use crate::grid::Layout;

/// How a domain is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub workgroup: [u32; 3],
    /// Consecutive cells in z per invocation.
    pub march: u32,
    /// Consecutive cells in x per invocation.
    pub width: u32,
}

/// The parts of a [`Shape`] that a pipeline file may specify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedShape {
    pub workgroup: Option<[u32; 3]>,
    pub march: Option<u32>,
    pub width: Option<u32>,
}

/// Devices that want different shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceClass {
    Gpu,
    /// A driver that runs kernels on the processor: long rows and deep marches, for its vector units and caches.
    Processor,
}

impl Shape {
    /// One workgroup per sub-block. On a processor it is flat and marches through the sub-block, which suits loops.
    pub fn of_sub_block(layout: &Layout, class: DeviceClass) -> Shape {
        let [x, y, z] = layout.sub_log2.map(|log2| 1 << log2);
        match class {
            DeviceClass::Gpu => Shape {
                workgroup: [x, y, z],
                march: 1,
                width: 1,
            },
            DeviceClass::Processor => Shape {
                workgroup: [x, y, 1],
                march: z,
                width: 1,
            },
        }
    }
}

impl StatedShape {
    /// The shape for a domain with this number of axes; the device's default for parts that the file does not specify.
    pub fn on(self, class: DeviceClass, axes: u32) -> Shape {
        let (workgroup, march) = match (class, axes) {
            (_, 1) => ([64, 1, 1], 1),
            (DeviceClass::Gpu, 2) => ([16, 8, 1], 1),
            (DeviceClass::Gpu, _) => ([32, 4, 1], 1),
            (DeviceClass::Processor, 2) => ([64, 2, 1], 1),
            (DeviceClass::Processor, _) => ([64, 2, 1], 16),
        };
        Shape {
            workgroup: self.workgroup.unwrap_or(workgroup),
            march: self.march.unwrap_or(march),
            width: self.width.unwrap_or(1),
        }
    }
}
