//! The result of a measurement as text.

use std::fmt::Write;

use sastrugi::{Bench, ListBench, Spread, StageBench};

/// A line for the device, and a table for each list.
pub(super) fn text(bench: &Bench) -> String {
    let mut text = format!(
        "{} on {} ({}), {} runs of {} steps\na copy moves {} GB/s; {} steps/s\n",
        bench.pipeline,
        bench.device,
        bench.driver,
        bench.runs,
        bench.steps,
        four_digits(bench.copy_gb_per_s),
        four_digits(bench.steps_per_second())
    );
    list(&mut text, "step", &bench.step, bench.copy_gb_per_s);
    if let Some(frame) = &bench.frame {
        list(&mut text, "frame", frame, bench.copy_gb_per_s);
    }
    if let Some(overlap) = bench.overlap {
        let _ = writeln!(
            text,
            "\nsteps and frames at the same time: {:.0} % of the shorter of the two",
            100.0 * overlap
        );
    }
    text
}

fn list(text: &mut String, name: &str, list: &ListBench, copy: f64) {
    let _ = writeln!(
        text,
        "\n{name}: {} ms (spread {}), submitted in {} ms, {:.1} dispatches, {:.1} barriers",
        four_digits(list.wall_ms.median),
        percent(list.wall_ms),
        four_digits(list.host_ms.median),
        list.dispatches,
        list.barriers
    );
    let longest = list.stages.iter().map(|stage| stage.stage.len()).max();
    let width = longest.unwrap_or(0).max("stage".len());
    let _ = writeln!(
        text,
        "  {:<width$}  every  dispatches         ms  spread  share         MB     GB/s  of a copy",
        "stage"
    );
    for stage in &list.stages {
        let _ = writeln!(text, "  {}", row(stage, width, copy));
    }
}

fn row(stage: &StageBench, width: usize, copy: f64) -> String {
    let dash = || "-".to_string();
    let megabytes = stage
        .bytes
        .map_or_else(dash, |bytes| format!("{:.3}", bytes as f64 * 1e-6));
    let rate = stage.gb_per_s().map_or_else(dash, four_digits);
    let of_copy = stage
        .gb_per_s()
        .map_or_else(dash, |rate| format!("{:.0} %", 100.0 * rate / copy));
    format!(
        "{:<width$}  {:>5}  {:>10}  {:>9}  {:>6}  {:>3.0} %  {:>9}  {:>7}  {:>9}",
        stage.stage,
        stage.every,
        stage.dispatches,
        four_digits(stage.device_ms.median),
        percent(stage.device_ms),
        100.0 * stage.share,
        megabytes,
        rate,
        of_copy
    )
}

/// Four digits, or six decimals of small values.
pub(super) fn four_digits(value: f64) -> String {
    let digits = 3 - (value.max(1e-6).log10().floor() as i32).clamp(-3, 3);
    format!("{value:.*}", digits as usize)
}

/// The difference between the largest and the smallest value, in percent of the median.
pub(super) fn percent(spread: Spread) -> String {
    format!(
        "{:.0} %",
        100.0 * (spread.max - spread.min) / spread.median.max(f64::MIN_POSITIVE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.0, 0.0123456, 0.123456, 1.23456, 123.456, 12345.6].map(four_digits);
        assert_eq!(
            texts,
            ["0.000000", "0.01235", "0.1235", "1.235", "123.5", "12346"]
        );
    }

    #[test]
    fn spread_is_relative_to_the_median() {
        let spread = Spread {
            median: 2.0,
            min: 1.9,
            max: 2.1,
        };
        assert_eq!(percent(spread), "10 %");
    }
}
