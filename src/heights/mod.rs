//! Elevation models: PNG, GeoTIFF and ESRI ASCII grids. Checks read only their size; heights are read at load time.
//!
//! Row 0 of a file is the north edge; vertex row 0 is the south edge, so that y grows to the north.

mod ascii;
mod earth;
mod georeference;
mod geotiff;
mod grey;
mod missing;
mod model;
mod resample;
mod turn;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tiff::encoder::colortype::Gray32Float;

use crate::input_file;

pub use ascii::DEFAULT_NO_DATA;
pub use georeference::{Georeference, Projection, north_up};
pub use geotiff::{Effort, encode, from_wkt};
pub use model::{Header, Model};
pub use resample::downsample;
pub use turn::{along_wind, source, swapped};

/// The heights of vertices, x fastest, south row first.
#[derive(Debug)]
pub struct Heights {
    /// Metres.
    pub values: Vec<f32>,
    /// Number of pixels of the file without data.
    pub filled: usize,
}

/// The formats, detected from the first bytes of a file.
enum Format {
    Png,
    Tiff,
    Ascii,
}

fn open(path: &Path) -> Result<(Format, File), String> {
    let open = || input_file::open(path).map(|(file, _)| file);
    let mut start = Vec::new();
    open()?
        .take(8)
        .read_to_end(&mut start)
        .map_err(|error| error.to_string())?;
    let format = match &start[..] {
        [0x89, b'P', b'N', b'G', ..] => Format::Png,
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Format::Tiff,
        text if ascii::begins(text) => Format::Ascii,
        _ => return Err("it is no elevation model: a PNG, a GeoTIFF or an ESRI ASCII grid".into()),
    };
    Ok((format, open()?))
}

/// Reads the header of a file.
pub fn examine(path: &Path) -> Result<Header, String> {
    let (format, file) = open(path)?;
    match format {
        Format::Png => grey::examine(file),
        Format::Tiff => geotiff::examine(file),
        Format::Ascii => Ok(ascii::examine(file, path)?.header),
    }
}

/// The levels of a file, with missing ones filled from their neighbours.
pub fn read(path: &Path) -> Result<Model, String> {
    let (format, file) = open(path)?;
    let (header, mut levels): (Header, Vec<f64>) = match format {
        Format::Png => grey::read(file)?,
        Format::Tiff => geotiff::read(file)?,
        Format::Ascii => ascii::read(file, path)?,
    };
    let filled = missing::fill(&mut levels, header.size[0] as usize)?;
    Ok(Model {
        header,
        levels,
        filled,
    })
}

/// The bytes of a GeoTIFF with the levels of a model as 32-bit floats, at the position of the model.
pub fn to_geotiff(model: &Model) -> Result<Vec<u8>, String> {
    let levels: Vec<f32> = model.levels.iter().map(|level| *level as f32).collect();
    let size = model.header.size;
    // Without a position, the south-west pixel is at the origin.
    let mut reference = model.header.georeference.clone().unwrap_or_else(|| {
        let sides = model.header.metres_per_pixel.unwrap_or([1.0; 2]);
        let north = (size[1] - 1) as f64 * sides[1];
        Georeference::local().of_raster([0.0, -north], sides, true)
    });
    // A level must not read as a gap, of which the model has none.
    let no_data = reference.no_data.as_deref().and_then(|text| text.parse().ok());
    if no_data.is_none_or(|number: f64| levels.contains(&(number as f32))) {
        reference.no_data = None;
    }
    encode::<Gray32Float>(size.map(|side| side as u32), &levels, &reference, Effort::Best)
}

/// The heights at `vertices`: (level - `base_level`) * `metres_per_level`, resampled.
pub fn load(
    path: &Path,
    vertices: [u64; 2],
    base_level: f64,
    metres_per_level: f64,
) -> Result<Heights, String> {
    let model = read(path)?;
    let height = |level: f64| ((level - base_level) * metres_per_level) as f32;
    Ok(Heights {
        values: resample::cubic(&model, vertices, height),
        filled: model.filled,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_png(path: &Path, width: u32, height: u32, levels: &[u16]) {
        let mut encoder = png::Encoder::new(File::create(path).unwrap(), width, height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Sixteen);
        let bytes: Vec<u8> = levels.iter().flat_map(|l| l.to_be_bytes()).collect();
        encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    }

    #[test]
    fn png_heights_are_flipped_scaled_and_resampled_linearly() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plane.png");
        // level = 10 x + 100 (row from the north)
        let levels: Vec<u16> = (0..4u16)
            .flat_map(|row| (0..5u16).map(move |x| 10 * x + 100 * row))
            .collect();
        write_png(&path, 5, 4, &levels);
        assert_eq!(examine(&path).unwrap().size, [5, 4]);
        let exact = load(&path, [5, 4], 100.0, 0.5).unwrap().values;
        assert_eq!(exact[0], (300.0 - 100.0) * 0.5);
        assert_eq!(exact[4 + 5 * 3], (40.0 - 100.0) * 0.5);
        // Catmull-Rom reproduces linear functions away from the clamped border.
        let fine = load(&path, [9, 7], 0.0, 1.0).unwrap().values;
        assert!(
            (fine[3 + 9 * 3] - (15.0 + 150.0)).abs() < 1e-4,
            "{}",
            fine[3 + 9 * 3]
        );
    }

    #[test]
    fn transparency_does_not_change_heights() {
        let directory = tempfile::tempdir().unwrap();
        let [plain, keyed] = ["plain.png", "keyed.png"].map(|name| directory.path().join(name));
        for depth in [png::BitDepth::Eight, png::BitDepth::Sixteen] {
            let bytes: Vec<u8> = match depth {
                png::BitDepth::Sixteen => (0..12u16).flat_map(|level| (level * 700).to_be_bytes()).collect(),
                _ => (0..12).map(|level| 20 * level).collect(),
            };
            for (path, key) in [(&plain, None), (&keyed, Some([0u8, 40]))] {
                let mut encoder = png::Encoder::new(File::create(path).unwrap(), 4, 3);
                encoder.set_color(png::ColorType::Grayscale);
                encoder.set_depth(depth);
                if let Some(key) = key {
                    encoder.set_trns(key.to_vec());
                }
                encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
            }
            let [wanted, heights] = [&plain, &keyed].map(|path| load(path, [4, 3], 0.0, 1.0).unwrap().values);
            assert_eq!(heights, wanted, "{depth:?}");
            assert!(
                wanted[0] != wanted[1] && std::fs::read(&plain).unwrap() != std::fs::read(&keyed).unwrap()
            );
        }
    }

    #[test]
    fn unsupported_height_images_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("no.png");
        assert!(examine(&path).is_err());
        std::fs::write(&path, b"not a png").unwrap();
        assert!(examine(&path).is_err());
    }
}
