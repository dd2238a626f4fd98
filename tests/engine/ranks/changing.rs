//! Sets of particles whose number changes, on ranks: sources add particles, and stages remove them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::run::Spoil;

use super::shipped::load;
use super::*;

const NO_SCENE: &[&str] = &["use.draw=null", "outputs.view=null", "frame=[]"];

/// Balls of snow that fall on hills, and become snow on the ground one after the other, on either side of a border.
const SNOWFALL: &[&str] = &[
    "balls.each=700",
    "balls.velocity=[0, 0, -14]",
    "box.cell=0.6",
    "box.cells=[50, 60, 32]",
    "box.low=[112, 104, 7.5]",
    "transfer.sort_every=3",
    "bed.every=2",
    "bed.rest_time=0.02",
    "bed.slow=30",
    "bed.near=4",
    "init=[{\"set\": \"ground.snow\", \"to\": \"snow.lies\"}, \"fill_balls\", \"transfer.init\"]",
];

/// A fast jet through the borders between parts: no rank has all particles. Water soon leaves the box of the drain, or is removed
/// near the nozzle, which changes the indices of ranks that do not have it.
const FOUNTAIN: &[&str] = &[
    "sort_every=2",
    "transfer.drift=1",
    "grids.nodes.cells=[40, 40, 24]",
    "jet.spacing=0.02",
    "jet.at=[0.4, 0.6, 0.16]",
    "jet.towards=[0.2, 0, 1]",
    "jet.speed=15",
    "drain.high=[2, 1.13, 0.55]",
    "drain.level=0.2",
    "drain.slow=100",
];

const ALONG_Z: &[[usize; 3]] = &[[1, 1, 2], [1, 1, 3], [1, 1, 4]];

fn small(name: &str, settings: &[&str], more: &[&str]) -> Pipeline {
    load(name, &[settings, NO_SCENE, more].concat())
}

/// A small pipeline with outputs of particles, and a checkpoint after each frame.
fn written(name: &str, settings: &[&str], frames: u64) -> Pipeline {
    let frames = format!("run.frames={frames}");
    let more = [
        frames.as_str(),
        "run.checkpoint_every=1",
        "run.steps_per_frame=7",
        "outputs.position.every=1",
        "outputs.velocity={\"source\": \"matter.velocity\", \"format\": \"npy\"}",
        "outputs.mass={\"source\": \"nodes.mass\", \"format\": \"npy\"}",
    ];
    small(name, settings, &more)
}

/// Frames end between two sorts.
pub(super) fn snowfall(frames: u64) -> Pipeline {
    written("mpm_snowfall", SNOWFALL, frames)
}

pub(super) fn fountain(frames: u64) -> Pipeline {
    written("mpm_fountain", FOUNTAIN, frames)
}

/// The numbers of live particles and of refused births after some steps on one rank.
fn counts_after(gpu: &Gpu, pipeline: &Pipeline, steps: u64) -> [u32; 2] {
    let mut simulation = start(gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None);
    for _ in 0..steps {
        simulation.step(false).unwrap();
    }
    let bytes = simulation.read("matter_live").unwrap();
    bytemuck::pod_read_unaligned(&bytes[..8])
}

#[test]
fn snow_that_is_removed_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = small("mpm_snowfall", SNOWFALL, &[]);
    let [live, _] = counts_after(&gpu, &pipeline, 20);
    assert!((1000..2000).contains(&live), "{live}");
    assert_equal(&gpu, &pipeline, &ALONG_Z[..1], &Setting::steps(20));
}

#[test]
fn a_fountain_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = small("mpm_fountain", FOUNTAIN, &[]);
    let [[some, _], [all, _]] = [7, 50].map(|steps| counts_after(&gpu, &pipeline, steps));
    // Without a drain, there would be seven times as many.
    assert!(some > 50 && all < 5 * some, "{some} {all}");
    assert_equal(&gpu, &pipeline, &ALONG_Z[..1], &Setting::steps(50));
}

/// Births that are refused are counted as on one rank.
#[test]
fn a_full_fountain_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = small("mpm_fountain", FOUNTAIN, &["particles.matter.capacity=50"]);
    let [live, refused] = counts_after(&gpu, &pipeline, 12);
    assert!(live <= 50 && refused > 0, "{live} {refused}");
    assert_equal(&gpu, &pipeline, &ALONG_Z[..1], &Setting::steps(12));
}

#[test]
#[ignore = "long: the kernels of two to four ranks, also checked"]
fn all_cuts_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    for (name, settings) in [("mpm_snowfall", SNOWFALL), ("mpm_fountain", FOUNTAIN)] {
        let pipeline = small(name, settings, &[]);
        assert_equal(&gpu, &pipeline, ALONG_Z, &Setting::steps(60));
        let checked = Setting {
            options: CHECKED,
            ..Setting::steps(10)
        };
        assert_equal(&gpu, &pipeline, &ALONG_Z[..1], &checked);
    }
}

/// Without new ghosts or an exchange, or if particles keep their places, the hash changes, or ranks notice it.
#[test]
#[ignore = "long: the kernels of two ranks, several times"]
fn control_mistakes_change_particles_that_come_and_go() {
    let Some(gpu) = common::gpu() else { return };
    // New water does not come farther than ghosts reach.
    for (name, settings, sorts, dropped) in [
        ("mpm_snowfall", SNOWFALL, "transfer.sort_every=1", Spoil::NoGhosts),
        ("mpm_fountain", FOUNTAIN, "sort_every=1", Spoil::Drop),
    ] {
        let pipeline = small(name, settings, &["transfer.drift=2", sorts]);
        let setting = Setting::steps(40);
        let alone = hash_alone(&gpu, &pipeline, &setting);
        let with = |spoil: Spoil| {
            let setting = Setting {
                probe: Arc::new(controls::Spoils(spoil)),
                ..setting.clone()
            };
            catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &pipeline, [1, 1, 2], &setting))).ok()
        };
        assert_eq!(with(Spoil::None), Some(alone), "{name}");
        for spoil in [dropped, Spoil::Unmoved] {
            assert_ne!(with(spoil), Some(alone), "{name} {spoil:?}");
        }
    }
}

/// A set is refused if a stage needs the places of new particles before a sort.
#[test]
fn new_particles_are_sorted_before_the_grid_is_accessed() {
    let seldom = small(
        "mpm_fountain",
        FOUNTAIN,
        &["use.transfer.parameters={\"sort_every\": 4}"],
    );
    let uncut = seldom.clone().cut(&CutRequest::default(), 0, 2).unwrap_err();
    let messages: Vec<&str> = uncut.iter().map(|uncut| uncut.message.as_str()).collect();
    let wanted = "stage `transfer.p2g` cannot be cut into parts: it runs over new particles of `matter` that are not sorted yet";
    assert!(messages.contains(&wanted), "{messages:?}");
    // The stage that finds their cells may run.
    let is_found = messages.iter().any(|message| message.contains("find_cells"));
    assert!(!is_found, "{messages:?}");
    let mut whole = seldom;
    let request = CutRequest {
        parts: None,
        whole: Whole::All,
    };
    whole.cut(&request, 0, 2).unwrap();
    assert!(whole.cut.unwrap().sets.is_empty());
    let mut cut = small("mpm_fountain", FOUNTAIN, &[]);
    cut.cut(&CutRequest::default(), 0, 2).unwrap();
    assert_eq!(cut.cut.unwrap().sets.len(), 1);
}
