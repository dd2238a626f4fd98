//! Shapes of workgroups.

use super::domain::{Domain, Over};
use super::resource::Resource;
use crate::grid::Layout;

/// The division of a domain into workgroups and invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub workgroup: [u32; 3],
    /// Consecutive cells in z per invocation.
    pub cells_per_thread_z: u32,
    /// Consecutive cells in x per invocation.
    pub vector_width: u32,
}

/// The parts of a [`Shape`] that a pipeline file may specify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedShape {
    pub workgroup: Option<[u32; 3]>,
    pub cells_per_thread_z: Option<u32>,
    pub vector_width: Option<u32>,
}

/// Classes of devices with different default shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceClass {
    Gpu,
    /// A driver that runs kernels on the processor: long rows and many cells in z, for vector units and caches.
    Processor,
}

impl Shape {
    /// One workgroup per sub-block. On a processor it is flat, and each invocation loops over z.
    fn of_sub_block(layout: &Layout, class: DeviceClass, stated: StatedShape) -> Shape {
        let [x, y, z] = layout.sub_log2.map(|log2| 1 << log2);
        let vector_width = stated.vector_width.unwrap_or(1).min(x);
        let (depth, cells_per_thread_z) = match class {
            DeviceClass::Gpu => (z, 1),
            DeviceClass::Processor => (1, z),
        };
        Shape {
            workgroup: [x / vector_width, y, depth],
            cells_per_thread_z,
            vector_width,
        }
    }
}

impl StatedShape {
    /// The shape for a domain; the device's default for parts that the file does not specify. `resources` are those of the
    /// pipeline.
    pub fn on(self, class: DeviceClass, domain: &Domain, resources: &[Resource]) -> Shape {
        let grid = domain.resource.and_then(|id| resources[id].sparse());
        if let (Over::ActiveCells, Some(grid)) = (domain.over, grid) {
            return Shape::of_sub_block(&grid.layout, class, self);
        }
        let (workgroup, cells_per_thread_z) = match (class, domain.axes) {
            (_, 1) => ([64, 1, 1], 1),
            (DeviceClass::Gpu, 2) => ([16, 8, 1], 1),
            (DeviceClass::Gpu, _) => ([32, 4, 1], 1),
            (DeviceClass::Processor, 2) => ([64, 2, 1], 1),
            (DeviceClass::Processor, _) => ([64, 2, 1], 16),
        };
        Shape {
            workgroup: self.workgroup.unwrap_or(workgroup),
            cells_per_thread_z: self.cells_per_thread_z.unwrap_or(cells_per_thread_z),
            vector_width: self.vector_width.unwrap_or(1),
        }
    }
}
