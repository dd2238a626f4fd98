//! Bitmaps over block numbers.

/// The positions of set bits.
pub fn ones(mut word: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (place < 32).then_some(place)
    })
}

/// The bit of a number; false beyond the bitmap.
pub fn get(bits: &[u32], number: u32) -> bool {
    bits.get(number as usize / 32)
        .is_some_and(|word| word >> (number % 32) & 1 == 1)
}

/// Sets the bit of a number, if the bitmap has it.
pub fn set(bits: &mut [u32], number: u32, value: bool) {
    if let Some(word) = bits.get_mut(number as usize / 32) {
        *word = *word & !(1 << (number % 32)) | u32::from(value) << (number % 32);
    }
}
