//! Damaged files of every kind that the program reads as bytes: each is read or refused in words, soon, in little memory,
//! without a panic. Part of the damage keeps checksums right, so that it reaches what lies behind them.
//!
//! SASTRUGI_FUZZ_CASES sets the number of cases of each kind of file (default 1,000).

use sastrugi::element::Element;
use sastrugi::particles::files::{Layout, Points, array};
use sastrugi::particles::fill::{read_areas, read_mesh};
use sastrugi::run::checkpoint::Checkpoint;
use sastrugi::shader::{demands, spirv, validate};
use sastrugi::{Changes, expr, heights};

use super::*;

/// Reads a file that was damaged, or says why not.
type Reader = fn(&Path) -> Result<(), String>;
/// Makes checksums right after damage.
type Repair = fn(&mut [u8]);

const NO_REPAIR: Repair = |_| {};

/// Maximum number of bytes that one case may hold at a time: the TIFF library holds up to 256 MiB for the values of a tag.
const MAX_HELD: isize = 320 << 20;

/// Numbers that sizes and offsets are replaced by.
const WORDS: [u32; 8] = [0, 1, 2, 255, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff];

fn damage_bytes(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let length = bytes.len();
    match dice.below(4) {
        0 if length >= 4 => {
            let at = dice.below(length - 3);
            let word = *dice.pick(&WORDS);
            let word = if dice.below(2) == 0 {
                word.to_le_bytes()
            } else {
                word.to_be_bytes()
            };
            bytes[at..at + 4].copy_from_slice(&word);
        }
        1 if length > 0 => {
            let at = dice.below(length);
            bytes[at] = dice.below(256) as u8;
        }
        _ => damage_text(bytes, dice),
    }
}

/// A directory in memory, if there is one: a million files on disk take their time.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Reads the undamaged samples, then damaged ones.
fn fuzz(samples: &[&str], repair: Repair, read: Reader) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    let samples: Vec<(PathBuf, Vec<u8>)> = (samples.iter())
        .map(|name| (PathBuf::from(name), std::fs::read(root.join(name)).unwrap()))
        .collect();
    let directory = scratch();
    for (name, bytes) in &samples {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read(&path).unwrap_or_else(|error| panic!("the control: {}: {error}", name.display()));
    }
    let kinds = samples.iter().map(|(name, _)| name.display().to_string());
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    fuzz_bytes(&kinds, &samples, |number, bytes, dice| {
        let mut bytes = bytes.to_vec();
        (0..=dice.below(4)).for_each(|_| damage_bytes(&mut bytes, dice));
        if dice.below(4) > 0 {
            repair(&mut bytes);
        }
        let path = directory.path().join(&samples[number].0);
        std::fs::write(&path, &bytes).unwrap();
        (bytes, read(&path))
    });
}

/// Draws cases; `run` returns what was read, and how it ended.
fn fuzz_bytes(
    name: &str,
    samples: &[(PathBuf, Vec<u8>)],
    run: impl Fn(usize, &[u8], &mut Dice) -> (Vec<u8>, Result<(), String>),
) {
    let cases = cases(1000);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (start, good) = (Instant::now(), Cell::new(0));
    let numbers = proptest::collection::vec(any::<u32>(), 1..24);
    let outcome = TestRunner::new(config).run(&(0..samples.len(), numbers), |(number, numbers)| {
        let mut dice = Dice {
            numbers: &numbers,
            used: 0,
        };
        PEAK.set(HELD.get());
        let (before, began) = (HELD.get(), Instant::now());
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(number, &samples[number].1, &mut dice)
        }));
        let (taken, held) = (began.elapsed(), PEAK.get() - before);
        let failed = |what: &str| {
            Err(TestCaseError::fail(format!(
                "{what}: sample {number}, {numbers:?}"
            )))
        };
        match ended {
            Err(_) => failed("a panic"),
            Ok((bytes, _)) if taken > MAX_TIME => failed(&format!("{taken:?} for {} bytes", bytes.len())),
            Ok((bytes, _)) if held > MAX_HELD => failed(&format!("{held} bytes for {}", bytes.len())),
            Ok((_, Err(reason))) if reason.is_empty() => failed("refused without a reason"),
            Ok((_, outcome)) => {
                good.set(good.get() + u32::from(outcome.is_ok()));
                Ok(())
            }
        }
    });
    if let Err(TestError::Fail(reason, _)) = outcome {
        panic!("{name}: {reason}");
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {cases} cases in {seconds:.1} s, {:.3} ms each; {} still good",
        1e3 * seconds / f64::from(cases),
        good.get()
    );
    // Damage that nothing survives tests only the first check; damage that all survives tests none.
    assert!(
        cases < 200 || (1..cases).contains(&good.get()),
        "{name}: {} of {cases} are good",
        good.get()
    );
}

/// Elevation models, from their size to vertices.
fn elevation(path: &Path) -> Result<(), String> {
    heights::examine(path)?;
    heights::read(path).map(drop)
}

/// Makes the checksums of the chunks of a PNG file right.
fn repair_png(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(end) = (at + 8).checked_add(length).filter(|end| end + 4 <= bytes.len()) else {
            return;
        };
        let sum = crc32(&bytes[at + 4..end]).to_be_bytes();
        bytes[end..end + 4].copy_from_slice(&sum);
        at = end + 4;
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |mut sum: u32, byte| {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
        sum
    })
}

#[test]
fn damaged_png_heights_are_read_or_refused() {
    fuzz(&["grey16.png", "grey8.png"], repair_png, elevation);
}

#[test]
fn damaged_geotiff_is_read_or_refused() {
    fuzz(&["heights.tif"], NO_REPAIR, elevation);
}

#[test]
fn damaged_ascii_grids_are_read_or_refused() {
    fuzz(&["heights.asc"], NO_REPAIR, elevation);
}

#[test]
fn damaged_meshes_are_read_or_refused() {
    fuzz(&["mesh.ply", "binary.ply"], NO_REPAIR, |path| {
        read_mesh(path).map(drop)
    });
}

#[test]
fn damaged_geojson_is_read_or_refused() {
    fuzz(&["areas.geojson"], NO_REPAIR, |path| {
        let areas = read_areas(path)?;
        let mut marks = vec![false; 20 * 10];
        areas.mark([0.0, 0.0], [1.0, 1.0], 20, &mut marks);
        Ok(())
    });
}

#[test]
fn damaged_obj_is_read_or_refused() {
    fuzz(&["mesh.obj"], NO_REPAIR, |path| read_mesh(path).map(drop));
}

#[test]
fn damaged_stl_is_read_or_refused() {
    fuzz(&["mesh.stl", "binary.stl"], NO_REPAIR, |path| {
        read_mesh(path).map(drop)
    });
}

/// Points with their attributes.
fn points(path: &Path) -> Result<(), String> {
    let layout = Layout::of(path)?;
    let points = Points::read(path)?;
    points.positions()?;
    let mut columns = layout.columns.iter();
    columns.try_for_each(|column| points.bytes_of(column, Element::Float, 1).map(drop))
}

/// As [`points`]: a column of a type that does not fit is no defect of the file.
fn any_points(path: &Path) -> Result<(), String> {
    match points(path) {
        Err(error) if Points::read(path).is_err_and(|other| other == error) => Err(error),
        _ => Ok(()),
    }
}

#[test]
fn damaged_points_in_ply_are_read_or_refused() {
    fuzz(&["points.ply", "binary.ply"], NO_REPAIR, any_points);
}

#[test]
fn damaged_points_in_bgeo_are_read_or_refused() {
    fuzz(&["points.bgeo"], NO_REPAIR, any_points);
}

#[test]
fn damaged_points_in_npz_are_read_or_refused() {
    fuzz(&["points.npz", "packed.npz"], NO_REPAIR, any_points);
}

#[test]
fn damaged_npy_is_read_or_refused() {
    fuzz(&["array.npy", "position.npy"], NO_REPAIR, |path| {
        let _ = any_points(path);
        let shape = array::Shape::new(&[4, 3, 2], Element::Float, None);
        let other = array::Shape::new(&[5], Element::Vec3, None);
        match array::read(path, &shape) {
            Ok(_) => array::check(path, &shape),
            Err(_) => array::read(path, &other).map(drop),
        }
    });
}

#[test]
fn damaged_checkpoints_are_read_or_refused() {
    let repair = |bytes: &mut [u8]| {
        let Some(split) = bytes.len().checked_sub(32) else {
            return;
        };
        let sum = blake3::hash(&bytes[..split]);
        bytes[split..].copy_from_slice(sum.as_bytes());
    };
    fuzz(&["small.checkpoint"], repair, |path| {
        Checkpoint::read(path).map(drop)
    });
}

#[test]
fn damaged_replay_logs_are_read_or_refused() {
    fuzz(&["input.jsonl"], NO_REPAIR, |path| {
        let read = Changes::read(path).map(|changes| {
            changes.files_changed();
            changes.count_from(40);
            changes.up_to(50, Some(10));
        });
        read.map_err(|problems| problems.to_string())
    });
}

#[test]
fn damaged_spirv_is_read_or_refused() {
    fuzz(&["module.spv"], NO_REPAIR, |path| {
        let bytes = std::fs::read(path).unwrap();
        let words = spirv::words(&bytes)?;
        // These read what the validator refuses as well.
        spirv::reflect(&words);
        spirv::no_contraction(&words);
        demands::demands(&words, &[(1, 7)]);
        validate::validate(&words)
    });
}

/// Expressions with every kind of symbol.
const EXPRESSIONS: [&str; 6] = [
    "max(1, -2.5e3) * sin(wind.to.x) - 3 ^ -air[l + 1].p",
    "n > 3 and not (a == b) or c != 1",
    "if(x <= 1, y / 2, -(z + 1))",
    "sum(v.x) + count(air.u[4, 5, 6])",
    "-----x ^ 2 ^ 3",
    "{c}_next * 2 + pi",
];

#[test]
fn damaged_expressions_are_read_or_refused() {
    let samples = EXPRESSIONS.map(|text| (PathBuf::from(text), text.as_bytes().to_vec()));
    fuzz_bytes("expressions", &samples, |_, bytes, dice| {
        let mut bytes = bytes.to_vec();
        (0..=dice.below(4)).for_each(|_| damage_text(&mut bytes, dice));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = expr::parse(&text).map(|tree| {
            let names = tree.names();
            names.iter().for_each(|name| drop(name.to_string()));
        });
        (bytes, read.map_err(|mistake| mistake.message))
    });
}
