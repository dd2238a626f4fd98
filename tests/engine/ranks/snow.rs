//! Falling snow on ranks: a sparse grid and flakes that jump on parts, the ground whole.

use sastrugi::run::Spoil;

use super::controls::assert_changed;
use super::shipped::load;
use super::*;

/// Wind over a sparse grid and flakes on parts; the ground whole on every rank. Some flakes land, and some leave through a side.
fn snowfall() -> Pipeline {
    let settings = [
        "grids.air.cells=[40, 42, 16]",
        "grids.air.origin=[0.7, 3, -7]",
        "grids.air.sparse.block=[8, 8, 8]",
        "grids.ground.channels.elevation.values.metres_per_pixel=[0.7, 0.875]",
        "grids.ground.channels.elevation.values.metres_per_level=0.04",
        "grids.ground.vertices=[96, 100]",
        "flakes.count=2000",
        "flakes.sort_every=3",
        "obstacles.every=4",
        "frame=[]",
        "init=[\"start_air\", \"init_flakes\"]",
        "outputs.view=null",
    ];
    load("snow", &settings)
}

#[test]
#[ignore = "long: compiles the kernels of two to four ranks"]
fn snow_falls_equally() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 1, 2], [2, 2, 1]];
    assert_equal(&gpu, &snowfall(), &cuts, &Setting::steps(10));
}

/// A part of the large scene: few of its blocks are active, and it has so many sub-blocks that their sums run on parts.
fn large_snowfall() -> Pipeline {
    let settings = [
        "grids.air.cells=[128, 136, 64]",
        "grids.air.sparse.budget=1e9",
        "grids.ground.channels.elevation.values.metres_per_pixel=[0.7, 0.83]",
        "grids.ground.channels.elevation.values.metres_per_level=0.08",
        "grids.ground.vertices=[96, 100]",
        "flakes.count=5000",
        "flakes.sort_every=3",
        "obstacles.every=4",
        "frame=[]",
        "init=[\"start_air\", \"init_flakes\"]",
        "outputs.view=null",
    ];
    load("snow_large", &settings)
}

#[test]
#[ignore = "long: a million cells on two to four ranks"]
fn large_snow_falls_equally() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 3, 1], [2, 2, 1]];
    assert_equal(&gpu, &large_snowfall(), &cuts, &Setting::steps(6));
}

#[test]
fn sums_of_large_snow_run_on_parts() {
    let mut pipeline = large_snowfall();
    let notices = pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    let is_of_sums = |notice: &String| notice.contains("count_faces") || notice.contains("pressure");
    assert!(!notices.iter().any(is_of_sums), "{notices:?}");
}

#[test]
#[ignore = "long: compiles the kernels of two ranks"]
fn control_falling_snow_without_an_exchange_has_other_bits() {
    for spoil in [Spoil::Drop, Spoil::Shallow] {
        assert_changed(&snowfall(), spoil, [1, 2, 1]);
    }
}

/// The stages of the wind run on parts.
#[test]
fn wind_of_snow_is_cut() {
    let mut pipeline = snowfall();
    pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    let cut = pipeline.cut.as_deref().unwrap();
    for name in ["build_faces", "advect", "build_solution", "sor", "project"] {
        let id = pipeline
            .stages
            .iter()
            .position(|stage| stage.name == name)
            .unwrap();
        assert_eq!(cut.shares[id], Share::Part { grow: [0; 3] }, "{name}");
    }
}
