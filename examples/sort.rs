//! Measures the radix sort in keys per second, and compares its memory traffic with the copy bandwidth of the device.
//!
//!     cargo run --release --example sort -- [PARTICLES] [BITS] [REPEATS]
//!
//! The keys are pseudorandom and new every time, and the order is checked. Moving the attributes is measured
//! separately. Use 100000000 particles on a GPU, 1000000 on a CPU.

use std::error::Error;

use sastrugi::{Device, DeviceOptions, Pipeline, Simulation, json};

const DIGIT_BITS: u64 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(Ok(default), |text| text.parse());
    let (count, bits, repeats) = (number(1_000_000)?, number(32)?, number(10)?);
    let file = json!({
        "run": {"dt": 1},
        "particles": {"p": {"count": count, "ring": 2, "attributes": {"key": "uint", "name": "uint"}}},
        "buffers": {
            "from": {"type": "uvec4", "length": "ceil(p.count / 4)", "background": 1},
            "to": {"type": "uvec4", "length": "from.count"},
            "wrong": {"type": "uint", "length": 1, "background": 0}
        },
        "init": [{"stage": "first", "shader": "keys.comp", "over": "p", "writes": ["p.key", "p.name"]}],
        "step": [
            {"sort": "p", "by": "p.key", "bits": bits},
            {"stage": "check", "over": "p", "reads": ["p.key", "p.name"], "writes": ["wrong"],
             "arguments": {"bits": format!("uint({bits})")}},
            {"stage": "keys", "over": "p", "writes": ["p.key", "p.name"]},
            {"stage": "copy", "over": "from", "tuning": {"workgroup": [256, 1, 1]}, "reads": ["from"], "writes": ["to"]}
        ]
    });
    let pipeline = Pipeline::from_json(&file.to_string())
        .name("sort")
        .directory("benches/particles")
        .build()?;
    let device = Device::open(&DeviceOptions::default())?;
    println!("device: {}", device.info().name);
    let mut simulation = Simulation::new(&device, &pipeline)?;
    for _ in 0..repeats {
        simulation.timed_step()?;
    }
    if simulation.read::<u32>("wrong")? != [0] {
        return Err("the keys are not in order".into());
    }
    let (mut sort, mut movement, mut copy) = (0.0, 0.0, 0.0);
    for (name, ms) in simulation.stage_times() {
        println!("{name:<14} {ms:>10.4} ms");
        match name.as_str() {
            "keys" | "check" | "first" => {}
            "copy" => copy = ms,
            "move_p_key" | "move_p_name" => movement += ms,
            _ => sort += ms,
        }
    }
    // A pass reads the keys to count digits, reads keys and indices again, and writes both. The first pass reads no
    // indices, and the last pass writes no keys.
    let passes = bits.div_ceil(DIGIT_BITS);
    let bytes = count * (4 * passes + 8 * passes - 4 + 8 * passes - 4);
    let rate = 8.0 * count as f64 / copy / 1e6;
    let floor = bytes as f64 / rate / 1e6;
    println!(
        "{count} keys of {bits} bits: {sort:.3} ms, {:.1} M keys/s",
        count as f64 / sort / 1e3
    );
    println!(
        "floor: {bytes} bytes at the {rate:.1} GB/s of `copy` take {floor:.3} ms: the sort takes {:.2} times that",
        sort / floor
    );
    println!("moving two attributes of 4 bytes into the order: {movement:.3} ms");
    Ok(())
}
