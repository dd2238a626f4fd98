//! The clock in the interface, and the function with which a stage sets the length of an iteration.

use super::{Generator, line};

/// Kind of the fault of an iteration length that is not above 0.
pub(super) const NO_LENGTH: u32 = 5;

/// An iteration is never longer than the remaining time. A length that is not above 0 is reported even in runs that
/// are not checked.
const LENGTH: &str = "\
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sg_length_block { uint sg_before[5]; float dt; };
void set_clock_dt(float value) {
    if (!(value > 0.0)) { sg_report(0u, NO_LENGTHu, ivec3(floatBitsToInt(value), 0, 0)); value = clock.left; }
    sg_length_block(uint64_t(clock)).dt = min(value, clock.left);
}
";

impl Generator<'_> {
    /// The words of the clock, in the order of `shared_constants::clock`.
    pub(super) fn clock(&mut self) {
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer sg_clock_block {{ float left; \
             uint iteration; uint step; uint frame; float time; float dt; uint seed; }};"
        );
    }

    pub(super) fn clock_length(&mut self) {
        if self.signature.sets_length {
            self.text
                .push_str(&LENGTH.replace("NO_LENGTH", &NO_LENGTH.to_string()));
        }
    }
}
