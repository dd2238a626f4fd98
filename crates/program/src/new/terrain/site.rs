//! Drifting snow at another site: lengths of the shipped pipeline are scaled by the cell size.

use sastrugi::Problem;
use sastrugi::elevation::{self, Model, along_wind, downsample};

use super::camera::{self, Camera};
use super::scene::{extent, list, range, round, three_digits};
use super::wind::Wind;

/// The shipped pipeline: `pipelines/drift_ridge.json` and the thresholds of its snow.
mod shipped {
    /// m
    pub(super) const CELL: f64 = 8.8;
    pub(super) const CELLS: f64 = 128.0 * 136.0 * 16.0;
    /// Frames, and steps in each.
    pub(super) const FRAMES: f64 = 60.0;
    pub(super) const STEPS: f64 = 9.0;
    pub(super) const SPEED_UP: f64 = 2000.0;
    /// z0, m.
    pub(super) const ROUGHNESS: f64 = 1e-3;
    /// The friction velocity from which snow moves, m/s.
    pub(super) const THRESHOLD: f64 = 0.25;
    /// Largest friction velocity, m/s.
    pub(super) const MAX_FRICTION: f64 = 1.5;
    /// Courant number.
    pub(super) const COURANT: f64 = 0.2;
    /// Part of an extent over which the ground at a side becomes level.
    pub(super) const MARGIN: f64 = 0.133;
    /// Air above the summit: at least this part of the longer extent, and the relief.
    pub(super) const AIR: f64 = 0.095;
}

/// Minimum number of columns along each side.
const MIN_COLUMNS: u64 = 8;
/// Steeper ground is outside the model of the wind, degrees.
const STEEP: f64 = 20.0;
/// Largest part of the ground that may be steeper without a warning.
const MAX_STEEP: f64 = 0.01;

/// Values for the pipeline.
pub(super) struct Site {
    /// The terrain in the frame along the wind.
    model: Model,
    wind: Wind,
    low: f64,
    relief: f64,
    cell: f64,
    cells: [u64; 3],
    camera: Camera,
}

/// Columns with a vertex on each edge, and layers up to the lid.
fn count(extent: [f64; 2], relief: f64, cell: f64) -> [u64; 3] {
    let [x, y] = extent.map(|side| (side / cell).round() as u64 + 1);
    let height = relief + relief.max(shipped::AIR * extent[0].max(extent[1]));
    [x, y, (height / cell).ceil() as u64]
}

/// The smallest size of cells of which there are no more than in the shipped pipeline.
fn cell_size(extent: [f64; 2], relief: f64) -> f64 {
    let mut cell = extent[0].max(extent[1]) / 1024.0;
    let cells = |cell| count(extent, relief, cell).map(|side| side as f64);
    while cells(cell).iter().product::<f64>() > shipped::CELLS {
        cell *= 1.002;
    }
    cell
}

impl Site {
    /// The site on a terrain in metres, with `cells` along its longer side or as many as the shipped pipeline has.
    pub(super) fn on(model: &Model, wind: Wind, cells: Option<u64>) -> Result<Site, String> {
        let friction = wind.friction(shipped::ROUGHNESS);
        if friction > shipped::MAX_FRICTION {
            let most = Wind::speed_of(shipped::MAX_FRICTION, shipped::ROUGHNESS).floor();
            return Err(format!(
                "a wind of {} m/s is beyond what the pipeline computes: up to {most} m/s",
                wind.speed
            ));
        }
        let metres = model.header.metres_per_pixel.unwrap_or([1.0; 2]);
        let model = along_wind(model, metres, wind.from)?;
        let whole = extent(&model);
        let [low, high] = range(&model);
        let cell = three_digits(match cells {
            Some(cells) => whole[0].max(whole[1]) / (cells - 1) as f64,
            None => cell_size(whole, high - low),
        });
        let [nx, ny, _] = count(whole, high - low, cell);
        if nx.min(ny) < MIN_COLUMNS {
            return Err(format!(
                "cells of {cell} m are too large for {:.0} x {:.0} m along and across the wind: raise --cells",
                whole[0], whole[1]
            ));
        }
        // Means of pixels, as the vertices would skip some of them.
        let times = [(0, nx), (1, ny)].map(|(axis, n)| (model.header.size[axis] / n).max(1) as usize);
        let model = downsample(&model, times);
        let [low, high] = range(&model);
        Ok(Site {
            wind,
            low,
            relief: high - low,
            cell,
            cells: [nx, ny, count(whole, high - low, cell)[2]],
            camera: camera::framing(&model, extent(&model), low, high - low),
            model,
        })
    }

    /// The mean height of the border above the lowest point, m.
    fn floor(&self) -> f64 {
        let [width, rows] = self.model.header.size.map(|side| side as usize);
        let is_border = |at: usize| {
            let (column, row) = (at % width, at / width);
            column == 0 || row == 0 || column == width - 1 || row == rows - 1
        };
        let border = (0..width * rows).filter(|at| is_border(*at));
        let (sum, count) = border.fold((0.0, 0.0), |(sum, count), at| {
            (sum + self.model.levels[at], count + 1.0)
        });
        sum / count - self.low
    }

    /// The part of the ground that is steeper than `STEEP`, by differences over the cells of the wind.
    fn steep(&self) -> f64 {
        let [width, rows] = self.model.header.size.map(|side| side as usize);
        let spacing = self.model.header.metres_per_pixel.unwrap_or([1.0; 2]);
        let far = spacing.map(|side| (self.cell / side).round().max(1.0) as usize);
        let level = |column: usize, row: usize| self.model.levels[row * width + column];
        let (mut steep, mut all) = (0.0, 0.0);
        for row in far[1]..rows.saturating_sub(far[1]) {
            for column in far[0]..width.saturating_sub(far[0]) {
                let slope = [
                    level(column + far[0], row) - level(column - far[0], row),
                    level(column, row + far[1]) - level(column, row - far[1]),
                ];
                let part = |axis: usize| slope[axis] / (2.0 * far[axis] as f64 * spacing[axis]);
                all += 1.0;
                if part(0).hypot(part(1)) > STEEP.to_radians().tan() {
                    steep += 1.0;
                }
            }
        }
        if all > 0.0 { steep / all } else { 0.0 }
    }

    /// Facts about the site that make its results doubtful.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let friction = self.wind.friction(shipped::ROUGHNESS);
        if friction <= shipped::THRESHOLD {
            let least = Wind::speed_of(shipped::THRESHOLD, shipped::ROUGHNESS);
            warnings.push(format!(
                "a wind of {} m/s moves no snow of flat ground: its friction velocity is {friction:.2} m/s, the threshold \
                 {} m/s ({least:.1} m/s at 10 m)",
                self.wind.speed,
                shipped::THRESHOLD
            ));
        }
        let steep = self.steep();
        if steep > MAX_STEEP {
            warnings.push(format!(
                "{:.0} % of the ground are steeper than {STEEP} degrees, where the wind of this model is wrong",
                100.0 * steep
            ));
        }
        let reference = self.model.header.georeference.as_ref();
        if reference.is_none_or(|reference| reference.projection == elevation::Projection::Unknown) {
            warnings
                .push("the model has no projection: its maps have positions but no coordinate system".into());
        }
        warnings
    }

    /// Seconds per step of the pipeline.
    fn step(&self) -> f64 {
        let top = self.cells[2] as f64 * self.cell;
        let fastest = self.wind.friction(shipped::ROUGHNESS) / 0.4 * (top / shipped::ROUGHNESS).ln();
        shipped::COURANT * self.cell / fastest
    }

    fn speed_up(&self) -> f64 {
        round(shipped::SPEED_UP * (shipped::CELL / self.cell).min(1.0), 3)
    }

    /// One line about the file and the site.
    pub(super) fn summary(&self, read: &Model) -> String {
        let ([width, height], [low, high]) = (extent(read), range(read));
        let [along, across] = extent(&self.model);
        let [nx, ny, nz] = self.cells;
        let hours = shipped::FRAMES * shipped::STEPS * self.step() * self.speed_up() / 3600.0;
        format!(
            "{} x {} pixels, {width:.0} x {height:.0} m, heights from {low:.1} to {high:.1} m; {along:.0} m along the wind \
             and {across:.0} m across, {nx} x {ny} x {nz} cells of {} m; friction velocity {:.2} m/s; a storm of {hours:.0} \
             hours",
            read.header.size[0],
            read.header.size[1],
            self.cell,
            self.wind.friction(shipped::ROUGHNESS),
        )
    }

    /// The terrain as a GeoTIFF, whose rows run along the wind.
    pub(super) fn terrain(&self) -> Result<Vec<u8>, Problem> {
        elevation::to_geotiff(&self.model).map_err(Problem::without_place)
    }

    /// The text of the pipeline, a variant of the shipped one.
    pub(super) fn pipeline(&self, name: &str) -> String {
        let cell = self.cell;
        let times = cell / shipped::CELL;
        let [px, py] = self.model.header.size.map(|side| side - 1);
        let [width, height] = extent(&self.model);
        let [nx, ny, nz] = self.cells;
        let Camera { eye, target, sun } = self.camera;
        let [x, y] = [width, height].map(|side| round(shipped::MARGIN * side, 4));
        format!(
            r#"// Drifting snow on a terrain of {width:.0} by {height:.0} m with {relief:.0} m of relief. Everything else is as in
// drift_ridge.json.
{{
  "extends": "drift_ridge.json",
  "title": "Wind drifts snow over {name}",

  "parameters": {{
    // The wind 10 m above flat snow, m/s. It comes from {from} degrees clockwise from the north of the map, and blows along x.
    "wind_speed": {speed},
    "u_star": {{"value": "0.4 * wind_speed / ln(10 / roughness)"}},
    "h": {cell}, "cells": [{nx}, {ny}, {nz}],
    // The level ground at the sides, and how far from them it begins to rise, m.
    "sides": {{"floor": {floor}, "margin": [{x}, {y}]}},
    // A second of wind is this long on the ground, s.
    "speed_up": {speed_up}
  }},

  "use": {{"draw": {{"parameters": {{
    "camera": {{"eye": [{eye}], "target": [{target}], "reach": {reach}}},
    "weather": {{"sun": [{sun}], "haze": [{haze}]}}
  }}}}}},

  "run": {{"steps_per_frame": {steps}}},

  // Height 0 is the lowest point.
  "grids": {{"ground": {{"channels": {{"elevation": {{"values": {{
    "file": "terrain.tif", "metres_per_pixel": ["h * (air.nx - 1) / {px}", "h * (air.ny - 1) / {py}"],
    "metres_per_level": 1, "base_level": {low}}}}}}}}}}}
}}
"#,
            relief = round(self.relief, 7),
            from = self.wind.from,
            speed = self.wind.speed,
            floor = round(self.floor(), 4),
            speed_up = self.speed_up(),
            // As the file rounds it.
            low = self.low as f32,
            steps = shipped::STEPS,
            eye = list(eye),
            target = list(target),
            // Raking light shows relief.
            sun = list([sun[0], sun[1], 0.2]),
            reach = round(2.0 * width.hypot(height), 4),
            haze = list([0.0003 / times, 100.0 * times, 30.0 * times]),
        )
    }
}
