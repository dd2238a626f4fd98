//! Errors of devices, with the action, the object, the cause and the remedy.

use ash::vk;

/// Failures of the Vulkan layer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GpuError {
    #[error(
        "no Vulkan loader: {cause}\n  help: install it (Debian, Ubuntu: libvulkan1; Fedora: vulkan-loader; Arch: \
         vulkan-icd-loader) and a driver: that of your GPU vendor, or of Mesa for GPUs and for the processor \
         (Debian, Ubuntu, Fedora: mesa-vulkan-drivers; Arch: vulkan-swrast)"
    )]
    NoLoader { cause: String },

    #[error(
        "no Vulkan device: {cause}\n  help: install the driver of your GPU vendor, or of Mesa, which also \
         runs on the processor (Debian, Ubuntu, Fedora: mesa-vulkan-drivers; Arch: vulkan-swrast); where a \
         driver is installed \
         but not found, point VK_DRIVER_FILES at its .json manifest (VK_DRIVER_FILES is {driver_files} now)"
    )]
    NoDevice { cause: String, driver_files: String },

    #[error(
        "the Vulkan loader has version {found}, but 1.3 is required\n  help: update the loader (libvulkan1)"
    )]
    LoaderTooOld { found: String },

    #[error(
        "validation was requested, but {missing} is not installed\n  help: install the Khronos validation \
         layer (Debian, Ubuntu: vulkan-validationlayers; Fedora: vulkan-validation-layers; Arch: \
         vulkan-validation-layers) or point VK_LAYER_PATH at the folder of its manifest; or run without validation"
    )]
    NoValidation { missing: String },

    #[error(
        "the Vulkan loader has no {missing}, which a window requires\n  help: update the driver, or write files \
         with `sastrugi run`"
    )]
    NoWindow { missing: String },

    #[error("the display of the window is gone\n  help: `sastrugi run` needs no display")]
    #[cfg(feature = "screen")]
    DisplayGone,

    #[error(
        "no device matches '{wanted}'; the devices are:\n{available}\n  help: give an index or part of a name"
    )]
    UnknownDevice { wanted: String, available: String },

    #[error(
        "device {device} cannot run this program: {reasons}\n  help: update its driver, or choose another device"
    )]
    DeviceRefused { device: String, reasons: String },

    #[error("none of the Vulkan devices here can run this program:\n{devices}\n  help: update the driver")]
    NoUsableDevice { devices: String },

    #[error("buffer '{name}' of {bytes} bytes is too large: {limit_name} of this device is {limit} bytes")]
    BufferTooLarge {
        name: String,
        bytes: u64,
        limit: u64,
        limit_name: &'static str,
    },

    #[error(
        "no memory for buffer '{name}' of {bytes} bytes ({kind}): {cause}; {in_use} bytes in {buffers} buffers are in \
         use\n  help: make the grids or particle sets smaller, or end other programs on the device"
    )]
    OutOfMemory {
        name: String,
        bytes: u64,
        kind: &'static str,
        cause: String,
        in_use: u64,
        buffers: usize,
    },

    #[error(
        "no addresses for sparse buffer '{name}' of {bytes} bytes: {cause}; {reserved} bytes are reserved by other \
         sparse buffers\n  help: make the sparse grids smaller"
    )]
    NoAddresses {
        name: String,
        bytes: u64,
        cause: String,
        reserved: u64,
    },

    #[error("device {device} has no {what}\n  help: {remedy}")]
    Lacking {
        device: String,
        what: &'static str,
        remedy: &'static str,
    },

    #[error("{object}: {problem}")]
    Misuse { object: String, problem: String },

    #[error(
        "the device was lost while {doing} ({object})\n  help: usually a shader ran too long, or accessed \
         memory outside its buffers; the kernel log may name the cause"
    )]
    DeviceLost { doing: &'static str, object: String },

    #[error("{doing} failed for {object}: {result}")]
    Vulkan {
        doing: &'static str,
        object: String,
        result: String,
    },
}

impl GpuError {
    /// Wraps a Vulkan result. `doing` reads as the start of a sentence ("creating the buffer").
    pub(super) fn vulkan(doing: &'static str, object: impl Into<String>, result: vk::Result) -> GpuError {
        let object = object.into();
        match result {
            vk::Result::ERROR_DEVICE_LOST => GpuError::DeviceLost { doing, object },
            _ => GpuError::Vulkan {
                doing,
                object,
                result: in_words(result),
            },
        }
    }

    pub(super) fn misuse(object: impl Into<String>, problem: impl Into<String>) -> GpuError {
        GpuError::Misuse {
            object: object.into(),
            problem: problem.into(),
        }
    }
}

/// A Vulkan result as a phrase with its code, which can be searched for.
pub(super) fn in_words(result: vk::Result) -> String {
    let phrase = match result {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => "the host is out of memory (VK_ERROR_OUT_OF_HOST_MEMORY)",
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            "the device is out of memory (VK_ERROR_OUT_OF_DEVICE_MEMORY)"
        }
        vk::Result::ERROR_INITIALIZATION_FAILED => {
            "the driver could not start (VK_ERROR_INITIALIZATION_FAILED)"
        }
        vk::Result::ERROR_DEVICE_LOST => "the device was lost (VK_ERROR_DEVICE_LOST)",
        vk::Result::ERROR_LAYER_NOT_PRESENT => "a layer is missing (VK_ERROR_LAYER_NOT_PRESENT)",
        vk::Result::ERROR_EXTENSION_NOT_PRESENT => "an extension is missing (VK_ERROR_EXTENSION_NOT_PRESENT)",
        vk::Result::ERROR_FEATURE_NOT_PRESENT => "a feature is missing (VK_ERROR_FEATURE_NOT_PRESENT)",
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => "no compatible driver (VK_ERROR_INCOMPATIBLE_DRIVER)",
        vk::Result::ERROR_TOO_MANY_OBJECTS => "too many objects exist (VK_ERROR_TOO_MANY_OBJECTS)",
        vk::Result::ERROR_INVALID_SHADER_NV => "the driver refused the shader (VK_ERROR_INVALID_SHADER_NV)",
        vk::Result::ERROR_UNKNOWN => "the driver gave no reason (VK_ERROR_UNKNOWN)",
        other => return format!("{other} (VkResult {})", other.as_raw()),
    };
    phrase.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_device_has_its_own_variant_and_other_errors_keep_their_code() {
        let lost = GpuError::vulkan("waiting", "timeline 'step'", vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(
            lost,
            GpuError::DeviceLost {
                doing: "waiting",
                object: "timeline 'step'".into()
            }
        );
        let other = GpuError::vulkan(
            "creating the pipeline",
            "'sor'",
            vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        );
        assert!(
            other.to_string().contains("VK_ERROR_OUT_OF_HOST_MEMORY"),
            "{other}"
        );
        assert!(other.to_string().contains("'sor'"), "{other}");
    }

    #[test]
    fn unknown_vulkan_result_shows_its_number() {
        assert!(in_words(vk::Result::from_raw(-1234)).contains("-1234"));
    }
}
