//! Resampling of levels.

use rayon::prelude::*;

use super::model::{Header, Model};

/// The levels at `vertices`, x fastest, south row first, by the Catmull-Rom cubic (interpolating: at one vertex per
/// pixel it returns the pixels), each converted by `height`.
pub(super) fn cubic(model: &Model, vertices: [u64; 2], height: impl Fn(f64) -> f32 + Sync) -> Vec<f32> {
    let [width, rows] = model.header.size.map(|side| side as usize);
    let level = |x: isize, y: isize| {
        let x = x.clamp(0, width as isize - 1) as usize;
        let row = y.clamp(0, rows as isize - 1) as usize;
        model.levels[(rows - 1 - row) * width + x]
    };
    let [nx, ny] = vertices;
    let columns: Vec<_> = (0..nx).map(|i| cubic_weights(i, nx, width)).collect();
    let rows = (0..ny).into_par_iter().map(|j| {
        let (y, wy) = cubic_weights(j, ny, rows);
        let vertices = columns.iter().map(|(x, wx)| {
            let mut sum = 0.0;
            for (b, wy) in wy.iter().enumerate() {
                for (a, wx) in wx.iter().enumerate() {
                    sum += wx * wy * level(x + a as isize - 1, y + b as isize - 1);
                }
            }
            height(sum)
        });
        vertices.collect::<Vec<f32>>()
    });
    rows.collect::<Vec<_>>().concat()
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

/// The means of blocks of `times` pixels in x and y: a smaller model without aliasing. Incomplete blocks at the east
/// and south edges are dropped.
pub fn downsample(model: &Model, times: [usize; 2]) -> Model {
    let [width, height] = model.header.size.map(|side| side as usize);
    let [nx, ny] = [width / times[0], height / times[1]];
    let area = (times[0] * times[1]) as f64;
    let rows = (0..ny).into_par_iter().map(|j| {
        let block = |i: usize| {
            let rows = (j * times[1]..).take(times[1]);
            let sums = rows.map(|row| {
                let first = row * width + i * times[0];
                model.levels[first..first + times[0]].iter().sum::<f64>()
            });
            sums.sum::<f64>() / area
        };
        (0..nx).map(block).collect::<Vec<f64>>()
    });
    let spacing = model.header.metres_per_pixel;
    Model {
        header: Header {
            size: [nx as u64, ny as u64],
            metres_per_pixel: spacing.map(|[x, y]| [x * times[0] as f64, y * times[1] as f64]),
            metres_per_level: model.header.metres_per_level,
            georeference: (model.header.georeference.as_ref()).map(|reference| reference.of_blocks(times)),
        },
        levels: rows.collect::<Vec<_>>().concat(),
        filled: model.filled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarsened_pixels_are_means_with_larger_spacing() {
        let model = Model {
            header: Header {
                size: [5, 4],
                metres_per_pixel: Some([10.0, 30.0]),
                metres_per_level: None,
                georeference: None,
            },
            levels: (0..20).map(f64::from).collect(),
            filled: 0,
        };
        let coarse = downsample(&model, [2, 4]);
        assert_eq!(coarse.header.size, [2, 1]);
        assert_eq!(coarse.header.metres_per_pixel, Some([20.0, 120.0]));
        assert_eq!(coarse.levels, [8.0, 10.0]);
        assert_eq!(downsample(&model, [1, 1]).levels, model.levels);
    }
}
