//! Compute pipelines: a SPIR-V module with its specialization constants.

use std::sync::Arc;

use ash::vk;

use super::device::Device;
use super::{Gpu, GpuError};

/// The shader and constants of a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct ComputePipelineInfo<'a> {
    pub name: &'a str,
    /// A valid module for Vulkan 1.3 with the entry point `main`, one push constant of 8 bytes (an address) and no
    /// descriptors. Drivers may crash on anything else, so modules from users must be checked before.
    pub spirv: &'a [u32],
    /// Specialization constants as pairs of id and bits. Ids that the module does not declare are ignored.
    pub constants: &'a [(u32, u32)],
}

/// A compute pipeline. Clones share it.
#[derive(Clone)]
pub struct ComputePipeline {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::Pipeline,
    name: String,
}

impl Gpu {
    /// Compiles a pipeline, which takes tens of milliseconds. Several threads may call it at once; they share one
    /// cache.
    pub fn pipeline(&self, info: &ComputePipelineInfo) -> Result<ComputePipeline, GpuError> {
        let device = &self.inner.device;
        let object = || format!("pipeline '{}'", info.name);
        if info.spirv.first() != Some(&SPIRV_MAGIC) {
            return Err(GpuError::misuse(
                object(),
                "its code is not SPIR-V: the first word is not the magic number",
            ));
        }
        let module_info = vk::ShaderModuleCreateInfo::default().code(info.spirv);
        // SAFETY: the caller promises a valid module; the slice outlives the call.
        let module = unsafe { device.raw.create_shader_module(&module_info, None) }
            .map_err(|result| GpuError::vulkan("creating the shader module", object(), result))?;
        device.name(module, info.name);

        let data: Vec<u8> = info
            .constants
            .iter()
            .flat_map(|(_, bits)| bits.to_ne_bytes())
            .collect();
        let entries: Vec<_> = (0..)
            .zip(info.constants)
            .map(|(i, (id, _))| vk::SpecializationMapEntry {
                constant_id: *id,
                offset: 4 * i,
                size: 4,
            })
            .collect();
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&constants);
        let (mut whole, mut stages) = (vk::PipelineCreationFeedback::default(), [Default::default()]);
        let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut whole)
            .pipeline_stage_creation_feedbacks(&mut stages);
        let infos = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(device.layout)
            .push_next(&mut feedback)];
        // SAFETY: module, layout, constants and feedback outlive the call; the cache is synchronised by the driver.
        let made = unsafe {
            device
                .raw
                .create_compute_pipelines(device.pipeline_cache.raw, &infos, None)
        };
        // SAFETY: a module is not needed once the pipeline is made, and this one is used by no other thread.
        unsafe { device.raw.destroy_shader_module(module, None) };
        let raw = made
            .map_err(|(_, result)| GpuError::vulkan("creating the pipeline", object(), result))?
            .first()
            .copied()
            .unwrap_or_default();
        device.pipeline_cache.count_created(whole);
        device.name(raw, info.name);
        Ok(ComputePipeline {
            inner: Arc::new(Inner {
                device: Arc::clone(device),
                raw,
                name: info.name.to_owned(),
            }),
        })
    }
}

impl Gpu {
    /// Writes the pipelines that the driver has compiled to the cache of the device, for later processes. Call it after
    /// all pipelines are created; it does nothing if none of them is new.
    pub fn save_pipelines(&self) {
        let device = &self.inner.device;
        device.pipeline_cache.save(&device.raw);
    }
}

const SPIRV_MAGIC: u32 = 0x0723_0203;

impl ComputePipeline {
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    pub(super) fn raw(&self) -> vk::Pipeline {
        self.inner.raw
    }

    pub(super) fn of_device(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.inner.device, device)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: recordings hold their pipelines until they are done, so no command uses it any more.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}
