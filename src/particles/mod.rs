//! Particle sets whose number of particles changes.

pub mod live;
