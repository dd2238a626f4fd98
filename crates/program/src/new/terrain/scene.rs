//! The shipped scene on another terrain: lengths and times are scaled by the cell size.

use sastrugi::Problem;
use sastrugi::elevation::{self, Model, downsample};

use super::camera::{self, Camera};

/// The shipped scene: `pipelines/snow.json`.
mod shipped {
    /// m
    pub(super) const CELL: f64 = 7.0;
    pub(super) const CELLS: f64 = 160.0 * 170.0 * 24.0;
    pub(super) const FLAKES: f64 = 262_144.0;
    /// Steps per second.
    pub(super) const STEPS: f64 = 30.0;
    /// Vertices along each axis.
    pub(super) const VERTICES: f64 = 512.0;
    /// Vertices per cell, along each axis.
    pub(super) const FINENESS: f64 = 3.2;
    /// Layers of cells below the lowest point and above the highest one.
    pub(super) const LAYERS: u64 = 14;
    /// Tree line as a fraction of the relief.
    pub(super) const TREE_LINE: f64 = 0.58;
}

/// Maximum height of trees, which otherwise scales with the scene, m.
const MAX_TREE_HEIGHT: f64 = 20.0;

/// Values for the pipeline.
pub(super) struct Scene {
    /// The terrain, resampled for the file.
    model: Model,
    low: f64,
    relief: f64,
    cell: f64,
    cells: [u64; 3],
    vertices: [u64; 2],
    camera: Camera,
}

/// The lowest and the highest level.
pub(super) fn range(model: &Model) -> [f64; 2] {
    let levels = || model.levels.iter().copied();
    [
        levels().fold(f64::INFINITY, f64::min),
        levels().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// Metres from the first to the last pixel along x and y.
pub(super) fn extent(model: &Model) -> [f64; 2] {
    let spacing = model.header.metres_per_pixel.unwrap_or([1.0; 2]);
    [0, 1].map(|axis| spacing[axis] * (model.header.size[axis] - 1) as f64)
}

/// Number of cells of a terrain along each axis.
fn count(extent: [f64; 2], relief: f64, cell: f64) -> [u64; 3] {
    let [x, y] = extent.map(|side| (side / cell) as u64);
    [x, y, (relief / cell).ceil() as u64 + shipped::LAYERS]
}

/// The smallest cell size with no more cells than the shipped scene.
fn cell_size(extent: [f64; 2], relief: f64) -> f64 {
    let mut cell = extent[0].max(extent[1]) / 1024.0;
    while count(extent, relief, cell)
        .iter()
        .map(|side| *side as f64)
        .product::<f64>()
        > shipped::CELLS
    {
        cell *= 1.002;
    }
    cell
}

/// Rounded up to three digits.
pub(super) fn three_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    let text = format!("{:.2e}", (value / unit).ceil() * unit);
    text.parse().unwrap_or(value)
}

impl Scene {
    /// The scene on a terrain in metres, with `cells` along its longer side or as many as the shipped scene has.
    pub(super) fn on(model: &Model, cells: Option<u64>) -> Scene {
        let whole = extent(model);
        let [low, high] = range(model);
        let cell = three_digits(match cells {
            Some(cells) => whole[0].max(whole[1]) / cells as f64,
            None => cell_size(whole, high - low),
        });
        let fineness = shipped::FINENESS.min(match cells {
            Some(_) => f64::INFINITY,
            None => shipped::VERTICES * cell / (whole[0] * whole[1]).sqrt(),
        });
        let wanted = whole.map(|side| ((fineness * side / cell) as u64).max(2));
        // Means of pixels, as the vertices would skip some of them.
        let times = [0, 1].map(|axis| (model.header.size[axis] / wanted[axis]).max(1) as usize);
        let model = downsample(model, times);
        let [low, high] = range(&model);
        Scene {
            low,
            relief: high - low,
            cell,
            cells: count(extent(&model), high - low, cell),
            vertices: wanted,
            camera: camera::framing(&model, extent(&model), low, high - low),
            model,
        }
    }

    fn flakes(&self) -> u64 {
        let cells: u64 = self.cells.iter().product();
        (shipped::FLAKES / shipped::CELLS * cells as f64) as u64
    }

    /// One line about the file and the scene.
    pub(super) fn summary(&self, read: &Model) -> String {
        let ([width, height], [low, high]) = (extent(read), range(read));
        let [nx, ny, nz] = self.cells;
        format!(
            "{} x {} pixels, {width:.0} x {height:.0} m, heights from {low:.1} to {high:.1} m; \
             {nx} x {ny} x {nz} cells of {} m, {} flakes",
            read.header.size[0],
            read.header.size[1],
            self.cell,
            self.flakes()
        )
    }

    /// The terrain as a GeoTIFF at the place of the file that it was made from.
    pub(super) fn terrain(&self) -> Result<Vec<u8>, Problem> {
        elevation::to_geotiff(&self.model).map_err(Problem::without_place)
    }

    /// The text of the pipeline, a variant of the shipped one.
    pub(super) fn pipeline(&self, name: &str) -> String {
        let cell = self.cell;
        // Scale relative to the shipped scene.
        let times = cell / shipped::CELL;
        let spacing = self.model.header.metres_per_pixel.unwrap_or([1.0; 2]);
        let [dx, dy] = spacing.map(|side| round(side, 7));
        let [width, height] = extent(&self.model);
        let [nx, ny, nz] = self.cells;
        let margin = |side: f64, cells: u64| round(0.5 * (side - cell * cells as f64), 4);
        let (x, y) = (margin(width, nx), margin(height, ny));
        let [vx, vy] = self.vertices;
        let Camera { eye, target, sun } = self.camera;
        format!(
            r#"// Snow on a terrain of {width:.0} by {height:.0} m with {relief:.0} m of relief. Everything else is as in snow.json.
{{
  "extends": "snow.json",
  "title": "Wind-driven snow over {name}",

  "parameters": {{
    // Lengths and times of the scene are {times:.3} times those of snow.json, as its cells are; the wind and the flakes are as fast.
    "wind": {{"period": {period}}},
    "flakes": {{"count": {flakes}}}
  }},

  "use": {{"draw": {{"parameters": {{
    "camera": {{"eye": [{eye}], "target": [{target}], "reach": {reach}}},
    "weather": {{"sun": [{sun}], "haze": [{haze}]}},
    "look": {{"radius": {radius}, "exposure": {exposure}, "tree_height": {trees}, "tree_line": {line}}}
  }}}}}},

  "run": {{"dt": "{cell}/{steps}"}},

  "grids": {{
    "air": {{"cells": [{nx}, {ny}, {nz}], "cell_size": {cell}, "origin": [{x}, {y}, {below}]}},
    // Height 0 is the lowest point.
    "ground": {{"vertices": [{vx}, {vy}], "channels": {{"elevation": {{"values": {{
      "file": "terrain.tif", "metres_per_pixel": [{dx}, {dy}], "base_level": {low}}}}}}}}}
  }},

  // Snow depth in m, as a map at the place of the model.
  "outputs": {{"depth": {{"source": "ground.snow", "format": "geotiff", "scale": "snow_unit", "every": 10}}}}
}}
"#,
            relief = round(self.relief, 7),
            // As the file rounds it.
            low = self.low as f32,
            flakes = self.flakes(),
            period = round(48.0 * times, 4),
            steps = shipped::CELL * shipped::STEPS,
            below = -cell,
            eye = list(eye),
            target = list(target),
            sun = list(sun),
            reach = round(2.0 * width.hypot(height), 4),
            haze = list([0.002 / times, 100.0 * times, 30.0 * times]),
            radius = round(0.12 * times, 4),
            // Flakes of a large scene are as fast as those of snow.json: a longer exposure would draw streaks of a kilometre.
            exposure = round(0.24 * times.min(1.0), 4),
            trees = round((2.6 * times).min(MAX_TREE_HEIGHT), 4),
            line = round(shipped::TREE_LINE * self.relief, 4),
        )
    }
}

/// A position or a direction in the text of a pipeline.
pub(super) fn list(values: [f64; 3]) -> String {
    values.map(|value| round(value, 4).to_string()).join(", ")
}

/// Rounds to a number of significant digits.
pub(super) fn round(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}
