//! Particle sets, as data: files of points, filled bodies, and sets whose particles come and go while a run goes on.

pub(crate) mod files;
pub(crate) mod fill;
pub(crate) mod live;
pub(crate) mod parallel;
pub(crate) mod placing;
pub(crate) mod random;
