//! Grey PNG images, which have no scale and no position.

use std::fs::File;
use std::io::BufReader;

use super::model::{Header, check_size};

/// Bytes that the decoder may allocate besides the pixels.
const DECODER_BYTES: usize = 16 << 20;

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
    };
    Ok((reader, header))
}

pub(super) fn examine(file: File) -> Result<Header, String> {
    Ok(open(file)?.1)
}

pub(super) fn read(file: File) -> Result<(Header, Vec<f64>), String> {
    let (mut reader, header) = open(file)?;
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
        Err("the image is truncated".into())
    }
}
