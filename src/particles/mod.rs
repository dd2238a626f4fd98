//! Particle sets, as data: files of points, filled bodies, and sets whose particles come and go while a run goes on.

pub mod files;
pub mod fill;
pub mod live;
pub mod parallel;
pub mod placing;
pub mod random;
