//! The camera of a pipeline, and its motion by pointer and keys.
//!
//! A camera is an object of `parameters` with the vectors `eye` and `target`, as in the drawing modules; `up` is
//! optional.

use sastrugi::Parameter;

/// Rotation per pixel of pointer motion, radians.
const TURN: f64 = 0.006;
/// Factor of the distance per notch of the wheel.
const ZOOM: f64 = 0.88;
/// Minimum angle between the view and the vertical, so that the view never flips, radians.
const POLE: f64 = 0.05;

/// The current values of a camera.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Camera {
    /// Path of its parameters, such as `draw.camera`.
    path: String,
    eye: [f64; 3],
    target: [f64; 3],
    up: [f64; 3],
    /// Vertical angle of view, degrees.
    fov: Option<f64>,
}

/// The first camera among the parameters.
pub(super) fn of(parameters: &[Parameter]) -> Option<Camera> {
    let vector = |name: &str| {
        let parameter = parameters.iter().find(|parameter| parameter.name == name)?;
        <[f64; 3]>::try_from(parameter.values.as_slice()).ok()
    };
    let number = |name: &str| {
        let parameter = parameters.iter().find(|parameter| parameter.name == name)?;
        <[f64; 1]>::try_from(parameter.values.as_slice()).ok()
    };
    let mut eyes = parameters
        .iter()
        .filter_map(|parameter| parameter.name.strip_suffix(".eye"));
    eyes.find_map(|path| {
        Some(Camera {
            eye: vector(&format!("{path}.eye"))?,
            target: vector(&format!("{path}.target"))?,
            up: vector(&format!("{path}.up")).unwrap_or([0.0, 0.0, 1.0]),
            fov: number(&format!("{path}.fov")).map(|[angle]| angle),
            path: path.to_string(),
        })
    })
}

impl Camera {
    /// Orbits round the target, by pixels of pointer motion.
    pub(super) fn orbit(&mut self, moved: [f64; 2]) {
        let arm = minus(self.eye, self.target);
        let up = unit(self.up);
        let turned = rotate(arm, up, -moved[0] * TURN);
        let side = cross(up, unit(turned));
        let angle = dot(unit(turned), up).clamp(-1.0, 1.0).acos();
        let wanted = (angle - moved[1] * TURN).clamp(POLE, std::f64::consts::PI - POLE);
        self.eye = plus(self.target, rotate(turned, unit(side), wanted - angle));
    }

    /// Shifts eye and target, so that the target follows the pointer; `height` is the height of the window, pixels.
    pub(super) fn pan(&mut self, moved: [f64; 2], height: f64) {
        let arm = minus(self.eye, self.target);
        let side = unit(cross(unit(self.up), arm));
        let upwards = unit(cross(arm, side));
        let scale = length(arm) / height.max(1.0);
        let shift = plus(times(side, -moved[0] * scale), times(upwards, moved[1] * scale));
        self.eye = plus(self.eye, shift);
        self.target = plus(self.target, shift);
    }

    /// Moves towards the target by notches of the wheel, or away from it.
    pub(super) fn zoom(&mut self, notches: f64) {
        let arm = minus(self.eye, self.target);
        self.eye = plus(self.target, times(arm, ZOOM.powf(notches)));
    }

    /// Moves along the view and to the right, by fractions of the distance to the target.
    pub(super) fn fly(&mut self, ahead: f64, right: f64) {
        let arm = minus(self.eye, self.target);
        let side = cross(unit(self.up), arm);
        let shift = plus(times(arm, -ahead), times(side, right));
        self.eye = plus(self.eye, shift);
        self.target = plus(self.target, shift);
    }

    /// Position at a distance along the ray through the centre of a pixel. `None` without an angle of view.
    ///
    /// The twin of `camera_ray` in `shaders/render/camera.glsl`.
    pub(super) fn place(&self, pixel: [f64; 2], size: [f64; 2], distance: f64) -> Option<[f64; 3]> {
        let forward = unit(minus(self.target, self.eye));
        let right = unit(cross(forward, self.up));
        let down = cross(forward, right);
        let focal = 0.5 * size[1] / (0.5 * self.fov?.to_radians()).tan();
        let [x, y] = [0, 1].map(|axis| (pixel[axis] + 0.5 - 0.5 * size[axis]) / focal);
        let ray = unit(plus(forward, plus(times(right, x), times(down, y))));
        Some(plus(self.eye, times(ray, distance)))
    }

    /// Paths and values of the parameters that motion changes.
    pub(super) fn values(&self) -> Vec<(String, String)> {
        let text = |name: &str, [x, y, z]: [f64; 3]| {
            (
                format!("{}.{name}", self.path),
                format!("[{x:.6}, {y:.6}, {z:.6}]"),
            )
        };
        vec![text("eye", self.eye), text("target", self.target)]
    }
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] + b[axis])
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn times(a: [f64; 3], factor: f64) -> [f64; 3] {
    a.map(|component| component * factor)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    times(a, 1.0 / length(a).max(1e-12))
}

/// Rodrigues' formula; `axis` has length 1.
fn rotate(a: [f64; 3], axis: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    let along = times(axis, dot(axis, a) * (1.0 - cos));
    plus(plus(times(a, cos), times(cross(axis, a), sin)), along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sastrugi::Effect;

    fn parameter(name: &str, values: &[f64]) -> Parameter {
        Parameter {
            name: name.into(),
            values: values.to_vec(),
            word: None,
            unit: String::new(),
            range: None,
            help: None,
            is_reported: false,
            input: None,
            effect: Effect::Value,
            definition: None,
        }
    }

    fn camera() -> Camera {
        let eye = parameter("draw.camera.eye", &[4.0, 0.0, 0.0]);
        of(&[
            parameter("n", &[4.0]),
            eye,
            parameter("draw.camera.target", &[0.0; 3]),
        ])
        .unwrap()
    }

    fn near(a: [f64; 3], b: [f64; 3]) -> bool {
        length(minus(a, b)) < 1e-9
    }

    #[test]
    fn camera_is_found_by_its_vector_parameters() {
        let camera = camera();
        assert_eq!(camera.path, "draw.camera");
        assert_eq!(camera.eye, [4.0, 0.0, 0.0]);
        assert_eq!(of(&[parameter("draw.camera.eye", &[1.0, 2.0, 3.0])]), None);
    }

    #[test]
    fn orbit_keeps_the_distance_and_is_reversible() {
        let mut moved = camera();
        moved.orbit([120.0, 45.0]);
        assert!(!near(moved.eye, camera().eye) && (length(moved.eye) - 4.0).abs() < 1e-9);
        moved.orbit([0.0, -45.0]);
        moved.orbit([-120.0, 0.0]);
        assert!(near(moved.eye, camera().eye), "{:?}", moved.eye);
    }

    #[test]
    fn orbit_stops_at_the_poles() {
        let mut moved = camera();
        moved.orbit([0.0, 100_000.0]);
        let above = moved.eye;
        moved.orbit([0.0, 100_000.0]);
        assert!(near(above, moved.eye) && above[2] > 3.9, "{above:?}");
    }

    #[test]
    fn pixel_positions_lie_on_their_rays() {
        let eye = parameter("camera.eye", &[4.0, 0.0, 0.0]);
        let seen = of(&[
            eye,
            parameter("camera.target", &[0.0; 3]),
            parameter("camera.fov", &[90.0]),
        ])
        .unwrap();
        let centre = seen.place([49.5, 29.5], [100.0, 60.0], 4.0).unwrap();
        assert!(near(centre, [0.0; 3]), "{centre:?}");
        // The centre of the upper edge is 45 degrees above the axis; the other pixel is 45 degrees to its right.
        let above = seen.place([49.5, -0.5], [100.0, 60.0], 2f64.sqrt()).unwrap();
        assert!(near(above, [3.0, 0.0, 1.0]), "{above:?}");
        let right = seen.place([79.5, 29.5], [100.0, 60.0], 2f64.sqrt()).unwrap();
        assert!(near(right, [3.0, 1.0, 0.0]), "{right:?}");
        assert_eq!(camera().place([0.0, 0.0], [100.0, 60.0], 1.0), None);
    }

    #[test]
    fn zoom_pan_and_fly_keep_their_invariants() {
        let mut moved = camera();
        moved.zoom(2.0);
        assert!(near(moved.eye, [4.0 * ZOOM * ZOOM, 0.0, 0.0]) && near(moved.target, [0.0; 3]));
        let mut moved = camera();
        moved.pan([10.0, 0.0], 100.0);
        assert!(near(minus(moved.eye, moved.target), [4.0, 0.0, 0.0]) && !near(moved.target, [0.0; 3]));
        let mut moved = camera();
        moved.fly(0.25, 0.0);
        assert!(near(moved.eye, [3.0, 0.0, 0.0]) && near(moved.target, [-1.0, 0.0, 0.0]));
    }
}
