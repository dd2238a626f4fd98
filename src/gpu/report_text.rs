//! A device report as text for people.

use std::fmt::{self, Display, Formatter};

use super::report::{DeviceKind, DeviceReport, Heap, QueueFamily, SparseFacts};

impl Display for DeviceReport {
    /// A heading and indented properties; the heading of the device that would be chosen starts with `*`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mark = if self.chosen { '*' } else { ' ' };
        writeln!(f, "{mark} {}: {} ({})", self.index, self.name, self.kind)?;
        for reason in &self.refused {
            writeln!(f, "    refused      {reason}")?;
        }
        writeln!(
            f,
            "    driver       {}, {}; Vulkan {}",
            self.driver_name, self.driver_info, self.api_version
        )?;
        for heap in &self.heaps {
            writeln!(f, "    memory       {heap}")?;
        }
        for family in &self.queue_families {
            writeln!(f, "    queues       {family}")?;
        }
        let l = &self.limits;
        writeln!(
            f,
            "    subgroup     {} ({} to {})",
            l.subgroup_size, l.min_subgroup_size, l.max_subgroup_size
        )?;
        let [x, y, z] = l.max_groups;
        writeln!(
            f,
            "    workgroups   {x} x {y} x {z} of up to {} invocations, {} shared",
            l.max_group_invocations,
            Bytes(l.max_shared_bytes.into())
        )?;
        writeln!(f, "    buffers      up to {}", Bytes(l.max_buffer_bytes))?;
        write!(f, "    sparse       {}", self.sparse)
    }
}

impl Display for DeviceKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Discrete => "discrete GPU",
            DeviceKind::Integrated => "integrated GPU",
            DeviceKind::Virtual => "virtual GPU",
            DeviceKind::Cpu => "processor",
            DeviceKind::Other => "other device",
        })
    }
}

impl Display for Heap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let place = if self.device_local {
            "on the device"
        } else {
            "on the host"
        };
        let mapped = if self.host_visible { ", mappable" } else { "" };
        write!(f, "{} {place}{mapped}", Bytes(self.bytes))
    }
}

impl Display for QueueFamily {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plural = if self.queues == 1 { "queue" } else { "queues" };
        write!(f, "family {}: {} {plural} for ", self.index, self.queues)?;
        let abilities = [
            (self.graphics, "graphics"),
            (self.compute, "compute"),
            (self.transfer, "transfer"),
            (self.sparse_binding, "sparse binding"),
            (self.other, "video or other work"),
        ];
        let words: Vec<_> = abilities
            .iter()
            .filter(|(has, _)| *has)
            .map(|(_, word)| *word)
            .collect();
        f.write_str(&words.join(", "))?;
        if self.timestamp_bits == 0 {
            f.write_str("; no timestamps")
        } else {
            Ok(())
        }
    }
}

impl Display for SparseFacts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.binding, self.residency_buffer) {
            (false, _) => return f.write_str("no sparse binding"),
            (true, false) => f.write_str("binding, no partly resident buffers")?,
            (true, true) => f.write_str("binding, partly resident buffers")?,
        }
        write!(f, ", {} of addresses", Bytes(self.address_space_bytes))?;
        let strict = if self.non_resident_strict {
            "reads as zero"
        } else {
            "is undefined"
        };
        write!(f, ", unbound memory {strict}")
    }
}

/// A byte count with a binary unit.
struct Bytes(u64);

impl Display for Bytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let steps = (self.0.max(1).ilog2() / 10) as usize;
        if steps == 0 {
            return write!(f, "{} B", self.0);
        }
        let value = self.0 as f64 / (1u64 << (10 * steps)) as f64;
        let digits = if value.fract() < 0.05 { 0 } else { 1 };
        write!(f, "{value:.digits$} {}", UNITS[steps])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_counts_use_binary_units() {
        let text = |bytes| Bytes(bytes).to_string();
        assert_eq!(text(0), "0 B");
        assert_eq!(text(1023), "1023 B");
        assert_eq!(text(1 << 10), "1 KiB");
        assert_eq!(text(3 << 29), "1.5 GiB");
        assert_eq!(text(u64::MAX), "16 EiB");
    }

    #[test]
    fn queue_family_flags_print_as_words() {
        let family = QueueFamily {
            index: 2,
            queues: 8,
            graphics: false,
            compute: true,
            transfer: true,
            sparse_binding: true,
            other: false,
            timestamp_bits: 0,
        };
        assert_eq!(
            family.to_string(),
            "family 2: 8 queues for compute, transfer, sparse binding; no timestamps"
        );
    }

    #[test]
    fn sparse_report_names_missing_features() {
        let none = SparseFacts::default();
        assert_eq!(none.to_string(), "no sparse binding");
        let some = SparseFacts {
            binding: true,
            residency_buffer: true,
            non_resident_strict: false,
            address_space_bytes: 1 << 40,
        };
        assert_eq!(
            some.to_string(),
            "binding, partly resident buffers, 1 TiB of addresses, unbound memory is undefined"
        );
    }
}
