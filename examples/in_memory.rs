//! A wave on a square, built in Rust and stepped in memory, without files.
//!
//!     cargo run --example in_memory -- [CELLS] [STEPS]

use std::error::Error;

use sastrugi::{Builder, Device, DeviceOptions, Element, Entry, Simulation};

/// Initial state: a bump in the middle of still water.
const BUMP: &str = r#"
    #version 460
    #include "stage.glsl"
    void stage(ivec3 cell) {
        vec2 from_middle = vec2(cell.xy) - 0.5 * vec2(water_cells.xy);
        float height = exp(-0.02 * dot(from_middle, from_middle));
        set_water_now(cell, height);
        set_water_before(cell, height);
    }
"#;

/// Second differences in space and time; the border reflects.
const WAVE: &str = r#"
    #version 460
    #include "stage.glsl"
    #pragma reach water_now 1
    float at(ivec2 cell) { return water_now(ivec3(clamp(cell, ivec2(0), water_cells.xy - 1), 0)); }
    void stage(ivec3 cell) {
        ivec2 c = cell.xy;
        float bend = at(c + ivec2(1, 0)) + at(c - ivec2(1, 0)) + at(c + ivec2(0, 1)) + at(c - ivec2(0, 1)) - 4.0 * at(c);
        set_water_next(cell, 2.0 * at(c) - water_before(cell) + arg.courant * arg.courant * bend);
    }
"#;

const SHIFT: &str = r#"
    #version 460
    #include "stage.glsl"
    void stage(ivec3 cell) {
        set_water_before(cell, water_now(cell));
        set_water_now(cell, water_next(cell));
    }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let cells: u32 = arguments.next().map_or(Ok(48), |text| text.parse())?;
    let steps: u64 = arguments.next().map_or(Ok(60), |text| text.parse())?;
    let pipeline = Builder::new("wave")
        .time(1)
        .grid("water", [cells, cells, 1], 1, |water| {
            water
                .channel("before", Element::Float)
                .channel("now", Element::Float)
                .channel("next", Element::Float)
        })
        .init(
            Entry::stage("bump", "water")
                .writes(["water.now", "water.before"])
                .glsl(BUMP),
        )
        .step(
            Entry::stage("wave", "water")
                .reads(["water.now", "water.before"])
                .writes(["water.next"])
                .argument("courant", 0.5)
                .glsl(WAVE),
        )
        .step(
            Entry::stage("shift", "water")
                .reads(["water.now", "water.next"])
                .writes(["water.before", "water.now"])
                .glsl(SHIFT),
        )
        .build()?;
    let device = Device::open(&DeviceOptions::default())?;
    println!("{cells} x {cells} cells on {}", device.info().name);
    let mut simulation = Simulation::new(&device, &pipeline)?;
    let start: f32 = simulation.read::<f32>("water.now")?.iter().sum();
    simulation.steps(steps)?;
    let water: Vec<f32> = simulation.read("water.now")?;
    draw(&water, cells as usize);
    // A reflecting border conserves the volume of water.
    let end: f32 = water.iter().sum();
    println!("water at the start {start:.3}, after {steps} steps {end:.3}");
    if (end - start).abs() > 1e-3 * start {
        return Err("water was lost".into());
    }
    Ok(())
}

/// Prints every second row; deeper water is darker.
fn draw(water: &[f32], cells: usize) {
    let most = water.iter().copied().fold(1e-6, |a: f32, b| a.max(b.abs()));
    for row in water.chunks_exact(cells).step_by(2) {
        let shade = |height: &f32| [' ', '.', ':', '+', '#'][(4.0 * height.abs() / most) as usize];
        println!("{}", row.iter().map(shade).collect::<String>());
    }
}
