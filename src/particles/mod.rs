//! Particle sets as data: files of points, filled solids, and live counts of dynamic sets.

pub mod files;
pub mod fill;
pub mod live;
pub mod parallel;
pub mod placing;
pub mod random;
