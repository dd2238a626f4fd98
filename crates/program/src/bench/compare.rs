//! Compares two measurements.

use std::fmt::Write;

use sastrugi::{Bench, ListBench};

/// A stage counts as slower if its time is longer by more than this part.
const SLOWER: f64 = 0.10;

/// Stages that take longer than before, and the times of the lists.
pub(super) fn text(before: &Bench, now: &Bench) -> String {
    let mut text = String::from("\ncompared with the earlier measurement\n");
    let places = |bench: &Bench| format!("{} ({})", bench.device, bench.driver);
    if places(before) != places(now) {
        let _ = writeln!(
            text,
            "  it ran on {}: times of different devices do not compare",
            places(before)
        );
    }
    let lists = [
        ("step", Some(&before.step), Some(&now.step)),
        ("frame", before.frame.as_ref(), now.frame.as_ref()),
    ];
    for (name, before, now) in lists {
        let Some((before, now)) = before.zip(now) else {
            continue;
        };
        let _ = writeln!(
            text,
            "  {}",
            change(name, before.wall_ms.median, now.wall_ms.median)
        );
        for line in slower(before, now) {
            let _ = writeln!(text, "  slower: {line}");
        }
    }
    text
}

fn slower(before: &ListBench, now: &ListBench) -> Vec<String> {
    let lines = now.stages.iter().filter_map(|stage| {
        let earlier = before
            .stages
            .iter()
            .find(|earlier| earlier.stage == stage.stage)?;
        let (before, now) = (earlier.device_ms.median, stage.device_ms.median);
        (now > (1.0 + SLOWER) * before).then(|| change(&stage.stage, before, now))
    });
    lines.collect()
}

fn change(name: &str, before: f64, now: f64) -> String {
    format!(
        "{name}: {before:.4} ms before, {now:.4} ms now ({:+.0} %)",
        100.0 * (now / before - 1.0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sastrugi::{Spread, StageBench};

    fn list(ms: f64) -> ListBench {
        let spread = |median: f64| Spread {
            median,
            min: median,
            max: median,
        };
        ListBench {
            wall_ms: spread(ms),
            host_ms: spread(0.01),
            dispatches: 1.0,
            barriers: 0.0,
            stages: vec![StageBench {
                stage: "advect".into(),
                every: 1,
                dispatches: 1,
                device_ms: spread(ms),
                share: 1.0,
                bytes: None,
                over: None,
            }],
        }
    }

    #[test]
    fn stages_over_ten_percent_slower_are_listed() {
        assert_eq!(
            slower(&list(1.0), &list(1.2)),
            ["advect: 1.0000 ms before, 1.2000 ms now (+20 %)"]
        );
    }

    #[test]
    fn control_stages_within_ten_percent_are_not_listed() {
        assert!(slower(&list(1.0), &list(1.09)).is_empty());
    }
}
