//! What the snow model, the material point method and flows must do, measured on a device: for the tests and for the
//! tables of docs/validation.md.
//!
//! A measurement gives [`Row`]s. What it is computed with (in [`checks`] and [`stats`]) takes plain arrays,
//! so that tests can also feed it wrong ones and see it object.

pub mod checks;
pub mod cover;
pub mod flakes;
pub mod flows;
pub mod matter;
pub mod page;
pub mod scene;
pub mod stats;
pub mod twins;
pub mod wind;

/// One measured number and the bound that it must keep.
#[derive(Debug, Clone)]
pub struct Row {
    pub what: String,
    pub measured: f64,
    pub bound: f64,
    /// Why the bound is what it is.
    pub why: &'static str,
}

impl Row {
    pub fn new(what: impl Into<String>, measured: f64, bound: f64, why: &'static str) -> Row {
        Row {
            what: what.into(),
            measured,
            bound,
            why,
        }
    }

    /// A count of violations that must be zero.
    pub fn none(what: impl Into<String>, violations: usize, why: &'static str) -> Row {
        Row::new(what, violations as f64, 0.0, why)
    }

    /// Not a number keeps no bound.
    pub fn holds(&self) -> bool {
        self.measured <= self.bound
    }
}

/// Measures on a device.
pub type Measurement = fn(&sastrugi::gpu::Gpu) -> Vec<Row>;

/// Runs one measurement of a list and prints its rows. Panics if one is beyond its bound, or is not what docs/validation.md
/// has.
pub fn measure(list: &[(&str, Measurement)], title: &str, gpu: &sastrugi::gpu::Gpu) {
    let (_, measurement) = list.iter().find(|(name, _)| *name == title).unwrap();
    let rows = measurement(gpu);
    assert!(!rows.is_empty(), "{title} measures nothing");
    for row in &rows {
        println!("{}: {:.3e}, bound {:.3e}", row.what, row.measured, row.bound);
    }
    let broken: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    let differences = page::Page::read().differences(title, &rows, &gpu.report().name);
    assert!(
        differences.is_empty() || std::env::var_os("SASTRUGI_UPDATE").is_some(),
        "docs/validation.md differs (SASTRUGI_UPDATE=1 writes it anew):\n{}",
        differences.join("\n")
    );
}

/// Every measurement of the snow model with its title, in the order of the table.
pub const MEASUREMENTS: &[(&str, Measurement)] = &[
    ("Stages against their CPU twins", twins::stages),
    ("Still air", flakes::still_air),
    ("Uniform wind", flakes::uniform_wind),
    ("Respawn and re-entry", flakes::new_places),
    ("Density upwind", flakes::upwind_density),
    ("div u = dt (b - L p)", wind::divergence_identity),
    ("Pressure solve", wind::pressure_solve),
    ("Balanced boundary", wind::balanced_boundary),
    ("Solid faces", wind::solid_faces),
    ("Rebuilt faces", wind::rebuilt_faces),
    ("Solid cells", wind::solid_cells),
    ("Active air", wind::active_air),
    ("Snow totals", cover::totals),
    ("Sliding to rest", cover::rest),
];
