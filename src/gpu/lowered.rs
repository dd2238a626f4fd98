//! A device with less than it has, as others are: lower limits, and without some features and extensions.

use std::ffi::CStr;
use std::fmt;
use std::str::FromStr;

use super::features::{self, Features};
use super::report::{DeviceKind, DeviceReport, Limits};

/// Limits, features and extensions that a device lacks on purpose. The text is a list of limits and names, as Vulkan
/// spells them:
/// `maxComputeSharedMemorySize=16384,shaderInt16,VK_EXT_conditional_rendering`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lowered {
    limits: Vec<(Limit, u64)>,
    features: Vec<&'static str>,
    extensions: Vec<String>,
    has_one_queue: bool,
    is_gpu: bool,
}

/// A limit and its name.
#[derive(Clone, Copy)]
struct Limit {
    name: &'static str,
    lower: fn(&mut Limits, u64),
}

/// All work shares a queue.
const ONE_QUEUE: &str = "queueCount=1";
/// The device counts as a discrete GPU (`VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU`): shapes of workgroups depend on it.
const GPU: &str = "deviceType=2";

const LIMITS: &[Limit] = &[
    Limit {
        name: "maxComputeSharedMemorySize",
        lower: |limits, value| limits.max_shared_bytes = lower(limits.max_shared_bytes, value),
    },
    Limit {
        name: "maxComputeWorkGroupInvocations",
        lower: |limits, value| {
            limits.max_group_invocations = lower(limits.max_group_invocations, value);
            limits.max_group_size = limits.max_group_size.map(|size| lower(size, value));
        },
    },
    Limit {
        name: "maxComputeWorkGroupCount",
        lower: |limits, value| limits.max_groups = limits.max_groups.map(|count| lower(count, value)),
    },
    Limit {
        name: "maxBufferSize",
        lower: |limits, value| limits.max_buffer_bytes = limits.max_buffer_bytes.min(value),
    },
    Limit {
        name: "maxMemoryAllocationSize",
        lower: |limits, value| limits.max_allocation_bytes = limits.max_allocation_bytes.min(value),
    },
    Limit {
        name: "minSubgroupSize",
        lower: |limits, value| limits.min_subgroup_size = lower(limits.min_subgroup_size, value),
    },
];

fn lower(own: u32, wanted: u64) -> u32 {
    u32::try_from(wanted).map_or(own, |wanted| own.min(wanted))
}

impl Lowered {
    /// Lowers the limits and the features of a device.
    pub(super) fn apply(&self, features: &mut Features, report: &mut DeviceReport) {
        for (limit, value) in &self.limits {
            (limit.lower)(&mut report.limits, *value);
        }
        for name in &self.features {
            features.remove(name);
        }
        if !self.features.is_empty() {
            report.set_features(features);
        }
        if self.is_gpu {
            report.kind = DeviceKind::Discrete;
        }
    }

    /// The device counts as one with a single queue.
    pub(super) fn has_one_queue(&self) -> bool {
        self.has_one_queue
    }

    /// The device counts as one without an extension.
    pub(super) fn lacks(&self, extension: &CStr) -> bool {
        self.extensions
            .iter()
            .any(|name| name.as_bytes() == extension.to_bytes())
    }
}

impl FromStr for Lowered {
    type Err = String;

    fn from_str(text: &str) -> Result<Lowered, String> {
        let mut lowered = Lowered::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            if item == ONE_QUEUE {
                lowered.has_one_queue = true;
            } else if item == GPU {
                lowered.is_gpu = true;
            } else if let Some((name, value)) = item.split_once('=') {
                let known = LIMITS.iter().find(|limit| limit.name == name.trim());
                let value = value.trim().parse().ok().filter(|value| *value > 0);
                let (Some(limit), Some(value)) = (known, value) else {
                    return Err(format!(
                        "`{item}` is not a limit and a whole number above 0: {}",
                        known_names()
                    ));
                };
                lowered.limits.push((*limit, value));
            } else if item.starts_with("VK_") {
                lowered.extensions.push(item.to_owned());
            } else if let Some(name) = features::names().find(|name| *name == item) {
                lowered.features.push(name);
            } else {
                return Err(format!(
                    "`{item}` is not the name of a feature that the program uses: {}",
                    known_names()
                ));
            }
        }
        Ok(lowered)
    }
}

fn known_names() -> String {
    let limits: Vec<String> = LIMITS.iter().map(|limit| format!("{}=N", limit.name)).collect();
    let features: Vec<&str> = features::names().collect();
    format!(
        "known are {}, {ONE_QUEUE}, {GPU}, VK_... of an extension, {}",
        limits.join(", "),
        features.join(", ")
    )
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Limit {
    fn eq(&self, other: &Limit) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use ash::vk;

    use super::*;

    #[test]
    fn limits_only_become_lower_and_features_disappear() {
        let lowered: Lowered =
            "maxComputeSharedMemorySize=16384, minSubgroupSize=64,sparseBinding, shaderInt16,queueCount=1"
                .parse()
                .unwrap();
        let mut limits = Limits {
            max_shared_bytes: 32768,
            min_subgroup_size: 8,
            max_buffer_bytes: 5,
            ..Limits::default()
        };
        for (limit, value) in &lowered.limits {
            (limit.lower)(&mut limits, *value);
        }
        assert_eq!(
            (
                limits.max_shared_bytes,
                limits.min_subgroup_size,
                limits.max_buffer_bytes
            ),
            (16384, 8, 5)
        );
        let mut features = Features::default();
        features.v10.sparse_residency_buffer = vk::TRUE;
        features.v10.shader_int16 = vk::TRUE;
        lowered.features.iter().for_each(|name| features.remove(name));
        assert_eq!(features.optional(), ["sparseResidencyBuffer"]);
        assert!(lowered.has_one_queue() && !Lowered::default().has_one_queue());
    }

    #[test]
    fn unknown_names_and_values_are_refused_with_the_known_ones() {
        for wrong in [
            "maxBufferSize",
            "maxBufferSize=many",
            "maxBufferSize=0",
            "size=3",
            "queueCount=2",
            "shaderInt61",
        ] {
            let error = wrong.parse::<Lowered>().unwrap_err();
            assert!(
                error.contains(wrong) && error.contains("shaderInt64") && error.contains("maxBufferSize=N"),
                "{error}"
            );
        }
        assert_eq!("".parse(), Ok(Lowered::default()));
        let lowered: Lowered = "VK_EXT_conditional_rendering".parse().unwrap();
        assert!(lowered.lacks(c"VK_EXT_conditional_rendering") && !lowered.lacks(c"VK_KHR_swapchain"));
    }
}
