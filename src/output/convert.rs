//! Converts numbers of fewer bits for formats that do not support them.

use std::borrow::Cow;

use half::f16;

use super::content::Scalar;

/// Converts numbers of one type to a larger one.
pub(super) fn widened(bytes: Cow<[u8]>, from: Scalar, to: Scalar) -> Cow<[u8]> {
    if from == to {
        return bytes;
    }
    let pair = |b: &[u8]| [b[0], b[1]];
    let wide: Vec<u8> = match from {
        Scalar::F16 => widen(&bytes, 2, |b| f16::from_ne_bytes(pair(b)).to_f32().to_ne_bytes()),
        Scalar::I8 => widen(&bytes, 1, |b| i32::from(b[0] as i8).to_ne_bytes()),
        Scalar::U8 => widen(&bytes, 1, |b| u32::from(b[0]).to_ne_bytes()),
        Scalar::I16 => widen(&bytes, 2, |b| {
            i32::from(i16::from_ne_bytes(pair(b))).to_ne_bytes()
        }),
        Scalar::U16 => widen(&bytes, 2, |b| {
            u32::from(u16::from_ne_bytes(pair(b))).to_ne_bytes()
        }),
        _ => return bytes,
    };
    Cow::Owned(wide)
}

fn widen(bytes: &[u8], size: usize, number: impl Fn(&[u8]) -> [u8; 4]) -> Vec<u8> {
    bytes.chunks_exact(size).flat_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_conversion_keeps_values() {
        let wide = |bytes: Vec<u8>, from, to| widened(Cow::Owned(bytes), from, to).into_owned();
        let halves: Vec<u8> = [0x3c00u16, 0xc000, 1]
            .iter()
            .flat_map(|half| half.to_ne_bytes())
            .collect();
        let floats: Vec<u8> = [1.0f32, -2.0, 2f32.powi(-24)]
            .iter()
            .flat_map(|float| float.to_ne_bytes())
            .collect();
        assert_eq!(wide(halves, Scalar::F16, Scalar::F32), floats);
        assert_eq!(wide(vec![0xff], Scalar::I8, Scalar::I32), (-1i32).to_ne_bytes());
        assert_eq!(wide(vec![0xff], Scalar::U8, Scalar::U32), 255u32.to_ne_bytes());
        let short = (-300i16).to_ne_bytes();
        assert_eq!(
            wide(short.to_vec(), Scalar::I16, Scalar::I32),
            (-300i32).to_ne_bytes()
        );
        let long = 60000u16.to_ne_bytes();
        assert_eq!(
            wide(long.to_vec(), Scalar::U16, Scalar::U32),
            60000u32.to_ne_bytes()
        );
    }
}
