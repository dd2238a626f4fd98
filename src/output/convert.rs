//! Converts numbers of fewer bits for formats that do not support them, and multiplies numbers by a scale.

use std::borrow::Cow;

use half::f16;

use super::content::{Column, Scalar};

/// The numbers of a column as they are in the file.
pub(super) fn converted<'a>(bytes: Cow<'a, [u8]>, column: &Column) -> Cow<'a, [u8]> {
    match column.scale {
        Some(scale) => Cow::Owned(scaled(&bytes, column.stored, column.scalar, scale)),
        None => widened(bytes, column.stored, column.scalar),
    }
}

/// Products of numbers with a scale, computed as doubles and rounded once.
fn scaled(bytes: &[u8], from: Scalar, to: Scalar, scale: f64) -> Vec<u8> {
    let numbers = numbers(bytes, from).map(|number| number * scale);
    match to {
        Scalar::F64 => numbers.flat_map(f64::to_ne_bytes).collect(),
        _ => numbers.flat_map(|number| (number as f32).to_ne_bytes()).collect(),
    }
}

/// The numbers of a type as doubles.
pub(super) fn numbers(bytes: &[u8], scalar: Scalar) -> Box<dyn Iterator<Item = f64> + '_> {
    fn of<T: bytemuck::AnyBitPattern>(
        bytes: &[u8],
        number: impl Fn(T) -> f64 + 'static,
    ) -> Box<dyn Iterator<Item = f64> + '_> {
        let values = bytes.chunks_exact(size_of::<T>());
        Box::new(values.map(move |value| number(bytemuck::pod_read_unaligned(value))))
    }
    match scalar {
        Scalar::F16 => of(bytes, |bits| f16::from_bits(bits).to_f64()),
        Scalar::F32 => of::<f32>(bytes, f64::from),
        Scalar::F64 => of::<f64>(bytes, |value| value),
        Scalar::I8 => of::<i8>(bytes, f64::from),
        Scalar::U8 | Scalar::Colour => of::<u8>(bytes, f64::from),
        Scalar::I16 => of::<i16>(bytes, f64::from),
        Scalar::U16 => of::<u16>(bytes, f64::from),
        Scalar::I32 => of::<i32>(bytes, f64::from),
        Scalar::U32 => of::<u32>(bytes, f64::from),
        Scalar::I64 => of::<i64>(bytes, |value| value as f64),
        Scalar::U64 => of::<u64>(bytes, |value| value as f64),
    }
}

/// Converts numbers of one type to a larger one.
fn widened(bytes: Cow<[u8]>, from: Scalar, to: Scalar) -> Cow<[u8]> {
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
    fn scaled_numbers_are_rounded_once() {
        let times = |bytes: &[u8], from, to| scaled(bytes, from, to, 0.001);
        let millimetres = 16_777_219u32.to_ne_bytes();
        assert_eq!(
            times(&millimetres, Scalar::U32, Scalar::F32),
            16_777.219_f32.to_ne_bytes()
        );
        assert_eq!(
            times(&(-5i16).to_ne_bytes(), Scalar::I16, Scalar::F32),
            (-0.005f32).to_ne_bytes()
        );
        let grams = (1i64 << 40).to_ne_bytes();
        let kilograms = (1i64 << 40) as f64 * 0.001;
        assert_eq!(times(&grams, Scalar::I64, Scalar::F64), kilograms.to_ne_bytes());
        // Control: rounded to a float before the product, the first number is another.
        assert_ne!(16_777_219_u32 as f32 * 0.001, 16_777.219_f32);
    }

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
