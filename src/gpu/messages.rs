//! The log of validation messages: written by the driver's threads through the debug messenger, read by the program.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

/// Receives unread messages when the last clone of the log is dropped.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Warnings and errors of the validation layer, and failures that cannot be returned to a caller, such as memory that
/// is still in use when its device closes. Clones share one log.
#[derive(Clone)]
pub struct MessageLog {
    shared: Arc<Shared>,
}

struct Shared {
    messages: Mutex<Vec<Message>>,
    listener: Option<Listener>,
}

struct Message {
    text: String,
    is_validation: bool,
}

impl MessageLog {
    pub(super) fn new(listener: Option<Listener>) -> MessageLog {
        MessageLog {
            shared: Arc::new(Shared {
                messages: Mutex::default(),
                listener,
            }),
        }
    }

    /// Removes and returns all messages.
    #[cfg(feature = "internals")]
    pub fn take(&self) -> Vec<String> {
        let all = std::mem::take(&mut *self.shared.lock());
        all.into_iter().map(|message| message.text).collect()
    }

    /// Removes and returns the messages of the validation layer.
    pub(super) fn take_validation(&self) -> Vec<String> {
        let mut messages = self.shared.lock();
        let of_layer = messages.extract_if(.., |message| message.is_validation);
        of_layer.map(|message| message.text).collect()
    }

    /// Adds a message of the engine.
    pub(super) fn add(&self, text: String) {
        self.shared.lock().push(Message {
            text,
            is_validation: false,
        });
    }

    /// The pointer for the messenger. It is valid as long as a clone of the log exists.
    pub(super) fn user_data(&self) -> *mut c_void {
        Arc::as_ptr(&self.shared).cast_mut().cast()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(listener) = self.listener.take() else {
            return;
        };
        let messages = std::mem::take(&mut *self.lock());
        for Message { text, is_validation } in messages {
            if is_validation {
                listener(&format!("Vulkan validation: {text}"))
            } else {
                listener(&text)
            }
        }
    }
}

/// Messages that are not about this program: the loader reports drivers that do not apply here, and layer 1.3.239 stops
/// tracking a semaphore after ten seconds on a busy machine.
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
            shared.lock().push(Message {
                text: format!("{level} {id} [{names}]: {}", text(data.p_message)),
                is_validation: true,
            });
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
