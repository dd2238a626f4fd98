//! The Vulkan instance: loader, validation layer, debug messenger.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use ash::{ext, khr, vk};

use super::GpuError;
use super::messages::{Listener, MessageLog, on_message};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Use of the Khronos validation layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validation {
    #[default]
    Off,
    /// Core and synchronization validation. Opening fails if the layer is not installed.
    On,
}

/// An instance with its messenger. Dropped last of all Vulkan objects.
pub(super) struct Instance {
    pub raw: ash::Instance,
    pub messages: MessageLog,
    /// The validation layer is loaded and reports to `messages`.
    #[cfg(feature = "internals")]
    pub validation: bool,
    /// Object names and command labels reach tools (validation, captures).
    pub debug_utils: bool,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
}

/// The loader, loaded once per process and never unloaded: drivers keep thread-local state in it.
pub(super) fn entry() -> Result<&'static ash::Entry, GpuError> {
    static ENTRY: OnceLock<Result<ash::Entry, String>> = OnceLock::new();
    // SAFETY: loads the system's Vulkan loader, whose initialisers are trusted as those of any shared library.
    ENTRY
        .get_or_init(|| unsafe { ash::Entry::load() }.map_err(|error| error.to_string()))
        .as_ref()
        .map_err(|cause| GpuError::NoLoader { cause: cause.clone() })
}

impl Instance {
    /// `surface` names the extensions that a window requires.
    pub(super) fn new(
        validation: Validation,
        surface: &[&'static CStr],
        listener: Option<Listener>,
    ) -> Result<Arc<Instance>, GpuError> {
        let entry = entry()?;
        check_version(entry)?;
        let validation = validation == Validation::On;
        let mut extensions = extensions(entry, None)?;
        if validation {
            extensions.extend(validation_extensions(entry)?);
        }
        let has = |name: &CStr| extensions.iter().any(|extension| extension.as_c_str() == name);
        let debug_utils = has(ext::debug_utils::NAME);
        if validation && !debug_utils {
            return Err(GpuError::NoValidation {
                missing: "the extension VK_EXT_debug_utils".into(),
            });
        }
        let portability = has(khr::portability_enumeration::NAME);
        if let Some(missing) = surface.iter().find(|name| !has(name)) {
            return Err(GpuError::NoWindow {
                missing: missing.to_string_lossy().into_owned(),
            });
        }
        let mut enabled: Vec<_> = surface.iter().map(|name| name.as_ptr()).collect();
        let wanted = [
            (debug_utils, ext::debug_utils::NAME),
            (portability, khr::portability_enumeration::NAME),
            (validation, ext::validation_features::NAME),
        ];
        for (want, name) in wanted {
            if want {
                enabled.push(name.as_ptr());
            }
        }
        let layer = [VALIDATION_LAYER.as_ptr()];
        let layers = if validation { &layer[..] } else { &[] };
        let messages = MessageLog::new(listener);
        let application = vk::ApplicationInfo::default()
            .application_name(c"sastrugi")
            .engine_name(c"sastrugi")
            .api_version(vk::API_VERSION_1_3);
        // A messenger in the chain reports on the creation of the instance alone.
        let mut messenger = messenger_info(&messages);
        let checks = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&checks);
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&enabled)
            .enabled_layer_names(layers);
        if portability {
            info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
        }
        if validation {
            info = info.push_next(&mut features).push_next(&mut messenger);
        }
        // SAFETY: every pointer in `info` outlives the call; the log that the messenger writes to outlives the
        // instance.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => no_device("no driver is installed"),
            vk::Result::ERROR_LAYER_NOT_PRESENT => GpuError::NoValidation {
                missing: "VK_LAYER_KHRONOS_validation".into(),
            },
            other => GpuError::vulkan("creating the Vulkan instance", "sastrugi", other),
        })?;
        let mut instance = Instance {
            raw,
            messages,
            #[cfg(feature = "internals")]
            validation,
            debug_utils,
            messenger: None,
        };
        if validation {
            instance.create_messenger(entry)?;
        }
        Ok(Arc::new(instance))
    }

    /// Creates the messenger, for messages after the creation of the instance.
    fn create_messenger(&mut self, entry: &ash::Entry) -> Result<(), GpuError> {
        let loader = ext::debug_utils::Instance::new(entry, &self.raw);
        // SAFETY: the extension is enabled, and the messenger is destroyed before the log it writes to.
        let messenger = unsafe { loader.create_debug_utils_messenger(&messenger_info(&self.messages), None) }
            .map_err(|result| GpuError::vulkan("creating the debug messenger", "validation", result))?;
        self.messenger = Some((loader, messenger));
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((loader, messenger)) = self.messenger.take() {
            // SAFETY: created from this instance, destroyed once, no other call is in flight in Drop.
            unsafe { loader.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: every object made from the instance holds it through an Arc, so none is left.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// The error for a machine without a usable driver, with the setting that is its usual cause.
pub(super) fn no_device(cause: &str) -> GpuError {
    let driver_files =
        std::env::var("VK_DRIVER_FILES").map_or("not set".to_owned(), |value| format!("'{value}'"));
    GpuError::NoDevice {
        cause: cause.to_owned(),
        driver_files,
    }
}

fn messenger_info(messages: &MessageLog) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(
            vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        )
        .pfn_user_callback(Some(on_message))
        .user_data(messages.user_data())
}

fn check_version(entry: &ash::Entry) -> Result<(), GpuError> {
    // SAFETY: asks the loader for its version; needs no instance.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .map_err(|result| GpuError::vulkan("asking the Vulkan loader for its version", "loader", result))?
        .unwrap_or(vk::API_VERSION_1_0);
    if version < vk::API_VERSION_1_3 {
        return Err(GpuError::LoaderTooOld {
            found: version_text(version),
        });
    }
    Ok(())
}

/// `major.minor.patch`.
pub(super) fn version_text(version: u32) -> String {
    let (major, minor, patch) = (
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version),
    );
    format!("{major}.{minor}.{patch}")
}

/// The extensions of the layer; an error if it is not installed or cannot check synchronization.
fn validation_extensions(entry: &ash::Entry) -> Result<Vec<std::ffi::CString>, GpuError> {
    // SAFETY: lists the installed layers; needs no instance.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .map_err(|result| GpuError::vulkan("listing the layers", "loader", result))?;
    if !layers
        .iter()
        .any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER))
    {
        return Err(GpuError::NoValidation {
            missing: "VK_LAYER_KHRONOS_validation".into(),
        });
    }
    let offered = extensions(entry, Some(VALIDATION_LAYER))?;
    if !offered
        .iter()
        .any(|name| name.as_c_str() == ext::validation_features::NAME)
    {
        let missing = "a VK_LAYER_KHRONOS_validation with VK_EXT_validation_features".to_owned();
        return Err(GpuError::NoValidation { missing });
    }
    Ok(offered)
}

fn extensions(entry: &ash::Entry, layer: Option<&CStr>) -> Result<Vec<std::ffi::CString>, GpuError> {
    // SAFETY: lists instance extensions; needs no instance.
    let found = unsafe { entry.enumerate_instance_extension_properties(layer) }
        .map_err(|result| GpuError::vulkan("listing the instance extensions", "loader", result))?;
    Ok(found
        .iter()
        .filter_map(|item| item.extension_name_as_c_str().ok())
        .map(CStr::to_owned)
        .collect())
}
