//! The wind's grid: its fields in a run of snow.json, and interpolation in them.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use npyz::{Deserialize, NpyFile};

// Values of pipelines/snow.json.
pub const DX: f32 = 7.0;
pub const ORIGIN: [f32; 3] = [2.8, 5.0, -7.0];
pub const DT: f32 = 1.0 / 30.0;
pub const SEED: u32 = 1;
pub const OMEGAS: [f32; 5] = [1.7, 1.5, 1.2, 1.1, 1.1];
pub const GRAVITY: f32 = 9.81;
pub const CIRCLE_CAP: f32 = 1.0;

// Bits of `faces` (shaders/snow/faces.glsl).
const INSIDE: u32 = 1;
const SOLID: u32 = 1 << 13;
/// A cell that is not active.
const FRESH: u32 = 1 << 14;
/// The neighbours behind open inner faces: -x +x -y +y -z +z.
pub const OPEN: [u32; 6] = [1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6];

/// A MAC grid, x fastest: u, v, w of a cell are on its lower faces.
#[derive(Debug, Clone, Default)]
pub struct Air {
    pub cells: [usize; 3],
    pub dx: f32,
    pub origin: [f32; 3],
    pub u: Vec<f32>,
    pub v: Vec<f32>,
    pub w: Vec<f32>,
    pub pressure: Vec<f32>,
    pub solution: Vec<f32>,
    pub faces: Vec<u32>,
    /// Of the twins alone.
    #[cfg(test)]
    pub u_star: Vec<f32>,
    #[cfg(test)]
    pub v_star: Vec<f32>,
    #[cfg(test)]
    pub w_star: Vec<f32>,
    #[cfg(test)]
    pub open: Vec<u32>,
    #[cfg(test)]
    pub solid: Vec<u32>,
    #[cfg(test)]
    pub active: Vec<bool>,
    #[cfg(test)]
    pub inside: Vec<bool>,
}

/// The shaders' `clock`.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub dt: f32,
    pub seed: u32,
}

/// An inside cell that is not solid: it has a pressure.
pub fn is_fluid(faces: u32) -> bool {
    faces & (INSIDE | SOLID) == INSIDE
}

impl Air {
    /// Number of cells.
    pub fn count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Cells from one to the next along each axis.
    pub fn strides(&self) -> [usize; 3] {
        [1, self.cells[0], self.cells[0] * self.cells[1]]
    }
}

/// Trilinear interpolation at a point, in cells; the point is clamped to the lattice.
#[inline(always)]
pub fn trilinear(field: &[f32], cells: [usize; 3], at: [f32; 3]) -> f32 {
    let mut low = [0; 3];
    let mut t = [0.0; 3];
    for axis in 0..3 {
        let clamped = at[axis].clamp(0.0, (cells[axis] - 1) as f32);
        low[axis] = (clamped as usize).min(cells[axis] - 2);
        t[axis] = clamped - low[axis] as f32;
    }
    let (row, plane) = (cells[0], cells[0] * cells[1]);
    let i = low[0] + row * low[1] + plane * low[2];
    // One test of bounds for eight loads.
    let part = &field[i..i + plane + row + 2];
    let linear = |a: f32, b: f32, t: f32| a + t * (b - a);
    let along = |j: usize| linear(part[j], part[j + 1], t[0]);
    let layer = |j: usize| linear(along(j), along(j + row), t[1]);
    linear(layer(0), layer(plane), t[2])
}

/// The fields of a frame, with the prescribed wind in cells that are not active.
#[allow(clippy::needless_update, reason = "tests have more fields")]
pub fn read(directory: &Path, frame: u32) -> Result<Air, Box<dyn Error>> {
    let (shape, faces) = array::<u16>(directory, "faces", frame)?;
    let faces: Vec<u32> = faces.into_iter().map(u32::from).collect();
    let cells = match shape[..] {
        [z, y, x] => [x, y, z].map(|n| n as usize),
        _ => return Err("faces: not an array of three axes".into()),
    };
    let wind = floats(directory, "wind", frame)?;
    let with_calm = |name, calm: f32| -> Result<Vec<f32>, Box<dyn Error>> {
        let values = floats(directory, name, frame)?.into_iter().zip(&faces);
        Ok(values
            .map(|(value, faces)| if *faces == FRESH { calm } else { value })
            .collect())
    };
    Ok(Air {
        cells,
        dx: DX,
        origin: ORIGIN,
        u: with_calm("u", wind[0])?,
        v: with_calm("v", wind[1])?,
        w: with_calm("w", 0.0)?,
        pressure: floats(directory, "pressure", frame)?,
        solution: floats(directory, "solution", frame)?,
        faces,
        ..Air::default()
    })
}

pub fn floats(directory: &Path, name: &str, frame: u32) -> Result<Vec<f32>, Box<dyn Error>> {
    Ok(array(directory, name, frame)?.1)
}

pub fn vectors(directory: &Path, name: &str, frame: u32) -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
    Ok(floats(directory, name, frame)?.as_chunks().0.to_vec())
}

/// The shape and the values of `<name>.<frame>.npy`.
pub fn array<T: Deserialize>(
    directory: &Path,
    name: &str,
    frame: u32,
) -> Result<(Vec<u64>, Vec<T>), Box<dyn Error>> {
    let path = directory.join(format!("{name}.{frame:04}.npy"));
    let read = || {
        let file = NpyFile::new(BufReader::new(File::open(&path)?))?;
        Ok((file.shape().to_vec(), file.into_vec()?))
    };
    read().map_err(|error: std::io::Error| format!("{}: {error}", path.display()).into())
}
