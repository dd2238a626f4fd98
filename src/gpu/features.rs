//! Device features: one table of required ones, and one of optional ones that the engine enables for kernels.
//! Selection, creation and reports of devices all use these tables.

use ash::vk;

/// The feature structures of Vulkan 1.0 to 1.3, unchained, as plain values.
#[derive(Clone, Copy, Default)]
pub(super) struct Features {
    pub v10: vk::PhysicalDeviceFeatures,
    pub v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub v13: vk::PhysicalDeviceVulkan13Features<'static>,
}

type Field = fn(&mut Features) -> &mut vk::Bool32;

/// A device without one of these is refused; the phrase says why the engine requires it.
const REQUIRED: &[(&str, &str, Field)] = &[
    ("shaderInt64", "addresses are 64-bit integers", |f| {
        &mut f.v10.shader_int64
    }),
    ("bufferDeviceAddress", "kernels reach data by address", |f| {
        &mut f.v12.buffer_device_address
    }),
    ("scalarBlockLayout", "data is packed without padding", |f| {
        &mut f.v12.scalar_block_layout
    }),
    (
        "timelineSemaphore",
        "queues wait for each other with counters",
        |f| &mut f.v12.timeline_semaphore,
    ),
    ("hostQueryReset", "timestamps start from a reset", |f| {
        &mut f.v12.host_query_reset
    }),
    ("synchronization2", "barriers and submissions", |f| {
        &mut f.v13.synchronization2
    }),
    (
        "maintenance4",
        "workgroup sizes are specialization constants",
        |f| &mut f.v13.maintenance4,
    ),
];

/// Enabled if they exist, so that kernels may use them.
const OPTIONAL: &[(&str, Field)] = &[
    ("shaderInt16", |f| &mut f.v10.shader_int16),
    ("shaderFloat64", |f| &mut f.v10.shader_float64),
    ("sparseBinding", |f| &mut f.v10.sparse_binding),
    ("sparseResidencyBuffer", |f| &mut f.v10.sparse_residency_buffer),
    ("storageBuffer16BitAccess", |f| {
        &mut f.v11.storage_buffer16_bit_access
    }),
    ("variablePointersStorageBuffer", |f| {
        &mut f.v11.variable_pointers_storage_buffer
    }),
    ("variablePointers", |f| &mut f.v11.variable_pointers),
    ("shaderInt8", |f| &mut f.v12.shader_int8),
    ("shaderFloat16", |f| &mut f.v12.shader_float16),
    ("storageBuffer8BitAccess", |f| {
        &mut f.v12.storage_buffer8_bit_access
    }),
    ("shaderBufferInt64Atomics", |f| {
        &mut f.v12.shader_buffer_int64_atomics
    }),
    ("shaderSharedInt64Atomics", |f| {
        &mut f.v12.shader_shared_int64_atomics
    }),
    ("shaderSubgroupExtendedTypes", |f| {
        &mut f.v12.shader_subgroup_extended_types
    }),
    ("vulkanMemoryModel", |f| &mut f.v12.vulkan_memory_model),
    ("vulkanMemoryModelDeviceScope", |f| {
        &mut f.v12.vulkan_memory_model_device_scope
    }),
    ("dynamicRendering", |f| &mut f.v13.dynamic_rendering),
    ("subgroupSizeControl", |f| &mut f.v13.subgroup_size_control),
    ("computeFullSubgroups", |f| &mut f.v13.compute_full_subgroups),
    ("shaderZeroInitializeWorkgroupMemory", |f| {
        &mut f.v13.shader_zero_initialize_workgroup_memory
    }),
    ("shaderIntegerDotProduct", |f| {
        &mut f.v13.shader_integer_dot_product
    }),
];

/// The names of the features that the engine requires or enables.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let required = REQUIRED.iter().map(|(name, _, _)| *name);
    required.chain(OPTIONAL.iter().map(|(name, _)| *name))
}

impl Features {
    /// The features of a device. It must support Vulkan 1.3: older devices do not know the structures.
    pub(super) fn of(instance: &ash::Instance, device: vk::PhysicalDevice) -> Features {
        let mut found = Features::default();
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut found.v11)
            .push_next(&mut found.v12)
            .push_next(&mut found.v13);
        // SAFETY: `device` belongs to `instance`; the chained structures outlive the call.
        unsafe { instance.get_physical_device_features2(device, &mut all) };
        found.v10 = all.features;
        found.unchained()
    }

    /// Clears the pointers of the query, which would dangle.
    fn unchained(mut self) -> Features {
        self.v11.p_next = std::ptr::null_mut();
        self.v12.p_next = std::ptr::null_mut();
        self.v13.p_next = std::ptr::null_mut();
        self
    }

    /// Why a device with these features is refused: one sentence per missing feature.
    pub(super) fn missing(mut self) -> Vec<String> {
        REQUIRED
            .iter()
            .filter(|(_, _, field)| *field(&mut self) == vk::FALSE)
            .map(|(name, need, _)| format!("it lacks the feature {name} ({need})"))
            .collect()
    }

    /// The features to enable: the required ones, and optional ones that the device has.
    pub(super) fn wanted(mut self) -> Features {
        let mut wanted = Features::default();
        for (_, _, field) in REQUIRED {
            *field(&mut wanted) = vk::TRUE;
        }
        for (_, field) in OPTIONAL {
            *field(&mut wanted) = *field(&mut self);
        }
        wanted
    }

    /// Makes the device one without a feature.
    pub(super) fn remove(&mut self, name: &str) {
        let required = REQUIRED.iter().map(|(known, _, field)| (*known, *field));
        let optional = OPTIONAL.iter().map(|(known, field)| (*known, *field));
        for (_, field) in required.chain(optional).filter(|(known, _)| *known == name) {
            *field(self) = vk::FALSE;
        }
    }

    /// Names of the optional features that the device has.
    pub(super) fn optional(mut self) -> Vec<&'static str> {
        OPTIONAL
            .iter()
            .filter(|(_, field)| *field(&mut self) == vk::TRUE)
            .map(|(name, _)| *name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_missing_required_features_are_named() {
        let everything_required = Features::default().wanted();
        assert_eq!(everything_required.missing(), Vec::<String>::new());
        for (name, _, field) in REQUIRED {
            let mut lacking = everything_required;
            *field(&mut lacking) = vk::FALSE;
            let missing = lacking.missing();
            assert_eq!(missing.len(), 1);
            assert!(missing[0].contains(name), "{missing:?}");
        }
    }

    #[test]
    fn optional_features_are_enabled_only_if_supported() {
        let mut found = Features::default().wanted();
        assert!(found.optional().is_empty());
        found.v12.shader_int8 = vk::TRUE;
        assert_eq!(found.optional(), ["shaderInt8"]);
        assert_eq!(found.wanted().v12.shader_int8, vk::TRUE);
        assert_eq!(found.wanted().v12.shader_float16, vk::FALSE);
    }
}
