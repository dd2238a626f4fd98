//! Height-field images: their size at check time, their samples at load time.
//!
//! Image row 0 is the north edge; vertex row 0 is the south edge, so that y grows to the north.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use rayon::prelude::*;

/// Largest side that is accepted, pixels.
const LARGEST_SIDE: u32 = 65_536;
/// Bytes that the decoder may allocate besides the pixels.
const DECODER_BYTES: usize = 16 << 20;

fn open(path: &Path) -> Result<png::Reader<BufReader<File>>, String> {
    // A device or a pipe may never end, or block on opening.
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    let file = File::open(path).map_err(|e| e.to_string())?;
    let limits = png::Limits { bytes: DECODER_BYTES };
    let mut decoder = png::Decoder::new_with_limits(BufReader::new(file), limits);
    decoder.set_transformations(png::Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let reader = decoder.read_info().map_err(|e| format!("not a PNG file: {e}"))?;
    let info = reader.info();
    if info.color_type != png::ColorType::Grayscale {
        return Err(format!("its pixels are {:?}, not grey", info.color_type));
    }
    if info.width < 2 || info.height < 2 || info.width > LARGEST_SIDE || info.height > LARGEST_SIDE {
        return Err(format!(
            "{} x {} pixels; each side must have 2 to {LARGEST_SIDE}",
            info.width, info.height
        ));
    }
    Ok(reader)
}

/// Width and height in pixels, from the file's header alone.
pub(crate) fn image_size(path: &Path) -> Result<[u64; 2], String> {
    let reader = open(path)?;
    Ok([u64::from(reader.info().width), u64::from(reader.info().height)])
}

/// The heights at `vertices`, x fastest, south row first: (grey level - `base_level`) * `metres_per_level`,
/// resampled with the Catmull-Rom cubic (interpolating: at one vertex per pixel it returns the pixels).
pub(crate) fn load(
    path: &Path,
    vertices: [u64; 2],
    base_level: f64,
    metres_per_level: f64,
) -> Result<Vec<f32>, String> {
    let mut reader = open(path)?;
    let [width, height] = [reader.info().width as usize, reader.info().height as usize];
    let size = reader.output_buffer_size().ok_or("the image is too large")?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).map_err(|e| e.to_string())?;
    // A transparent grey level makes the decoder add an opacity to every pixel.
    let samples = frame.color_type.samples();
    let levels: Vec<f64> = match frame.bit_depth {
        png::BitDepth::Sixteen => (bytes.chunks_exact(2 * samples))
            .map(|pixel| f64::from(u16::from_be_bytes([pixel[0], pixel[1]])))
            .collect(),
        _ => (bytes.chunks_exact(samples))
            .map(|pixel| f64::from(pixel[0]))
            .collect(),
    };
    if levels.len() < width * height {
        return Err("the image is truncated".into());
    }
    let level = |x: isize, y: isize| {
        let x = x.clamp(0, width as isize - 1) as usize;
        let row = y.clamp(0, height as isize - 1) as usize;
        levels[(height - 1 - row) * width + x]
    };
    let [nx, ny] = vertices;
    let columns: Vec<_> = (0..nx).map(|i| cubic_weights(i, nx, width)).collect();
    let rows = (0..ny).into_par_iter().map(|j| {
        let (y, wy) = cubic_weights(j, ny, height);
        let vertices = columns.iter().map(|(x, wx)| {
            let mut sum = 0.0;
            for (b, wy) in wy.iter().enumerate() {
                for (a, wx) in wx.iter().enumerate() {
                    sum += wx * wy * level(x + a as isize - 1, y + b as isize - 1);
                }
            }
            ((sum - base_level) * metres_per_level) as f32
        });
        vertices.collect::<Vec<f32>>()
    });
    Ok(rows.collect::<Vec<_>>().concat())
}

/// The pixel at or before vertex `i` of `n` spread over `pixels`, and the Catmull-Rom weights of the four around it.
fn cubic_weights(i: u64, n: u64, pixels: usize) -> (isize, [f64; 4]) {
    let position = i as f64 * (pixels - 1) as f64 / (n - 1).max(1) as f64;
    let base = position.floor();
    let t = position - base;
    let (t2, t3) = (t * t, t * t * t);
    let weights = [
        0.5 * (-t + 2.0 * t2 - t3),
        0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
        0.5 * (t + 4.0 * t2 - 3.0 * t3),
        0.5 * (t3 - t2),
    ];
    (base as isize, weights)
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
    fn pixels_come_back_flipped_and_scaled_and_planes_stay_planes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plane.png");
        // level = 10 x + 100 (row from the north)
        let levels: Vec<u16> = (0..4u16)
            .flat_map(|row| (0..5u16).map(move |x| 10 * x + 100 * row))
            .collect();
        write_png(&path, 5, 4, &levels);
        assert_eq!(image_size(&path).unwrap(), [5, 4]);
        let exact = load(&path, [5, 4], 100.0, 0.5).unwrap();
        assert_eq!(exact[0], (300.0 - 100.0) * 0.5);
        assert_eq!(exact[4 + 5 * 3], (40.0 - 100.0) * 0.5);
        // Catmull-Rom reproduces linear functions away from the clamped border.
        let fine = load(&path, [9, 7], 0.0, 1.0).unwrap();
        assert!(
            (fine[3 + 9 * 3] - (15.0 + 150.0)).abs() < 1e-4,
            "{}",
            fine[3 + 9 * 3]
        );
    }

    #[test]
    fn a_transparent_grey_level_changes_no_height() {
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
            let [wanted, heights] = [&plain, &keyed].map(|path| load(path, [4, 3], 0.0, 1.0).unwrap());
            assert_eq!(heights, wanted, "{depth:?}");
            assert!(
                wanted[0] != wanted[1] && std::fs::read(&plain).unwrap() != std::fs::read(&keyed).unwrap()
            );
        }
    }

    #[test]
    fn wrong_images_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("no.png");
        assert!(image_size(&path).is_err());
        std::fs::write(&path, b"not a png").unwrap();
        assert!(image_size(&path).is_err());
    }
}
