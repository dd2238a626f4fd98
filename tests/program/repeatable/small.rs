//! Settings that make pipelines small.

pub const SMALL_VIEW: &str = "draw.size=[96, 54]";
pub const SMALL_PICTURE: &str = "grids.view.pixels=[72, 54]";
pub const SMALL_SUN: &str = "draw.sun.pixels=64";
pub const EACH_POSITION: &str = "outputs.position.every=1";
pub const SMALL_AIR: &str = "grids.air.cells=[40, 42, 16]";
pub const AIR_ORIGIN: &str = "grids.air.origin=[0.7, 3, -7]";
pub const SMALL_RELIEF: &str = "grids.ground.channels.elevation.values.metres_per_pixel=[0.7, 0.875]";
pub const LARGE_RELIEF: &str = "grids.ground.channels.elevation.values.metres_per_pixel=[3, 3.5]";
pub const RELIEF_LEVELS: &str = "grids.ground.channels.elevation.values.metres_per_level=0.04";
pub const FEW_VERTICES: &str = "grids.ground.vertices=[96, 100]";
pub const FEW_FLAKES: &str = "flakes.count=2000";
pub const SNOW_STEPS: &str = "run.steps_per_frame=9";
