//! Particle sets: what they start as, and those whose particles come and go while a run goes on.

pub mod files;
pub mod fill;
pub mod initial;
pub mod live;
pub mod parallel;
pub mod placing;
pub mod random;
