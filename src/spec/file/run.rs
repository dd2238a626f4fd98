//! Settings of a run.

use super::values::{Number, Reference};
use crate::spec::read::object;

object! {
    /// Settings of a run.
    "Run" RunFile {
        /// Length of a step: `dt` in expressions, `clock.dt` in shaders.
        ///
        /// - Unit: s
        /// - Range: above 0
        /// - Example: `"1/30"`
        must dt: Number,
        /// Number of steps per frame.
        ///
        /// - Unit: steps
        /// - Default: `1`
        /// - Range: 1 to 1 000 000
        /// - Example: `2`
        may steps_per_frame: Number,
        /// Number of frames of a run; `--frames` overrides it.
        ///
        /// - Unit: frames
        /// - Default: `100`
        /// - Range: 0 to 2⁴⁰
        /// - Example: `240`
        may frames: Number,
        /// Seed of all random numbers of the run: `clock.seed` in shaders.
        ///
        /// - Default: `0`
        /// - Range: 0 to 2³² - 1
        /// - Example: `7`
        may seed: Number,
        /// Computes the same bits on every device: division, square roots and other functions use only sums, products and
        /// integers ([portable runs](portable.md)).
        ///
        /// - Default: `false`
        /// - Example: `true`
        all portable: bool,
        /// Writes a checkpoint, from which a run can continue with `--resume`, after every n-th frame and after the
        /// last.
        ///
        /// - Unit: frames
        /// - Default: none, except checkpoints that signals request
        /// - Range: 1 to 2⁴⁰
        /// - Example: `50`
        may checkpoint_every: Number,
        /// Number of checkpoints to keep: the newest ones.
        ///
        /// - Default: `2`
        /// - Range: 1 to 1000
        /// - Example: `3`
        may checkpoints_kept: Number,
        /// Checks for NaN, infinities and values outside the `bounds` of a channel after every n-th step. The first
        /// such value ends the run with a message that names its field, step, index and value. `--watch` also enables
        /// the check.
        ///
        /// - Unit: steps
        /// - Default: none
        /// - Range: 1 to 2³⁰
        /// - Example: `25`
        may watch_every: Number,
        /// The fields to check. Integer fields require `bounds`.
        ///
        /// - Default: all float fields and all fields with `bounds` that steps write
        /// - Range: not `rgba8`; requires `watch_every`
        /// - Example: `["air.u", "flakes.position"]`
        may watch_fields: Vec<Reference>,
    }
}
