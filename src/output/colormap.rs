//! Colours for values: the maps of `shaders/render/colormaps.glsl`, which has their sources.

/// A map from numbers to colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colormap {
    /// From dark blue through green to yellow.
    Viridis,
    /// From blue through white to red.
    Diverging,
}

impl Colormap {
    /// The sRGB bytes of a number from 0, the low end, to 1; others have the colours of the ends, and NaN is black.
    pub fn bytes(self, t: f64) -> [u8; 3] {
        if t.is_nan() {
            return [0; 3];
        }
        let t = t.clamp(0.0, 1.0) as f32;
        let color = match self {
            Colormap::Viridis => viridis(t),
            Colormap::Diverging => diverging(2.0 * t - 1.0),
        };
        color.map(|part| (part.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8)
    }
}

#[allow(clippy::excessive_precision, reason = "the terms as they are published")]
fn viridis(t: f32) -> [f32; 3] {
    const TERMS: [[f32; 3]; 7] = [
        [0.2777273272, 0.0054073445, 0.3340998053],
        [0.1050930431, 1.4046135299, 1.3845901626],
        [-0.3308618287, 0.2148475595, 0.0950951630],
        [-4.6342304990, -5.7991009734, -19.3324409563],
        [6.2282699363, 14.1799333668, 56.6905526007],
        [4.7763849977, -13.7451453777, -65.3530326334],
        [-5.4354558559, 4.6458526122, 26.3124352496],
    ];
    std::array::from_fn(|part| TERMS.iter().rev().fold(0.0, |sum, term| term[part] + t * sum))
}

fn diverging(t: f32) -> [f32; 3] {
    let end = if t < 0.0 {
        [0.230, 0.299, 0.754]
    } else {
        [0.706, 0.016, 0.150]
    };
    let middle = 0.865;
    end.map(|end: f32| middle * (1.0 - t.abs()) + end * t.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colormaps_have_known_end_and_middle_colours_and_black_nan() {
        // matplotlib's viridis begins with (68, 1, 84), ends with (253, 231, 37) and has (33, 145, 140) in the middle.
        for (t, wanted) in [(0.0, [68, 1, 84]), (0.5, [33, 145, 140]), (1.0, [253, 231, 37])] {
            let found = Colormap::Viridis.bytes(t);
            let near = found
                .iter()
                .zip(wanted)
                .all(|(a, b): (&u8, u8)| a.abs_diff(b) <= 4);
            assert!(near, "{found:?} is not {wanted:?}");
        }
        assert_eq!(Colormap::Diverging.bytes(0.5), [221; 3]);
        assert_eq!(Colormap::Diverging.bytes(-3.0), Colormap::Diverging.bytes(0.0));
        assert_eq!(Colormap::Diverging.bytes(1.0), [180, 4, 38]);
        assert_ne!(Colormap::Viridis.bytes(0.2), Colormap::Viridis.bytes(0.3));
        assert_eq!(Colormap::Viridis.bytes(f64::NAN), [0; 3]);
        assert_eq!(
            Colormap::Viridis.bytes(f64::INFINITY),
            Colormap::Viridis.bytes(1.0)
        );
    }
}
