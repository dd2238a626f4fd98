//! The properties of a device that a run depends on.

use crate::element::{Element, Scalar};
use crate::gpu::{DeviceKind, DeviceReport, Gpu};
use crate::ir::Pipeline;
use crate::plan::Target;
use crate::plan::paging::{self, Abilities};
use crate::problem::{Problem, Problems};
use crate::shader::Module;
use crate::shader::demands::{Demands, demands};
use crate::shader::interface::MIN_SUBGROUP;
use crate::workgroups::DeviceClass;

use super::space::size;

/// The device class that determines the shapes of kernels.
pub fn device_class(gpu: &Gpu) -> DeviceClass {
    class_of(gpu.report())
}

/// As [`device_class`], of a device that need not be open.
pub fn class_of(device: &DeviceReport) -> DeviceClass {
    match device.kind {
        DeviceKind::Cpu => DeviceClass::Processor,
        _ => DeviceClass::Gpu,
    }
}

/// The properties of a device that the plan of a pipeline depends on.
pub fn target(gpu: &Gpu, pipeline: &Pipeline) -> Target {
    Target {
        class: device_class(gpu),
        // The device skips commands for all worlds or for none.
        conditional: gpu.is_conditional() && pipeline.other_worlds.is_empty(),
    }
}

/// Device and driver, as checkpoints name them.
pub fn device_name(gpu: &Gpu) -> String {
    let device = gpu.report();
    format!("{}, {} {}", device.name, device.driver_name, device.driver_info)
}

/// The properties of a device that determine paging.
pub fn abilities(device: &DeviceReport) -> Abilities {
    let residency = device.sparse.binding && device.sparse.residency_buffer;
    Abilities {
        sparse_bytes: residency.then_some(device.sparse.address_space_bytes),
        largest_buffer: device.limits.max_buffer_bytes,
        memory: device.heaps.iter().map(|heap| heap.bytes).max().unwrap_or(0),
    }
}

/// Fields and arguments whose types a device does not have.
pub fn missing_types(pipeline: &Pipeline, device: &DeviceReport) -> Problems {
    let mut problems = Problems::default();
    let missing = |element: Element| feature(element).filter(|name| !device.optional_features.contains(name));
    for field in &pipeline.fields {
        if let Some(name) = missing(field.element) {
            let pointer = field.pointer.clone();
            problems.push(lacking(pointer, &field.name, field.element, name, device));
        }
    }
    for stage in &pipeline.stages {
        let signature = &pipeline.kernel_of(stage).signature;
        // Two bytes at once are accessed as a number of 16 bits.
        if let Some(name) = missing(Element::Uint16)
            && (signature.joined()).any(|(_, field)| field.element == Element::Uint8)
        {
            let (stage_name, device) = (&stage.name, &device.name);
            let message = format!("stage `{stage_name}` joins bytes, but {device} lacks the feature {name}");
            let problem = Problem::new(format!("{}/width", stage.pointer), message);
            problems.push(problem.help("remove `width`, or use another device"));
        }
        for (argument, element) in &signature.arguments {
            if let Some(name) = missing(*element) {
                let pointer = format!("{}/arguments/{argument}", stage.pointer);
                problems.push(lacking(pointer, argument, *element, name, device));
            }
        }
    }
    problems
}

/// Largest variables of an invocation, in bytes: no device states a limit, and drivers crash, hang or drop the kernel beyond
/// theirs.
const MAX_LOCAL_BYTES: u64 = 64 << 10;

/// Stages whose modules demand more than a device has.
pub fn excessive_modules(pipeline: &Pipeline, modules: &[Module], device: &DeviceReport) -> Problems {
    let mut problems = Problems::default();
    for (stage, module) in pipeline.stages.iter().zip(modules) {
        let mut constants = module.constants.clone();
        constants.push((MIN_SUBGROUP, device.limits.min_subgroup_size));
        let demands = demands(&module.kernel.words, &constants);
        for (cause, help) in excesses(&demands, device) {
            let message = format!("stage `{}`: its shader {cause}", stage.name);
            problems.push(Problem::new(format!("{}/shader", stage.pointer), message).help(help));
        }
    }
    problems
}

/// The demands of a module that a device does not meet, each with a remedy.
fn excesses(demands: &Demands, device: &DeviceReport) -> Vec<(String, &'static str)> {
    let (name, limits) = (&device.name, &device.limits);
    let mut excesses = Vec::new();
    let shared = u64::from(limits.max_shared_bytes);
    if demands.shared_bytes > shared {
        let (wanted, shared) = (size(demands.shared_bytes), size(shared));
        let cause = format!("requires {wanted} of shared memory for a workgroup, but {name} has {shared}");
        excesses.push((
            cause,
            "make its `shared` arrays smaller, or keep them in a buffer",
        ));
    }
    if demands.local_bytes > MAX_LOCAL_BYTES {
        let (wanted, most) = (size(demands.local_bytes), size(MAX_LOCAL_BYTES));
        let cause = format!("has {wanted} of variables for each invocation, more than the limit of {most}");
        excesses.push((cause, "make its local arrays smaller, or keep them in a buffer"));
    }
    let [x, y, z] = demands.workgroup;
    let most = limits.max_group_size.map(u64::from);
    let product = x.saturating_mul(y).saturating_mul(z);
    if [x, y, z].iter().zip(most).any(|(n, most)| *n > most) || product > limits.max_group_invocations.into()
    {
        let [mx, my, mz] = most;
        let cause = format!(
            "has workgroups of {x} x {y} x {z}, but {name} runs at most {} invocations, {mx} x {my} x {mz}",
            limits.max_group_invocations
        );
        excesses.push((cause, "make `workgroup` smaller"));
    }
    for feature in &demands.features {
        if !device.optional_features.contains(feature) {
            let cause = format!("requires the feature {feature}, which {name} lacks");
            excesses.push((
                cause,
                "use types of 32 bits and basic operations, or another device",
            ));
        }
    }
    for capability in &demands.unknown {
        let cause = format!("requires the SPIR-V capability {capability}, which the program does not enable");
        excesses.push((cause, "leave out the extension that requires it"));
    }
    excesses
}

/// The optional Vulkan feature that a type requires.
fn feature(element: Element) -> Option<&'static str> {
    match element.scalar() {
        Scalar::Int8 | Scalar::Uint8 => Some("storageBuffer8BitAccess"),
        Scalar::Half | Scalar::Int16 | Scalar::Uint16 => Some("storageBuffer16BitAccess"),
        Scalar::Double => Some("shaderFloat64"),
        _ => None,
    }
}

fn lacking(pointer: String, what: &str, element: Element, feature: &str, device: &DeviceReport) -> Problem {
    let (kind, device) = (element.name(), &device.name);
    let message = format!("`{what}` is of type {kind}, but {device} lacks the feature {feature}");
    Problem::new(pointer, message).help("use a type of 32 bits, or another device")
}

/// Notices about grids for which the device does not support the best type of paging. A grid that does not fit at all is an
/// error of the simulation.
pub fn notices(pipeline: &Pipeline, device: &DeviceReport) -> Vec<String> {
    let abilities = abilities(device);
    let grids = pipeline.sparse_grids();
    let notices = grids.filter_map(|(id, grid)| {
        let notice = paging::choose(grid, &abilities).ok()?.notice?;
        Some(format!("grid `{}`: {notice}", pipeline.resources[id].name))
    });
    notices.collect()
}
