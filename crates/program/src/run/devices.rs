//! The devices of `sastrugi run`.

use sastrugi::{Device, DeviceOptions, Error, Problem};

use super::Arguments;

/// The devices that `--device` and `--devices` name.
pub(super) fn chosen(arguments: &Arguments) -> Result<Vec<DeviceOptions>, Error> {
    let options = |device: Option<String>| DeviceOptions {
        device,
        validation: arguments.validation,
        single_queue: super::options(arguments, arguments.resume.as_deref())
            .0
            .full_barriers,
        lowered: arguments.lower.clone().unwrap_or_default(),
        cache: sastrugi::cache_directory().filter(|_| !arguments.no_cache),
        on_message: Some(|message| crate::say!("{message}")),
    };
    match arguments.devices.as_deref() {
        None => Ok(vec![options(arguments.device.clone())]),
        Some("all") => {
            let found = Device::list()?;
            // A driver that runs on the processor would only slow down the runs on GPUs.
            let gpus = found
                .iter()
                .filter(|device| device.refused.is_empty() && !device.is_processor);
            let chosen: Vec<_> = gpus
                .map(|device| options(Some(device.index.to_string())))
                .collect();
            Ok(if chosen.is_empty() {
                vec![options(None)]
            } else {
                chosen
            })
        }
        Some(list) if list.split(',').any(|device| device.trim().is_empty()) => {
            let message = format!("--devices {list}: the name of a device is empty");
            let help = "write \"all\", or numbers or names with commas between them (see `sastrugi devices`)";
            Err(Problem::without_place(message).help(help).into())
        }
        Some(list) => Ok(list
            .split(',')
            .map(|device| options(Some(device.to_string())))
            .collect()),
    }
}
