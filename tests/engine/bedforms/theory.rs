//! The linear theory of turbulent flow over a wave of the ground, solved, not fitted: a mixing length of kappa times the distance
//! from the ground (Fourriere, Claudin & Andreotti 2010, in space: Andreotti et al. 2012).

use rustfft::num_complex::Complex64 as Complex;

const KARMAN: f64 = 0.4;
/// The height of the upper side, over the wavelength / 2 pi: the change of the flow falls as exp(-height).
const TOP: f64 = 6.0;
const LEVELS: usize = 4000;
const I: Complex = Complex::I;

/// Velocity along, across and up, stress along and across on horizontal planes, and pressure less normal stress.
type State = [Complex; 6];

/// The slope of a state over the logarithm `s` of the height above the roughness; `force` 1 has the displaced profile.
fn slope(s: f64, x: &State, force: f64, ground: f64, (along, across): (f64, f64)) -> State {
    let height = s.exp();
    let (mean, shear) = ((s - ground.ln()) / KARMAN, 1.0 / (KARMAN * height));
    let [u, v, w, stress_u, stress_v, pressure] = *x;
    let lift = -I * (along * u + across * v);
    let normal = 2.0 / shear * lift;
    let (xx, xy, yy) = (
        2.0 / shear * I * along * u,
        I * (across * u + along * v) / shear,
        2.0 / shear * I * across * v,
    );
    let carried = I * along * mean;
    let slopes = [
        -I * along * w + 0.5 * shear * stress_u + force * KARMAN * shear * shear,
        -I * across * w + shear * stress_v,
        lift,
        carried * u + shear * w + I * along * (pressure + normal - xx) - I * across * xy,
        carried * v + I * across * (pressure + normal - yy) - I * along * xy,
        I * (along * stress_u + across * stress_v) - carried * w,
    ];
    slopes.map(|each| each * height)
}

/// From the upper side, where there is no vertical velocity and no stress, to the ground (Runge and Kutta).
fn down(mut x: State, force: f64, ground: f64, wave: (f64, f64)) -> State {
    let (high, low) = ((TOP + ground).ln(), ground.ln());
    let ds = (low - high) / LEVELS as f64;
    let moved = |x: &State, k: &State, by: f64| std::array::from_fn(|i| x[i] + by * k[i]);
    for level in 0..LEVELS {
        let s = high + ds * level as f64;
        let a = slope(s, &x, force, ground, wave);
        let b = slope(s + ds / 2.0, &moved(&x, &a, ds / 2.0), force, ground, wave);
        let c = slope(s + ds / 2.0, &moved(&x, &b, ds / 2.0), force, ground, wave);
        let d = slope(s + ds, &moved(&x, &c, ds), force, ground, wave);
        x = std::array::from_fn(|i| x[i] + ds / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
    }
    x
}

fn determinant(m: [[Complex; 3]; 3]) -> Complex {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

/// The stress along and across the wind over that on level ground, over the height of the wave times its wave number k; from
/// k z0 and the angle between wave vector and wind.
pub fn response(ground: f64, angle: f64) -> (Complex, Complex) {
    let wave = (angle.cos(), angle.sin());
    let start = |free: Option<usize>| std::array::from_fn(|i| Complex::from(f64::from(free == Some(i))));
    let forced = down(start(None), 1.0, ground, wave);
    let free = [0, 1, 5].map(|i| down(start(Some(i)), 0.0, ground, wave));
    // At the ground: no velocity. It is displaced by the wave, over which the mean wind has grown.
    let wanted: [Complex; 3] = [-1.0 / (KARMAN * ground) - forced[0], -forced[1], -forced[2]];
    let matrix: [[Complex; 3]; 3] =
        std::array::from_fn(|row| std::array::from_fn(|column| free[column][row]));
    let whole = determinant(matrix);
    let shares: [Complex; 3] = std::array::from_fn(|column| {
        let mut replaced = matrix;
        (0..3).for_each(|row| replaced[row][column] = wanted[row]);
        determinant(replaced) / whole
    });
    let stress = |i: usize| forced[i] + (0..3).map(|j| shares[j] * free[j][i]).sum::<Complex>();
    (stress(3), stress(4))
}
