//! Sets of particles whose number changes, on ranks: sources add particles, and stages remove them.

use super::shipped::load;
use super::*;

/// Balls of snow that fall on hills and become snow on the ground, soon and in part.
const SNOWFALL: &[&str] = &[
    "balls.each=700",
    "balls.velocity=[0, 0, -14]",
    "box.cell=0.6",
    "box.cells=[50, 60, 32]",
    "transfer.sort_every=3",
    "bed.every=2",
    "bed.rest_time=0.02",
    "bed.slow=6",
    "bed.near=0.6",
    "use.draw=null",
    "outputs.view=null",
    "frame=[]",
    "init=[{\"set\": \"ground.snow\", \"to\": \"snow.lies\"}, \"fill_balls\", \"transfer.init\"]",
];

/// A jet at the border between two parts, whose water leaves the box of the drain soon.
const FOUNTAIN: &[&str] = &[
    "transfer.sort_every=1",
    "transfer.drift=1",
    "grids.nodes.cells=[40, 40, 24]",
    "jet.spacing=0.02",
    "jet.at=[0.4, 0.6, 0.35]",
    "jet.towards=[0.3, 0, 0.2]",
    "drain.high=[0.5, 1.13, 0.375]",
    "use.draw=null",
    "outputs.view=null",
    "frame=[]",
];

const ALONG_Z: &[[usize; 3]] = &[[1, 1, 2], [1, 1, 3], [1, 1, 4]];

/// The number of particles after some steps on one rank.
fn count_after(gpu: &Gpu, pipeline: &Pipeline, steps: u64) -> u32 {
    let mut simulation = start(gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None);
    for _ in 0..steps {
        simulation.step(false).unwrap();
    }
    let bytes = simulation.read("matter_live").unwrap();
    bytemuck::pod_read_unaligned(&bytes[..4])
}

#[test]
fn snow_that_is_removed_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = load("mpm_snowfall", SNOWFALL);
    let left = count_after(&gpu, &pipeline, 30);
    assert!((400..2000).contains(&left), "{left}");
    assert_equal(&gpu, &pipeline, &ALONG_Z[..2], &Setting::steps(30));
}

#[test]
fn a_fountain_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = load("mpm_fountain", FOUNTAIN);
    let [some, all] = [10, 60].map(|steps| count_after(&gpu, &pipeline, steps));
    assert!(some > 0 && all < 5 * some, "{some} {all}");
    assert_equal(&gpu, &pipeline, &ALONG_Z[..2], &Setting::steps(60));
}

fn parts_of(simulation: &mut Simulation) -> Vec<(String, Vec<u8>)> {
    let pending = simulation.capture(Extent::Visible).unwrap();
    let state = simulation.captured(pending).unwrap();
    state.parts.iter().map(|part| (part.name.clone(), part.bytes().unwrap().to_vec())).collect()
}

#[test]
#[ignore = "debug"]
fn debug_differences() {
    let Some(gpu) = common::gpu() else { return };
    let (name, settings) = match std::env::var("WHICH").as_deref() {
        Ok("snow") => ("mpm_snowfall", SNOWFALL),
        _ => ("mpm_fountain", FOUNTAIN),
    };
    let pipeline = load(name, settings);
    let steps = 20;
    let run = |mut simulation: Simulation| -> Vec<Vec<(String, Vec<u8>)>> {
        (0..steps).map(|_| { simulation.step(false).unwrap(); parts_of(&mut simulation) }).collect()
    };
    let alone = run(start(&gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None));
    let found = on_ranks(&gpu, &pipeline, [1, 1, 2], &Setting::steps(0), |_, simulation| run(simulation)).swap_remove(0);
    for step in 0..steps {
        let live = u32::from_le_bytes(alone[step].iter().find(|(n, _)| n == "matter_live").unwrap().1[..4].try_into().unwrap()) as usize;
        eprintln!("step {} live {live}", step + 1);
        let mut bad = false;
        for ((name, one), (_, two)) in alone[step].iter().zip(&found[step]) {
            let each = if name.contains("matter.") { one.len() / 20000 } else { 0 };
            let end = if each > 0 { live * each } else { one.len() };
            if one[..end] != two[..end] {
                bad = true;
                let differ: Vec<usize> = (0..end / 4).filter(|w| one[4*w..4*w+4] != two[4*w..4*w+4]).collect();
                eprintln!("  {name} differs in {} words of {}: {:?} each {}", differ.len(), end / 4, &differ[..differ.len().min(6)], each);
                let f = differ[0];
                eprintln!("   {:?} {:?}", f32::from_le_bytes(one[4*f..4*f+4].try_into().unwrap()), f32::from_le_bytes(two[4*f..4*f+4].try_into().unwrap()));
                eprintln!("   {:?} {:?}", u32::from_le_bytes(one[4*f..4*f+4].try_into().unwrap()), u32::from_le_bytes(two[4*f..4*f+4].try_into().unwrap()));
            }
        }
        if bad { break }
    }
}

#[test]
#[ignore = "debug"]
fn debug_counts() {
    let Some(gpu) = common::gpu() else { return };
    for near in ["1", "2", "3", "4", "5"] {
        let near = format!("bed.near={near}");
        let pipeline = load("mpm_snowfall", &[SNOWFALL, &[&near, "bed.slow=30"]].concat());
        let counts: Vec<u32> = [5, 10, 20, 30].iter().map(|steps| count_after(&gpu, &pipeline, *steps)).collect();
        eprintln!("{near} {counts:?}");
    }
}
