//! The camera for a terrain: the framing of the shipped scene, in the best of four directions.

use sastrugi::elevation::Model;

/// Eye and target of the shipped scene, as fractions of the extent.
const EYE: [f64; 2] = [0.27, 0.22];
const TARGET: [f64; 2] = [0.44, 0.67];
/// Direction to the sun in the shipped scene.
const SUN: [f64; 3] = [-0.75, 0.55, 0.33];
/// The eye is as high as the summit, but at most this fraction of the mean extent.
const MAX_HEIGHT: f64 = 0.35;
/// Minimum height of the eye above all ground within `NEAR`. Both are fractions of the mean extent.
const MIN_CLEARANCE: f64 = 0.05;
const NEAR: f64 = 0.04;
/// Number of sampled points along each axis of the terrain, and along each line of sight.
const POINTS: u32 = 40;
/// Weight of a visible point at the lowest height; the summit has the weight `FLAT + 1`.
const FLAT: f64 = 0.1;
/// Cosine of half the angle of view, 35 degrees.
const VIEW: f64 = 0.82;

#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    pub eye: [f64; 3],
    pub target: [f64; 3],
    pub sun: [f64; 3],
}

/// A terrain with heights above its lowest point.
struct Ground<'a> {
    model: &'a Model,
    extent: [f64; 2],
    low: f64,
}

impl Ground<'_> {
    /// Height of the nearest pixel, m.
    fn height(&self, place: [f64; 2]) -> f64 {
        let [width, rows] = self.model.header.size.map(|side| side as usize);
        let part = |axis: usize| (place[axis] / self.extent[axis]).clamp(0.0, 1.0);
        let column = (part(0) * (width - 1) as f64).round() as usize;
        // The first row is the north edge.
        let row = ((1.0 - part(1)) * (rows - 1) as f64).round() as usize;
        self.model.levels[row * width + column] - self.low
    }

    /// The total weight of the visible points, and the camera from `eye` to `target`, fractions of the extent.
    fn view(&self, eye: [f64; 2], target: [f64; 2], sun: [f64; 3], relief: f64) -> (f64, Camera) {
        let at = |parts: [f64; 2]| [parts[0] * self.extent[0], parts[1] * self.extent[1]];
        let mean = 0.5 * (self.extent[0] + self.extent[1]);
        let (eye, target) = (at(eye), at(target));
        let around = (0..49).map(|number| {
            let offset = |number: i32| f64::from(number - 3) / 3.0 * NEAR * mean;
            [eye[0] + offset(number % 7), eye[1] + offset(number / 7)]
        });
        let highest = around.map(|place| self.height(place)).fold(0.0, f64::max);
        let height = (highest + MIN_CLEARANCE * mean).max(relief.min(MAX_HEIGHT * mean));
        let eye = [eye[0], eye[1], height];
        let forward = [target[0] - eye[0], target[1] - eye[1]];
        let (mut shown, mut sum, mut count) = (0.0, 0.0, 0.0);
        for number in 0..POINTS * POINTS {
            let part = |number: u32| (f64::from(number) + 0.5) / f64::from(POINTS);
            let place = at([part(number % POINTS), part(number / POINTS)]);
            let way = [place[0] - eye[0], place[1] - eye[1]];
            let along = way[0] * forward[0] + way[1] * forward[1];
            if along < VIEW * way[0].hypot(way[1]) * forward[0].hypot(forward[1]) {
                continue;
            }
            let height = self.height(place);
            sum += height;
            count += 1.0;
            if self.sees(eye, place, height) {
                shown += FLAT + height / relief;
            }
        }
        let looked = if count > 0.0 { sum / count } else { 0.0 };
        let target = [target[0], target[1], looked];
        (shown, Camera { eye, target, sun })
    }

    fn sees(&self, eye: [f64; 3], place: [f64; 2], height: f64) -> bool {
        (1..POINTS).all(|number| {
            let part = f64::from(number) / f64::from(POINTS);
            let between = [0, 1].map(|axis| eye[axis] + part * (place[axis] - eye[axis]));
            self.height(between) <= eye[2] + part * (height - eye[2])
        })
    }
}

/// The camera for a terrain. `extent`, `low` and `relief` are in m.
pub(super) fn framing(model: &Model, extent: [f64; 2], low: f64, relief: f64) -> Camera {
    let ground = Ground { model, extent, low };
    let turned = |[x, y]: [f64; 2]| [1.0 - y, x];
    let (mut eye, mut target, mut sun) = (EYE, TARGET, SUN);
    let mut best = ground.view(eye, target, sun, relief);
    for _ in 1..4 {
        (eye, target, sun) = (turned(eye), turned(target), [-sun[1], sun[0], sun[2]]);
        let view = ground.view(eye, target, sun, relief);
        if view.0 > best.0 {
            best = view;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use sastrugi::elevation::Header;

    #[test]
    fn camera_faces_the_summit_from_above_ground() {
        // For a mountain at each corner, the target is nearer to it than the eye.
        for [east, north] in [[0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]] {
            let height = |at: usize| {
                let (x, row) = ((at % 50) as f64 / 49.0, (at / 50) as f64 / 49.0);
                100.0 + 400.0 * (-((x - east).powi(2) + (1.0 - row - north).powi(2)) / 0.02).exp()
            };
            let model = Model {
                header: Header {
                    size: [50, 50],
                    metres_per_pixel: Some([40.0; 2]),
                    metres_per_level: Some(1.0),
                    georeference: None,
                },
                levels: (0..2500).map(height).collect(),
                filled: 0,
            };
            let extent = [1960.0; 2];
            let camera = framing(&model, extent, 100.0, 400.0);
            let ground = Ground {
                model: &model,
                extent,
                low: 100.0,
            };
            assert!(camera.eye[2] > ground.height([camera.eye[0], camera.eye[1]]) + 90.0);
            let from = |place: [f64; 3]| (place[0] - east * 1960.0).hypot(place[1] - north * 1960.0);
            assert!(
                from(camera.target) < from(camera.eye),
                "{camera:?} for {east} {north}"
            );
        }
    }
}
