//! Chooses a device: by preference, or by index or name.

use std::sync::Arc;

use ash::vk;

use super::GpuError;
use super::features::Features;
use super::instance::{Instance, no_device};
use super::lowered::Lowered;
use super::report::DeviceReport;

/// A device with its report and the data to open it.
pub(super) struct Found {
    pub raw: vk::PhysicalDevice,
    pub features: Features,
    pub report: DeviceReport,
}

/// All devices, ranked, in the loader's order.
pub(super) fn found(instance: &Arc<Instance>, lowered: &Lowered) -> Result<Vec<Found>, GpuError> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.raw.enumerate_physical_devices() }.map_err(|result| match result {
        vk::Result::ERROR_INITIALIZATION_FAILED => no_device("no installed Vulkan driver could be loaded"),
        other => GpuError::vulkan("listing the devices", "Vulkan instance", other),
    })?;
    if devices.is_empty() {
        return Err(no_device("the loader lists none"));
    }
    let describe = |(index, raw)| {
        let (mut report, mut features) = DeviceReport::of(&instance.raw, raw, index);
        lowered.apply(&mut features, &mut report);
        Found {
            raw,
            features,
            report,
        }
    };
    let mut found: Vec<Found> = devices.into_iter().enumerate().map(describe).collect();
    rank(
        &mut found
            .iter_mut()
            .map(|found| &mut found.report)
            .collect::<Vec<_>>(),
    );
    Ok(found)
}

/// Sets `rank` and `chosen`: accepted devices before refused ones, then by type, then in the order of the loader.
fn rank(reports: &mut [&mut DeviceReport]) {
    let mut order: Vec<usize> = (0..reports.len()).collect();
    order.sort_by_key(|&i| (!reports[i].refused.is_empty(), reports[i].kind, reports[i].index));
    for (rank, &i) in order.iter().enumerate() {
        reports[i].rank = rank;
        reports[i].chosen = rank == 0 && reports[i].refused.is_empty();
    }
}

/// The device that `wanted` names (an index, or part of a name in upper or lower case), or else the best one.
pub(super) fn choose(mut found: Vec<Found>, wanted: Option<&str>) -> Result<Found, GpuError> {
    let reports: Vec<&DeviceReport> = found.iter().map(|found| &found.report).collect();
    let place = place(&reports, wanted)?;
    Ok(found.swap_remove(place))
}

fn place(reports: &[&DeviceReport], wanted: Option<&str>) -> Result<usize, GpuError> {
    let best = |places: &mut dyn Iterator<Item = usize>| places.min_by_key(|&place| reports[place].rank);
    let Some(wanted) = wanted else {
        let all = best(&mut (0..reports.len())).filter(|&place| reports[place].refused.is_empty());
        return all.ok_or_else(|| GpuError::NoUsableDevice {
            devices: list(reports),
        });
    };
    let by_index = wanted
        .trim()
        .parse()
        .ok()
        .filter(|&index: &usize| index < reports.len());
    let needle = wanted.trim().to_lowercase();
    let matches = |&place: &usize| reports[place].name.to_lowercase().contains(&needle);
    let place = by_index
        .or_else(|| best(&mut (0..reports.len()).filter(matches)))
        .ok_or_else(|| GpuError::UnknownDevice {
            wanted: wanted.to_owned(),
            available: list(reports),
        })?;
    let report = reports[place];
    if report.refused.is_empty() {
        return Ok(place);
    }
    Err(GpuError::DeviceRefused {
        device: format!("{} ({})", report.index, report.name),
        reasons: report.refused.join("; "),
    })
}

fn list(reports: &[&DeviceReport]) -> String {
    let line = |report: &&DeviceReport| {
        let refused = if report.refused.is_empty() {
            String::new()
        } else {
            format!(": refused, {}", report.refused.join("; "))
        };
        format!("  {}: {} ({}){refused}", report.index, report.name, report.kind)
    };
    reports.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::report::{DeviceKind, Limits, SparseFacts};
    use super::*;

    fn report(index: usize, name: &str, kind: DeviceKind, refused: &[&str]) -> DeviceReport {
        DeviceReport {
            index,
            name: name.into(),
            kind,
            driver_name: "driver".into(),
            driver_info: "1".into(),
            api_version: "1.3.0".into(),
            vendor_id: 0,
            device_id: 0,
            heaps: Vec::new(),
            queue_families: Vec::new(),
            sparse: SparseFacts::default(),
            limits: Limits::default(),
            optional_features: Vec::new(),
            refused: refused.iter().map(|&reason| reason.to_owned()).collect(),
            rank: index,
            chosen: false,
        }
    }

    fn ranked(mut reports: Vec<DeviceReport>) -> Vec<DeviceReport> {
        rank(&mut reports.iter_mut().collect::<Vec<_>>());
        reports
    }

    fn machine() -> Vec<DeviceReport> {
        ranked(vec![
            report(0, "llvmpipe (LLVM)", DeviceKind::Cpu, &[]),
            report(
                1,
                "Old Radeon",
                DeviceKind::Discrete,
                &["it lacks the feature shaderInt64"],
            ),
            report(2, "Iris", DeviceKind::Integrated, &[]),
            report(3, "GeForce 3", DeviceKind::Discrete, &[]),
            report(4, "GeForce 4", DeviceKind::Discrete, &[]),
        ])
    }

    fn placed(reports: &[DeviceReport], wanted: Option<&str>) -> Result<usize, GpuError> {
        place(&reports.iter().collect::<Vec<_>>(), wanted)
    }

    #[test]
    fn devices_rank_discrete_integrated_cpu_refused() {
        let machine = machine();
        assert_eq!(
            machine.iter().map(|report| report.rank).collect::<Vec<_>>(),
            [3, 4, 2, 0, 1]
        );
        assert_eq!(
            machine
                .iter()
                .filter(|report| report.chosen)
                .map(|report| report.index)
                .collect::<Vec<_>>(),
            [3]
        );
        assert_eq!(placed(&machine, None), Ok(3));
    }

    #[test]
    fn devices_are_selected_by_index_or_substring() {
        let machine = machine();
        assert_eq!(placed(&machine, Some("2")), Ok(2));
        assert_eq!(placed(&machine, Some("LLVMpipe")), Ok(0));
        assert_eq!(placed(&machine, Some("geforce")), Ok(3), "the better of two");
        assert_eq!(placed(&machine, Some("GeForce 4")), Ok(4));
    }

    #[test]
    fn refused_device_is_not_opened_and_gives_the_reason() {
        let error = placed(&machine(), Some("radeon")).unwrap_err();
        assert!(
            matches!(&error, GpuError::DeviceRefused { reasons, .. } if reasons.contains("shaderInt64")),
            "{error}"
        );
        let alone = ranked(vec![report(
            0,
            "Old Radeon",
            DeviceKind::Discrete,
            &["it lacks shaderInt64"],
        )]);
        assert!(!alone[0].chosen);
        let error = placed(&alone, None).unwrap_err();
        assert!(
            matches!(&error, GpuError::NoUsableDevice { devices } if devices.contains("shaderInt64")),
            "{error}"
        );
    }

    #[test]
    fn unknown_device_name_lists_available_devices() {
        for wanted in ["Voodoo", "17"] {
            let text = placed(&machine(), Some(wanted)).unwrap_err().to_string();
            assert!(
                text.contains(wanted) && text.contains("3: GeForce 3 (discrete GPU)"),
                "{text}"
            );
        }
    }
}
