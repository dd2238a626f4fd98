//! Numbers that host and kernels must agree about. Each stands here and nowhere else: the host uses the modules,
//! kernels include the same numbers under the same names as `engine/<module>.glsl`, a file that [`glsl`] writes.

/// Modules of numbers, and what their files for kernels hold.
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
    /// What all devices have in common.
    device {
        /// Workgroups along one axis that every device allows.
        MOST_GROUPS = 65_535;
    }

    /// The clock that a kernel sees: words, and where in it they stand.
    clock {
        CLOCK_WORDS = 7;
        /// Time of the step that is left when the iteration begins, s: all of it outside of repeats that go through it. The
        /// first word, as it ends such a repeat.
        CLOCK_LEFT = 0;
        /// Iterations of the step that such a repeat has taken.
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

    /// What is noted of a repeat with `while` that used all its iterations: words, and where they stand.
    unfinished {
        UNFINISHED_WORDS = 4;
        /// How often, at most the largest number.
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

    /// The buffer `<set>_live` of a dynamic particle set: words, and where in it they stand.
    live {
        LIVE_WORDS = 64;
        /// Particles that live: the first ones of the set.
        LIVE_COUNT = 0;
        /// Births that were refused since the start because there was no room; it stays at its largest value.
        LIVE_REFUSED = 1;
        /// Particles that are being added, after those that live: 0 but while a stage emits.
        LIVE_BORN = 2;
        /// Group counts, three words each, for workgroups that take 2^`LIVE_LEAST_LOG2`, twice as many, ... particles
        /// that live,
        LIVE_GROUPS = 4;
        LIVE_SIZES = 12;
        /// and for those that take as many newborn ones.
        LIVE_NEWBORN_GROUPS = 40;
        LIVE_NEWBORN_SIZES = 6;
        LIVE_LEAST_LOG2 = 5;
    }

    /// The header of a sparse grid's pages: words, and where in it they stand.
    pages {
        /// One workgroup takes all of it over.
        HEADER_WORDS = 64;
        /// Updates that took effect.
        UPDATES = 0;
        /// Active blocks.
        ACTIVE = 1;
        /// Blocks that became active in the last update,
        ACTIVATED = 2;
        /// and those that ceased to be.
        DEACTIVATED = 3;
        /// Workgroups that fill one fresh block.
        FILL_PARTS = 8;
    }

    /// The tables of measures and of the watch: words of their rows.
    measure {
        /// An item: workgroups, then the first partial (of a series) or least and greatest key that are good (of the
        /// watch), then which numbers they are.
        ITEM_WORDS = 4;
        /// A partial result: elements, non-finite ones, the sum in two words, least and greatest key.
        PARTIAL_WORDS = 6;
        /// What the watch keeps per item on the device: first bad step, part of the field with the first bad element.
        FOUND_WORDS = 2;
        /// A record of the watch: step, place in two words, key, component.
        RECORD_WORDS = 5;
        FLOAT = 0;
        INT = 1;
        UINT = 2;
    }
}

/// The file that kernels include under a path, if it is one of these.
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
