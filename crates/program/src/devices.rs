//! `sastrugi devices`: lists devices, the one that would be chosen, and why others are refused.

/// Lists the Vulkan devices, the one that would be chosen, and why others are refused.
#[derive(clap::Args)]
pub(super) struct Arguments {}

pub(super) fn main(_: &Arguments) -> u8 {
    match sastrugi::Device::list() {
        Ok(devices) => {
            let texts: Vec<String> = devices.iter().map(ToString::to_string).collect();
            super::print(&format!("{}\n", texts.join("\n")))
        }
        Err(error) => {
            crate::say!("error: {error}");
            1
        }
    }
}
