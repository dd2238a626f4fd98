//! `sastrugi new --terrain`: the snow pipeline and the one of drifting snow on any elevation model.

mod camera;
mod scene;
mod site;
mod wind;

use std::path::{Path, PathBuf};

use sastrugi::Problem;
use sastrugi::elevation::{self, Model};

use scene::Scene;
use site::Site;
use wind::Wind;

/// Minimum number of pixels along each side.
const MIN_PIXELS: u64 = 16;
/// Minimum relief, as a fraction of the longer side.
const MIN_RELIEF: f64 = 1e-4;

/// Options of the terrain.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Puts the snow on this elevation model: a GeoTIFF, an ESRI ASCII grid, or a grey PNG with --extent and --scale.
    #[arg(long, value_name = "FILE", requires = "from")]
    terrain: Option<PathBuf>,
    /// Width and height of the terrain in metres, or its width alone; by default what the file says.
    #[arg(long, value_name = "W[,H]", value_delimiter = ',', num_args = 1..=2, requires = "terrain")]
    extent: Vec<f64>,
    /// Metres per level of the file; by default what the file says.
    #[arg(long, value_name = "METRES", requires = "terrain")]
    scale: Option<f64>,
    /// Cells of air along the longer side; by default as many as take the memory of the shipped scene.
    #[arg(long, value_name = "N", requires = "terrain", value_parser = clap::value_parser!(u64).range(8..=2048))]
    cells: Option<u64>,
    /// With --from drift_ridge: the wind 10 m above the ground in m/s, and where it comes from in degrees clockwise from the
    /// north of the map (270: a west wind, as meteorologists say it). Such as --wind 12,270.
    #[arg(
        long,
        value_name = "SPEED,FROM",
        requires = "terrain",
        allow_hyphen_values = true
    )]
    wind: Option<Wind>,
}

/// Files of the shipped pipeline `from` on the terrain, the pipeline first; empty without `--terrain`.
pub(super) fn files(options: &Options, from: &str) -> Result<Vec<(PathBuf, Vec<u8>)>, Problem> {
    let Some(path) = &options.terrain else {
        return Ok(Vec::new());
    };
    match (from, options.wind) {
        ("snow", None) | ("drift_ridge", Some(_)) => {}
        ("snow", Some(_)) => {
            let message = "the wind of `snow` has no direction to choose";
            return Err(Problem::without_place(message).help("write --from drift_ridge, or leave --wind out"));
        }
        ("drift_ridge", None) => {
            let help =
                "add --wind with its speed in m/s and where it comes from in degrees, such as --wind 12,270";
            return Err(Problem::without_place("`drift_ridge` on a terrain needs the wind").help(help));
        }
        _ => {
            let message = format!("`{from}` does not take a terrain");
            return Err(Problem::without_place(message).help("write --from snow or --from drift_ridge"));
        }
    }
    let model = read(options, path)?;
    let name = name(path, from);
    if model.filled > 0 {
        let all = model.header.size[0] * model.header.size[1];
        crate::say!(
            "warning: {} of {all} pixels had no data and were filled from their neighbours",
            model.filled
        );
    }
    let (summary, pipeline, terrain) = match options.wind {
        None => {
            let scene = Scene::on(&model, options.cells);
            (scene.summary(&model), scene.pipeline(&name), scene.terrain()?)
        }
        Some(wind) => {
            let site = Site::on(&model, wind, options.cells).map_err(|cause| refused(path, &cause))?;
            for warning in site.warnings() {
                crate::say!("warning: {warning}");
            }
            (site.summary(&model), site.pipeline(&name), site.terrain()?)
        }
    };
    crate::say!("{}: {summary}", path.display());
    Ok(vec![
        (format!("{name}.json").into(), pipeline.into_bytes()),
        ("terrain.tif".into(), terrain),
    ])
}

fn refused(path: &Path, cause: &str) -> Problem {
    Problem::without_place(format!("{}: {cause}", path.display()))
}

/// Reads the model, and scales its levels to metres; `metres_per_pixel` is always known.
fn read(options: &Options, path: &Path) -> Result<Model, Problem> {
    let refuse = |cause: String| refused(path, &cause);
    let mut model = elevation::read(path).map_err(refuse)?;
    let header = &mut model.header;
    let positive = |value: &f64| *value > 0.0 && value.is_finite();
    if !options.extent.iter().chain(&options.scale).all(positive) {
        return Err(Problem::without_place(
            "--extent and --scale are positive numbers of metres",
        ));
    }
    if header.size.iter().any(|side| *side < MIN_PIXELS) {
        let [width, height] = header.size;
        let message = format!("{width} x {height} pixels are too few for a landscape");
        return Err(refuse(message).help(format!("each side has at least {MIN_PIXELS}")));
    }
    let per_pixel = |metres: f64, axis: usize| metres / (header.size[axis] - 1) as f64;
    let spacing = match options.extent[..] {
        [width, height] => Some([per_pixel(width, 0), per_pixel(height, 1)]),
        [width] => Some([per_pixel(width, 0); 2]),
        _ => header.metres_per_pixel,
    };
    let Some(spacing) = spacing else {
        let help = "add --extent with its width and height in metres, such as --extent 5000,4000";
        return Err(refuse("it does not say how large it is".into()).help(help));
    };
    let Some(scale) = options.scale.or(header.metres_per_level) else {
        let help = "add --scale with the metres of one level, such as --scale 0.1";
        return Err(refuse("it does not say how high a level is".into()).help(help));
    };
    header.metres_per_pixel = Some(spacing);
    header.metres_per_level = Some(1.0);
    model.levels.iter_mut().for_each(|level| *level *= scale);
    let [low, high] = scene::range(&model);
    let longer = (0..2)
        .map(|axis| spacing[axis] * (model.header.size[axis] - 1) as f64)
        .fold(0.0, f64::max);
    if high - low <= MIN_RELIEF * longer {
        let message = format!("it is flat: its heights are from {low} to {high} m, over {longer:.0} m");
        return Err(refuse(message).help("--scale sets the metres of one level, --extent the size"));
    }
    if high - low > longer {
        let message = format!(
            "its relief of {:.0} m is more than its width of {longer:.0} m",
            high - low
        );
        let help = "are its lengths in metres? --extent and --scale say what the file does not; remains of missing data are another cause";
        return Err(refuse(message).help(help));
    }
    Ok(model)
}

/// The name of the pipeline, from the file name. That of the shipped pipeline is taken: `snow` becomes `snow_on_terrain`.
fn name(path: &Path, from: &str) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    match stem.chars().map(plain).collect::<String>() {
        name if name == from || name.is_empty() => format!("{from}_on_terrain"),
        name => name,
    }
}
