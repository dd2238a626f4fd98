//! Grey PNG images, which have no scale and no position.

use std::fs::File;
use std::io::BufReader;

use super::model::{Header, check_size};

/// Bytes that the decoder may allocate besides the pixels.
const DECODER_BYTES: usize = 16 << 20;

/// Largest ratio of decompressed to compressed bytes of DEFLATE: a match of 258 bytes takes at least 2 bits.
/// RFC 1951, section 3.2.5.
const MAX_COMPRESSION: u64 = 1032;

const TRUNCATED: &str = "the image is truncated";

type Reader = png::Reader<BufReader<File>>;

fn open(file: File) -> Result<(Reader, Header), String> {
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
    let header = Header {
        size: check_size(u64::from(info.width), u64::from(info.height))?,
        metres_per_pixel: None,
        metres_per_level: None,
        georeference: None,
    };
    Ok((reader, header))
}

pub(super) fn examine(file: File) -> Result<Header, String> {
    Ok(open(file)?.1)
}

pub(super) fn read(file: File) -> Result<(Header, Vec<f64>), String> {
    let stored = file.metadata().map_err(|e| e.to_string())?.len();
    let (mut reader, header) = open(file)?;
    if reader.info().raw_bytes() as u64 > MAX_COMPRESSION.saturating_mul(stored) {
        return Err(TRUNCATED.into());
    }
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
    if levels.len() as u64 >= header.size[0] * header.size[1] {
        Ok((header, levels))
    } else {
        Err(TRUNCATED.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::*;

    /// Writes a file of 4096 x 4096 pixels of 16 bits, with `data` as its compressed pixels or with zeros.
    fn write(path: &Path, data: Option<&[u8]>) {
        let mut encoder = png::Encoder::new(File::create(path).unwrap(), 4096, 4096);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Sixteen);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_deflate_compression(png::DeflateCompression::Level(9));
        let mut writer = encoder.write_header().unwrap();
        match data {
            Some(data) => writer.write_chunk(png::chunk::IDAT, data).unwrap(),
            None => writer.write_image_data(&vec![0; 2 * 4096 * 4096]).unwrap(),
        }
    }

    #[test]
    fn missing_pixels_are_found_before_memory_is_allocated() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("heights.png");
        write(&path, Some(&[0x78, 0x9c, 3, 0, 0, 0, 0, 1]));
        assert_eq!(read(File::open(&path).unwrap()).unwrap_err(), TRUNCATED);
    }

    #[test]
    fn control_image_of_the_highest_compression_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("heights.png");
        write(&path, None);
        let ratio = 4096 * (2 * 4096 + 1) / std::fs::metadata(&path).unwrap().len();
        assert!(ratio > 950, "{ratio}");
        assert_eq!(read(File::open(&path).unwrap()).unwrap().1.len(), 4096 * 4096);
    }
}
