//! Areas on a map: the polygons of a GeoJSON file (RFC 7946).

use std::path::Path;

use geojson::{Feature, GeoJson, Geometry, GeometryValue, JsonObject};

use crate::input_file;

/// Maximum size of a file, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A polygon: its outer ring, then its holes. Each ring is closed: the last point is the first.
type Polygon = Vec<Vec<[f64; 2]>>;

/// Polygons that may overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Areas {
    polygons: Vec<Polygon>,
    /// The EPSG code of the coordinates, if the file states one.
    pub code: Option<u16>,
}

/// Reads the polygons of a file.
pub fn read_areas(path: &Path) -> Result<Areas, String> {
    parse(&input_file::read_text(path, MAX_BYTES)?)
}

fn parse(text: &str) -> Result<Areas, String> {
    let file: GeoJson = text
        .parse()
        .map_err(|error| format!("it is no GeoJSON: {error}"))?;
    let (features, members) = match file {
        GeoJson::FeatureCollection(all) => (all.features, all.foreign_members),
        GeoJson::Feature(mut feature) => {
            let members = feature.foreign_members.take();
            (vec![feature], members)
        }
        GeoJson::Geometry(mut geometry) => {
            let members = geometry.foreign_members.take();
            (vec![Feature::from(geometry)], members)
        }
    };
    let mut polygons = Vec::new();
    for geometry in features.into_iter().filter_map(|feature| feature.geometry) {
        add(geometry, &mut polygons)?;
    }
    if polygons.is_empty() {
        return Err("it has no polygons".into());
    }
    Ok(Areas {
        polygons,
        code: members.as_ref().and_then(code),
    })
}

fn add(geometry: Geometry, polygons: &mut Vec<Polygon>) -> Result<(), String> {
    let lists = match geometry.value {
        GeometryValue::Polygon { coordinates } => vec![coordinates],
        GeometryValue::MultiPolygon { coordinates } => coordinates,
        GeometryValue::GeometryCollection { geometries } => {
            return geometries
                .into_iter()
                .try_for_each(|geometry| add(geometry, polygons));
        }
        other => {
            return Err(format!(
                "it contains a {}, but an area is a Polygon or a MultiPolygon",
                other.type_name()
            ));
        }
    };
    for rings in lists {
        let mut polygon = Polygon::new();
        for ring in rings {
            let points = ring.iter().map(|position| match position.as_slice() {
                [x, y, ..] => Ok([*x, *y]),
                _ => Err("it has a position without two coordinates".to_owned()),
            });
            let points = points.collect::<Result<Vec<_>, String>>()?;
            if points.len() < 4 || points.first() != points.last() {
                return Err(
                    "it has a ring of fewer than 4 positions, or one that does not end where it begins"
                        .into(),
                );
            }
            polygon.push(points);
        }
        polygons.push(polygon);
    }
    Ok(())
}

/// The EPSG code in the member `crs` of GeoJSON of 2008, which GIS still write for maps.
fn code(members: &JsonObject) -> Option<u16> {
    let name = members.get("crs")?.get("properties")?.get("name")?.as_str()?;
    if name.ends_with(":CRS84") {
        // Longitude and latitude of WGS 84.
        return Some(4326);
    }
    let upper = name.to_ascii_uppercase();
    upper
        .contains("EPSG")
        .then(|| upper.rsplit(':').next()?.parse().ok())?
}

impl Areas {
    /// With each point moved by `to`.
    pub fn mapped(mut self, to: impl Fn([f64; 2]) -> [f64; 2]) -> Areas {
        let points = self.polygons.iter_mut().flatten().flatten();
        points.for_each(|point| *point = to(*point));
        self
    }

    /// Marks the points of a plane lattice inside an area; `marks` has one entry per point, x fastest. Neighbouring areas
    /// share no point and leave none out: a polygon has its south and west edges, not the others.
    pub fn mark(&self, first: [f64; 2], spacing: [f64; 2], width: usize, marks: &mut [bool]) {
        for (row, marks) in marks.chunks_exact_mut(width).enumerate() {
            let y = first[1] + row as f64 * spacing[1];
            for polygon in &self.polygons {
                let mut crossings = crossings(polygon, y);
                crossings.sort_by(f64::total_cmp);
                // The first point at or east of a crossing.
                let column = |x: f64| ((x - first[0]) / spacing[0]).ceil().clamp(0.0, width as f64) as usize;
                for pair in crossings.chunks_exact(2) {
                    marks[column(pair[0])..column(pair[1])].fill(true);
                }
            }
        }
    }
}

/// Where the edges of a polygon cross a line along x: an even number of times.
fn crossings(polygon: &Polygon, y: f64) -> Vec<f64> {
    let edges = polygon.iter().flat_map(|ring| ring.windows(2));
    let crossing = |edge: &[[f64; 2]]| {
        // One order for the edge of two polygons, so that both cross at the same place.
        let (mut a, mut b) = (edge[0], edge[1]);
        if a[1] > b[1] {
            (a, b) = (b, a);
        }
        (a[1] <= y && y < b[1]).then(|| a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
    };
    edges.filter_map(crossing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(rings: &str) -> String {
        format!("{{\"type\": \"Polygon\", \"coordinates\": [{rings}]}}")
    }

    fn marked(text: &str, size: [usize; 2]) -> Vec<bool> {
        let mut marks = vec![false; size[0] * size[1]];
        parse(text)
            .unwrap()
            .mark([0.0, 0.0], [1.0, 1.0], size[0], &mut marks);
        marks
    }

    #[test]
    fn points_inside_polygons_and_outside_their_holes_are_marked() {
        let text = polygon(
            "[[0.5, 0.5], [6.5, 0.5], [6.5, 5.5], [0.5, 5.5], [0.5, 0.5]], [[2.5, 1.5], [4.5, 1.5], [4.5, 3.5], [2.5, 1.5]]",
        );
        let marks = marked(&text, [8, 7]);
        for (at, found) in marks.iter().enumerate() {
            let (x, y) = (at % 8, at / 8);
            let outer = (1..=6).contains(&x) && (1..=5).contains(&y);
            // The hole is below the diagonal from (2.5, 1.5) to (4.5, 3.5).
            let hole = [(3, 2), (4, 2), (4, 3)].contains(&(x, y)) && (y as f64 - 1.5) <= (x as f64 - 2.5);
            let hole = hole && !(x == 3 && y == 2 && (y as f64 - 1.5) > (x as f64 - 2.5));
            assert_eq!(*found, outer && !hole, "({x}, {y})");
        }
    }

    #[test]
    fn neighbouring_areas_share_no_point() {
        // Two halves of a square whose common edge runs through points.
        let west = polygon("[[0, 0], [3, 0], [6, 6], [0, 6], [0, 0]]");
        let east = polygon("[[6, 6], [3, 0], [6, 0], [6, 6]]");
        let [west, east] = [west, east].map(|text| marked(&text, [7, 7]));
        for (at, (west, east)) in west.iter().zip(&east).enumerate() {
            let (x, y) = (at % 7, at / 7);
            assert_eq!(
                *west as u32 + *east as u32,
                u32::from(x < 6 && y < 6),
                "({x}, {y})"
            );
        }
        assert!(west.iter().filter(|mark| **mark).count() > 20, "control");
    }

    #[test]
    fn collections_and_codes_are_read() {
        let feature = |geometry: &str| {
            format!("{{\"type\": \"Feature\", \"properties\": {{}}, \"geometry\": {geometry}}}")
        };
        let square = polygon("[[0, 0, 9], [1, 0, 9], [1, 1, 9], [0, 0, 9]]");
        let of = |features: &str, crs: &str| {
            parse(&format!(
                "{{\"type\": \"FeatureCollection\", {crs} \"features\": [{features}]}}"
            ))
        };
        let named = |name: &str| {
            format!("\"crs\": {{\"type\": \"name\", \"properties\": {{\"name\": \"{name}\"}}}},")
        };
        let two = format!("{}, {}", feature(&square), feature(&square));
        let areas = of(&two, &named("urn:ogc:def:crs:EPSG::32633")).unwrap();
        assert_eq!((areas.polygons.len(), areas.code), (2, Some(32633)));
        let lonlat = of(&two, &named("urn:ogc:def:crs:OGC:1.3:CRS84")).unwrap();
        assert_eq!(lonlat.code, Some(4326));
        assert_eq!(of(&two, "").unwrap().code, None);
        assert_eq!(of("", "").unwrap_err(), "it has no polygons");
        let line = "{\"type\": \"LineString\", \"coordinates\": [[0, 0], [1, 1]]}";
        assert!(of(&feature(line), "").unwrap_err().contains("a LineString"));
        let open = polygon("[[0, 0], [1, 0], [1, 1], [0, 1]]");
        assert!(
            of(&feature(&open), "")
                .unwrap_err()
                .contains("end where it begins")
        );
        assert!(parse("{\"type\": \"Polyg").unwrap_err().contains("no GeoJSON"));
    }
}
