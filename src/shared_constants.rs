//! Numbers that host and kernels share, each defined only here: the host uses the modules, kernels include
//! `engine/<module>.glsl`, which [`glsl`] generates with equal names.

/// Defines the modules, and lists their numbers for [`glsl`].
macro_rules! shared {
    ($($(#[$about:meta])* $module:ident { $($(#[$note:meta])* $name:ident = $value:expr;)* })*) => {
        $($(#[$about])* pub mod $module {
            $($(#[$note])* pub const $name: u32 = $value;)*
        })*

        const MODULES: &[(&str, &[(&str, u32)])] = &[
            $((stringify!($module), &[$((stringify!($name), $module::$name)),*])),*
        ];
    };
}

shared! {
/// Limits that all devices support.
    device {
/// Number of workgroups along one axis that every device supports.
        MAX_GROUPS = 65_535;
    }

/// The clock in kernels: its size, and indices of its words.
    clock {
        CLOCK_WORDS = 7;
/// Remaining time of the step when the iteration begins, s: all of it outside of repeats that subdivide the step. It
        /// is the first word because it is the condition of such a repeat.
        CLOCK_LEFT = 0;
/// Iterations that such a repeat has done in the step.
        CLOCK_ITERATION = 1;
        /// Steps done.
        CLOCK_STEP = 2;
        /// Frames done; in the frame stages' clock, the number of the frame.
        CLOCK_FRAME = 3;
        /// Time at which the step or iteration begins, s.
        CLOCK_TIME = 4;
        /// Length of the step or iteration, s.
        CLOCK_DT = 5;
        CLOCK_SEED = 6;
    }

/// The record of a repeat with `while` that reached its maximum number of iterations: indices of words.
    unfinished {
        UNFINISHED_WORDS = 4;
/// Number of times, saturating.
        UNFINISHED_TIMES = 0;
        /// The first time: the step, counted from 1; the number of the frame, for frame stages; and the iterations.
        UNFINISHED_STEP = 1;
        UNFINISHED_FRAME = 2;
        UNFINISHED_ITERATIONS = 3;
    }

    /// Prefix sums over tiles of values.
    scan {
        /// Invocations of a workgroup, which takes a tile.
        TILE_GROUP = 256;
        /// Values of one invocation.
        TILE_ITEMS = 16;
        TILE = TILE_GROUP * TILE_ITEMS;
    }

/// The buffer `<set>_live` of a dynamic particle set: its size, and indices of its words.
    live {
        LIVE_WORDS = 64;
/// Number of live particles, which are the first ones of the set.
        LIVE_COUNT = 0;
/// Births refused since the start for lack of room, saturating.
        LIVE_REFUSED = 1;
/// Number of particles that are being added after the live ones; 0 except while a stage emits.
        LIVE_BORN = 2;
/// Group counts, three words each, for workgroups that process 2^`LIVE_LEAST_LOG2`, twice as many, ... live
        /// particles.
        LIVE_GROUPS = 4;
        LIVE_SIZES = 12;
/// Group counts for workgroups that process as many newborn particles.
        LIVE_NEWBORN_GROUPS = 40;
        LIVE_NEWBORN_SIZES = 6;
        LIVE_LEAST_LOG2 = 5;
    }

/// The header of a sparse grid's pages: its size, and indices of its words.
    pages {
/// One workgroup copies the whole header.
        HEADER_WORDS = 64;
        /// Updates that took effect.
        UPDATES = 0;
        /// Active blocks.
        ACTIVE = 1;
/// Number of blocks that became active in the last update.
        ACTIVATED = 2;
/// Number of blocks that became inactive in the last update.
        DEACTIVATED = 3;
/// Number of workgroups that fill one new block.
        FILL_PARTS = 8;
/// The bit that marks coordinates outside the grid, and blocks in the list of active blocks whose neighbours are all
        /// active.
        OUTSIDE = 2147483648;
    }

    /// The tables of measures and of the watch: words of their rows.
    measure {
/// An item: workgroups, then the first partial result (series) or the smallest and largest good key (watch), then
        /// the type of its numbers.
        ITEM_WORDS = 4;
/// A partial result: elements, non-finite elements, the sum in two words, smallest and largest key.
        PARTIAL_WORDS = 6;
/// The state of the watch per item: first bad step, and the part of the field with the first bad element.
        FOUND_WORDS = 2;
/// A record of the watch: step, index in two words, key, component.
        RECORD_WORDS = 5;
        FLOAT = 0;
        INT = 1;
        UINT = 2;
    }
}

/// The text of an `engine/` include; `None` for other paths.
pub fn glsl(path: &str) -> Option<String> {
    let wanted = path.strip_prefix("engine/")?.strip_suffix(".glsl")?;
    let (module, numbers) = MODULES.iter().find(|(module, _)| *module == wanted)?;
    let guard = format!("ENGINE_{}_GLSL", module.to_uppercase());
    let numbers: String = numbers
        .iter()
        .map(|(name, value)| format!("const uint {name} = {value}u;\n"))
        .collect();
    Some(format!("#ifndef {guard}\n#define {guard}\n\n{numbers}\n#endif\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_words_have_the_host_values() {
        let text = glsl("engine/scan.glsl").unwrap();
        for (name, value) in [("TILE_GROUP", scan::TILE_GROUP), ("TILE", scan::TILE)] {
            let line = format!("const uint {name} = {value}u;");
            assert!(text.lines().any(|given| given == line), "{text}");
        }
        assert!(!text.contains("LIVE_"));
    }

    #[test]
    fn only_known_engine_paths_are_generated() {
        for path in [
            "scan.glsl",
            "engine/scan",
            "engine/none.glsl",
            "lib/engine/scan.glsl",
        ] {
            assert_eq!(glsl(path), None, "{path}");
        }
    }
}
