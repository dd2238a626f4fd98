//! The workgroups of stages on a class of devices: their shape, and their number.
//!
//! The intermediate form contains only the parts of a shape that the file specifies. Specs check shapes, shaders compile
//! them in, and plans dispatch them. All three choose them here, so they agree.

use crate::grid::{Layout, header};
use crate::ir::{Domain, FieldId, Over, Pipeline, Resource, Stage, StageId, StatedShape};
use crate::particles::live;
use crate::shared_constants::device;

/// Largest number of workgroups in one dimension: every device supports it.
const MAX_GROUPS: u64 = device::MAX_GROUPS as u64;

/// On a GPU, an invocation visits several cells of grids with as many cells or more: fewer would not fill large devices.
const MANY_CELLS: u64 = 1 << 22;

/// A workgroup for a small domain of three axes: as deep as a domain leaves it, whose sides in y may be few cells.
fn flat([_, y, _]: [u64; 3]) -> [u32; 3] {
    let across = y.next_power_of_two().clamp(1, 8) as u32;
    [32, across, 8 / across]
}

/// Invocations of a processor that run together.
const LANES: u64 = 8;

/// Invocations of a workgroup on a processor, at most, if a row is not longer.
const ROW: u64 = 128;

/// Workgroups of a processor: rows, or equal parts of them, without idle subgroups.
fn row([x, y, _]: [u64; 3], vector_width: u32) -> [u32; 3] {
    let all = x.div_ceil(vector_width.into()).max(1);
    let across = all.div_ceil(all.div_ceil(ROW)).next_multiple_of(LANES);
    [across as u32, (ROW / across).clamp(1, y.max(1)) as u32, 1]
}

/// Lines of a plane per invocation on a processor: as few as leave work for many cores.
fn lines([x, y, _]: [u64; 3]) -> u32 {
    ((x * y) >> 15).clamp(1, 8) as u32
}

/// The division of a domain into workgroups and invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub workgroup: [u32; 3],
    /// Consecutive cells in z per invocation; in a plane, in y.
    pub cells_per_thread_z: u32,
    /// Consecutive cells in x per invocation.
    pub vector_width: u32,
}

/// Classes of devices with different default shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceClass {
    #[default]
    Gpu,
    /// A driver that runs kernels on the processor: long rows and many cells per invocation, because invocations start
    /// slowly.
    Processor,
}

/// Workgroups of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    Direct([u32; 3]),
    /// Three words at a byte offset of a field.
    Indirect {
        field: FieldId,
        offset: u64,
    },
}

impl Shape {
    /// The shape of a stage on a class of devices.
    pub fn of_stage(pipeline: &Pipeline, stage: &Stage, class: DeviceClass) -> Shape {
        Shape::new(stage.stated, &stage.domain, &pipeline.resources, class)
    }

    /// The shape for a domain: the default of the device class for parts that the file does not specify. `resources` are
    /// those of the pipeline.
    pub fn new(stated: StatedShape, domain: &Domain, resources: &[Resource], class: DeviceClass) -> Shape {
        let grid = domain.resource.and_then(|id| resources[id].sparse());
        if let (Over::ActiveCells, Some(grid)) = (domain.over, grid) {
            return Shape::of_sub_block(&grid.layout, class, stated);
        }
        // GPUs start about one workgroup per nanosecond: small ones cannot keep their memory busy. Measured in
        // docs/performance.md.
        let is_picture = domain
            .resource
            .is_some_and(|id| resources[id].form().is_some_and(|form| form.colours));
        // All levels of a grid share one pipeline, and so the shape.
        let is_level = domain.resource.is_some_and(|id| resources[id].level().is_some());
        let vector_width = stated.vector_width.unwrap_or(1);
        let (workgroup, cells_per_thread_z) = match (class, domain.axes) {
            (DeviceClass::Gpu, 1) if domain.is_list() => ([256, 1, 1], 1),
            (_, 1) => ([header::GROUP, 1, 1], 1),
            // Rays of pixels near each other take equally long.
            (DeviceClass::Gpu, 2) if is_picture => ([16, 8, 1], 1),
            (DeviceClass::Gpu, 2) => ([32, 8, 1], 1),
            (DeviceClass::Gpu, _) if domain.size.iter().product::<u64>() >= MANY_CELLS => ([32, 4, 1], 4),
            (DeviceClass::Gpu, _) => (flat(domain.size), 1),
            (DeviceClass::Processor, axes) if is_level || (axes == 2 && !stated.by_element) => {
                ([64, 2, 1], if axes == 2 { 1 } else { 16 })
            }
            (DeviceClass::Processor, 2) => (row(domain.size, vector_width), lines(domain.size)),
            (DeviceClass::Processor, _) => (row(domain.size, vector_width), 16),
        };
        let (workgroup, cells_per_thread_z) = match (class, stated.gpu_workgroup) {
            (DeviceClass::Gpu, Some(workgroup)) => (workgroup, 1),
            _ => (workgroup, cells_per_thread_z),
        };
        Shape {
            workgroup: stated.workgroup.unwrap_or(workgroup),
            cells_per_thread_z: stated.cells_per_thread_z.unwrap_or(cells_per_thread_z),
            vector_width,
        }
    }

    /// One workgroup per sub-block. On a processor it is flat, and each invocation loops over z. `cells_per_thread_z` is a
    /// power of two, as the sides of sub-blocks.
    fn of_sub_block(layout: &Layout, class: DeviceClass, stated: StatedShape) -> Shape {
        let [x, y, z] = layout.sub_log2.map(|log2| 1 << log2);
        let vector_width = stated.vector_width.unwrap_or(1).min(x);
        let cells_per_thread_z = match (stated.cells_per_thread_z, class) {
            (Some(cells), _) => cells.min(z),
            (None, DeviceClass::Gpu) => 1,
            (None, DeviceClass::Processor) => z,
        };
        Shape {
            workgroup: [x / vector_width, y, z / cells_per_thread_z],
            cells_per_thread_z,
            vector_width,
        }
    }

    /// Workgroups per axis that cover a domain. The workgroups of a list are spread over x and y.
    pub fn groups(&self, domain: &Domain) -> Result<[u32; 3], String> {
        if !matches!(domain.over, Over::Elements | Over::Groups | Over::Live) {
            return Ok([1, 1, 1]);
        }
        let [x, y, z] = domain.size;
        // In a domain of workgroups, each workgroup is one element, whatever its shape.
        let ([wx, wy, wz], cells_per_thread_z, vector_width) = match domain.over {
            Over::Groups => ([1; 3], 1, 1),
            _ => (
                self.workgroup.map(u64::from),
                u64::from(self.cells_per_thread_z),
                u64::from(self.vector_width),
            ),
        };
        let groups = match domain.axes {
            1 => {
                let total = x.div_ceil(wx * u64::from(domain.per_invocation));
                let across = total.min(MAX_GROUPS);
                [across, total.div_ceil(across), 1]
            }
            2 => [
                x.div_ceil(wx * vector_width),
                y.div_ceil(wy * cells_per_thread_z),
                1,
            ],
            _ => [
                x.div_ceil(wx * vector_width),
                y.div_ceil(wy),
                z.div_ceil(wz * cells_per_thread_z),
            ],
        };
        if groups.iter().all(|n| *n <= MAX_GROUPS) {
            Ok(groups.map(|n| n as u32))
        } else {
            Err(format!(
                "its domain of {x} x {y} x {z} requires {} x {} x {} workgroups, but the limit is \
                 {MAX_GROUPS} per axis",
                groups[0], groups[1], groups[2]
            ))
        }
    }
}

impl Shape {
    /// Workgroups per axis that cover a box of a domain.
    pub fn groups_of(&self, domain: &Domain, size: [u64; 3]) -> Result<[u32; 3], String> {
        self.groups(&Domain {
            size,
            ..domain.clone()
        })
    }
}

impl Groups {
    /// The workgroups of a stage of this shape, on this rank.
    pub fn of(pipeline: &Pipeline, id: StageId, shape: Shape) -> Result<Groups, String> {
        let stage = &pipeline.stages[id];
        let resource = stage.domain.resource.map(|id| &pipeline.resources[id]);
        let count = resource.and_then(|resource| resource.live());
        let header = resource.and_then(|resource| Some(resource.sparse()?.fields.header));
        let per_group = shape.workgroup[0] * stage.domain.per_invocation;
        let counted = match stage.domain.over {
            Over::CountedGroups(field) => Some((field, 0)),
            // The host knows the particles of a rank.
            Over::Live if pipeline.counted_by(id).is_some() => None,
            Over::Live => count.zip(live::groups(per_group)),
            Over::Newborn => count.zip(live::newborn_groups(per_group)),
            over => header.zip(over.words()),
        };
        match counted {
            Some((field, word)) => Ok(Groups::Indirect {
                field,
                offset: 4 * u64::from(word),
            }),
            None => {
                let mut size = pipeline.dispatched(id).size;
                if let Some(tiles) = stage.tiles {
                    size = std::array::from_fn(|axis| size[axis].div_ceil(tiles.per_group[axis].into()));
                }
                let is_cut = pipeline.cut.as_deref().is_some_and(|cut| cut.grow(id).is_some());
                if let Some(lines) = stage.lines.as_deref().filter(|_| is_cut) {
                    size = [lines.groups_of(size), 1, 1];
                }
                Ok(Groups::Direct(shape.groups_of(&stage.domain, size)?))
            }
        }
    }
}
