//! Metres on the ground, from degrees and from the units of maps.

/// Metres per degree of longitude and of latitude at a latitude (degrees): the series for the WGS 84 ellipsoid, good to
/// a centimetre (NIMA TR 8350.2; as in Snyder, *Map Projections*, USGS 1987, p. 25).
pub(super) fn metres_per_degree(latitude: f64) -> [f64; 2] {
    let angle = latitude.to_radians();
    let east = 111_412.84 * angle.cos() - 93.5 * (3.0 * angle).cos() + 0.118 * (5.0 * angle).cos();
    let north = 111_132.92 - 559.82 * (2.0 * angle).cos() + 1.175 * (4.0 * angle).cos()
        - 0.0023 * (6.0 * angle).cos();
    [east, north]
}

/// Metres on the ground per metre of the Web Mercator map (EPSG 3857) at its northing.
pub(super) fn web_mercator_scale(northing: f64) -> f64 {
    const RADIUS: f64 = 6_378_137.0;
    1.0 / (northing / RADIUS).cosh()
}

/// Metres of a unit of length, by its EPSG code.
pub(super) fn metres_of_unit(code: u16) -> Option<f64> {
    match code {
        9001 => Some(1.0),
        9002 => Some(0.3048),
        9003 => Some(1200.0 / 3937.0),
        9036 => Some(1000.0),
        _ => None,
    }
}

/// True if a rectangle of these coordinates, in degrees, is on the globe.
pub(super) fn on_globe(x: [f64; 2], y: [f64; 2]) -> bool {
    x.iter().all(|x| x.abs() <= 361.0) && y.iter().all(|y| y.abs() <= 90.01)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degree_lengths_match_the_ellipsoid() {
        // The lengths at the equator and the pole from the axes of WGS 84.
        let (a, b) = (6_378_137.0_f64, 6_356_752.314_f64);
        let [east, north] = metres_per_degree(0.0);
        assert!((east - a.to_radians()).abs() < 0.5, "{east}");
        assert!((north - (b * b / a).to_radians()).abs() < 0.5, "{north}");
        let [east, north] = metres_per_degree(90.0);
        assert!(
            east.abs() < 1e-6 && (north - (a * a / b).to_radians()).abs() < 0.5,
            "{east} {north}"
        );
    }

    #[test]
    fn web_mercator_scale_is_the_cosine_of_latitude() {
        // 60 degrees north.
        let northing = 6_378_137.0 * (60f64.to_radians().tan() + 2.0).ln();
        assert!((web_mercator_scale(northing) - 0.5).abs() < 1e-3);
        assert_eq!(web_mercator_scale(0.0), 1.0);
    }
}
