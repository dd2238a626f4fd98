//! The log of validation messages: written by the driver's threads through the debug messenger, read by the program.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

/// Warnings and errors of the validation layer. Clones share one log.
#[derive(Clone, Default)]
pub struct MessageLog {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    messages: Mutex<Vec<String>>,
}

impl MessageLog {
    /// Empties the log and returns what was in it.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(
            &mut *self
                .shared
                .messages
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Where the messenger writes. Valid as long as any clone of the log lives.
    pub(super) fn user_data(&self) -> *mut c_void {
        Arc::as_ptr(&self.shared).cast_mut().cast()
    }
}

impl Drop for Shared {
    /// Messages that nobody took are not lost in silence.
    fn drop(&mut self) {
        for message in self
            .messages
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            eprintln!("Vulkan validation: {message}");
        }
    }
}

/// Messages that are no fault of this program: the loader reports drivers that do not apply here through the same
/// channel, and layer 1.3.239 gives up its own bookkeeping of a semaphore after ten seconds of a busy machine.
const NOT_OUR_FAULT: [&str; 2] = ["Loader Message", "UNASSIGNED-VkSemaphore-state-timeout"];

/// Called by the validation layer, from any thread, with `user_data` from [`MessageLog::user_data`].
pub(super) unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a valid structure, or null in broken ones, which as_ref turns into None.
    let data = unsafe { data.as_ref() };
    // SAFETY: user_data is the pointer given at creation; the instance keeps that log alive past its messenger.
    let shared = unsafe { user_data.cast::<Shared>().as_ref() };
    if let (Some(data), Some(shared)) = (data, shared) {
        let id = text(data.p_message_id_name);
        if !NOT_OUR_FAULT.contains(&id.as_str()) {
            let level = if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
                "error"
            } else {
                "warning"
            };
            let names = object_names(data).join(", ");
            let message = format!("{level} {id} [{names}]: {}", text(data.p_message));
            shared
                .messages
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(message);
        }
    }
    vk::FALSE
}

/// The names, given by this layer, of the objects that a message is about.
fn object_names(data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>) -> Vec<String> {
    if data.p_objects.is_null() {
        return Vec::new();
    }
    // SAFETY: not null, and the layer states how many objects follow.
    let objects = unsafe { std::slice::from_raw_parts(data.p_objects, data.object_count as usize) };
    objects
        .iter()
        .map(|object| text(object.p_object_name))
        .filter(|name| !name.is_empty())
        .collect()
}

fn text(pointer: *const std::ffi::c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: not null, and Vulkan strings end with a zero byte.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
