//! Scales a picture to a window.

use ash::vk;

/// Corners in the picture and in the window, pixels.
pub(super) struct Fitted {
    pub from: [vk::Offset3D; 2],
    pub to: [vk::Offset3D; 2],
    /// The picture is not shown at its own size.
    pub scaled: bool,
}

/// Fits a part of a picture into the window to the right of `left` pixels, as large as possible and centred.
pub(super) fn fit(size: [u32; 2], part: [[f32; 2]; 2], left: u32, window: [u32; 2]) -> Fitted {
    let left = left.min(window[0] - 1);
    let window = [window[0] - left, window[1]];
    let corner = |at: [f32; 2], round: fn(f32) -> f32| {
        [0, 1].map(|axis| round(at[axis]).clamp(0.0, size[axis] as f32) as i32)
    };
    let (low, high) = (corner(part[0], f32::floor), corner(part[1], f32::ceil));
    let high = [0, 1].map(|axis| high[axis].max(low[axis] + 1).min(size[axis] as i32));
    let low = [0, 1].map(|axis| low[axis].min(high[axis] - 1));
    let wide = [0, 1].map(|axis| (high[axis] - low[axis]) as f64);
    let scale = (f64::from(window[0]) / wide[0]).min(f64::from(window[1]) / wide[1]);
    let shown = [0, 1].map(|axis| ((wide[axis] * scale).round() as i32).clamp(1, window[axis] as i32));
    let mut first = [0, 1].map(|axis| (window[axis] as i32 - shown[axis]) / 2);
    first[0] += left as i32;
    let offset = |at: [i32; 2], z| vk::Offset3D {
        x: at[0],
        y: at[1],
        z,
    };
    Fitted {
        from: [offset(low, 0), offset(high, 1)],
        to: [
            offset(first, 0),
            offset([first[0] + shown[0], first[1] + shown[1]], 1),
        ],
        scaled: [0, 1].map(|axis| high[axis] - low[axis]) != shown,
    }
}

/// The position in the picture of a pixel of the window, from (0, 0) at the lower left corner to (1, 1); `None` outside
/// the picture.
pub fn position(
    size: [u32; 2],
    part: [[f32; 2]; 2],
    left: u32,
    window: [u32; 2],
    pixel: [f64; 2],
) -> Option<[f64; 2]> {
    if size.contains(&0) || window.contains(&0) {
        return None;
    }
    let fitted = fit(size, part, left, window);
    let pairs = |corners: [vk::Offset3D; 2]| [[corners[0].x, corners[1].x], [corners[0].y, corners[1].y]];
    let (from, to) = (pairs(fitted.from), pairs(fitted.to));
    let [x, y] = [0, 1].map(|axis| {
        let along = (pixel[axis] - f64::from(to[axis][0])) / f64::from(to[axis][1] - to[axis][0]);
        let within = (0.0..=1.0).contains(&along);
        let at = f64::from(from[axis][0]) + along * f64::from(from[axis][1] - from[axis][0]);
        within.then_some(at / f64::from(size[axis]))
    });
    Some([x?, 1.0 - y?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(fitted: &Fitted) -> [[i32; 2]; 4] {
        [fitted.from[0], fitted.from[1], fitted.to[0], fitted.to[1]].map(|at| [at.x, at.y])
    }

    #[test]
    fn picture_of_window_size_is_shown_unscaled() {
        let fitted = fit([64, 48], [[0.0, 0.0], [64.0, 48.0]], 0, [64, 48]);
        assert_eq!(corners(&fitted), [[0, 0], [64, 48], [0, 0], [64, 48]]);
        assert!(!fitted.scaled);
    }

    #[test]
    fn other_aspect_ratios_are_letterboxed() {
        let fitted = fit([64, 48], [[0.0, 0.0], [64.0, 48.0]], 0, [200, 96]);
        assert_eq!(corners(&fitted), [[0, 0], [64, 48], [36, 0], [164, 96]]);
        assert!(fitted.scaled);
    }

    #[test]
    fn picture_fits_beside_a_left_panel() {
        let fitted = fit([64, 48], [[0.0, 0.0], [64.0, 48.0]], 30, [94, 48]);
        assert_eq!(corners(&fitted), [[0, 0], [64, 48], [30, 0], [94, 48]]);
        assert!(!fitted.scaled);
        let narrow = corners(&fit([64, 48], [[0.0, 0.0], [64.0, 48.0]], 30, [20, 48]));
        assert_eq!((narrow[2][0], narrow[3][0]), (19, 20));
    }

    #[test]
    fn window_pixels_map_into_the_picture() {
        let whole = [[0.0, 0.0], [64.0, 48.0]];
        let at = |pixel| position([64, 48], whole, 30, [158, 96], pixel);
        assert_eq!(at([30.0, 96.0]), Some([0.0, 0.0]));
        assert_eq!(at([158.0, 0.0]), Some([1.0, 1.0]));
        assert_eq!(at([94.0, 24.0]), Some([0.5, 0.75]));
        assert_eq!(at([29.0, 24.0]), None);
        let part = position([64, 48], [[32.0, 0.0], [64.0, 24.0]], 0, [64, 48], [0.0, 48.0]);
        assert_eq!(part, Some([0.5, 0.5]));
    }

    #[test]
    fn degenerate_parts_and_windows_keep_a_positive_area() {
        for (part, window) in [
            ([[-9.0, -9.0], [-5.0, -5.0]], [1, 1]),
            ([[70.0, 70.0], [90.0, 90.0]], [1, 500]),
            ([[3.2, 3.2], [3.2, 3.2]], [9000, 1]),
        ] {
            let [from, until, to, end] = corners(&fit([64, 48], part, 0, window));
            for axis in 0..2 {
                assert!(from[axis] < until[axis] && until[axis] <= [64, 48][axis] && from[axis] >= 0);
                assert!(to[axis] < end[axis] && end[axis] <= window[axis] as i32 && to[axis] >= 0);
            }
        }
    }
}
