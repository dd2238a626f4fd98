use std::collections::HashSet;
use std::f64::consts::TAU;
use std::path::Path;

use super::*;
use crate::particles::files::Soup;
use crate::particles::placing::Placing;
use crate::particles::random::pcg4d;

mod meshes;

type Point = [f64; 3];

fn filled(solid: &Solid, spacing: f64) -> Vec<Point> {
    let fill = Fill::new(solid, spacing).unwrap();
    let points = fill.points(|_, place| place.map(|x| x as f32));
    assert_eq!(points.len() as u64, fill.count());
    points.into_iter().map(|point| point.map(f64::from)).collect()
}

fn mesh(vertices: &[Point], triangles: &[[u32; 3]]) -> Result<Mesh, String> {
    Mesh::new(Soup {
        vertices: vertices.to_vec(),
        triangles: triangles.to_vec(),
    })
}

/// Volume of a mesh whose triangles turn the same way.
fn volume(mesh: &Mesh) -> f64 {
    let of = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| mesh.vertices()[corner as usize]);
        determinant(a, b, c) / 6.0
    };
    mesh.triangles().iter().map(of).sum()
}

fn determinant(a: Point, b: Point, c: Point) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// A surface over a grid of two angles that closes upon itself both ways.
fn tube(around: u32, along: u32, place: impl Fn(f64, f64) -> Point) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..along {
            vertices.push(place(
                f64::from(i) / f64::from(around),
                f64::from(j) / f64::from(along),
            ));
            let at = |i: u32, j: u32| (i % around) * along + j % along;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh(&vertices, &triangles).unwrap()
}

/// A ball of rings about the z axis, with a vertex at each pole.
fn ball(radius: f64, sides: u32, rings: u32) -> Mesh {
    let mut vertices = vec![[0.0, 0.0, -radius]];
    let mut triangles = Vec::new();
    for ring in 1..rings {
        let (sine, cosine) = (0.5 * TAU * f64::from(ring) / f64::from(rings)).sin_cos();
        for side in 0..sides {
            let (y, x) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            vertices.push([radius * sine * x, radius * sine * y, -radius * cosine]);
        }
    }
    vertices.push([0.0, 0.0, radius]);
    let at = |ring: u32, side: u32| match ring {
        0 => 0,
        _ if ring == rings => 1 + (rings - 1) * sides,
        _ => 1 + (ring - 1) * sides + side % sides,
    };
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    mesh(&vertices, &triangles).unwrap()
}

/// Winding number of a surface about a point, from the solid angles of its triangles (Van Oosterom & Strackee 1983,
/// "The Solid Angle of a Plane Triangle", IEEE Transactions on Biomedical Engineering 30(2)).
fn winding(mesh: &Mesh, point: Point) -> f64 {
    let of = |corners: &[u32; 3]| {
        let [a, b, c] =
            corners.map(|corner| [0, 1, 2].map(|axis| mesh.vertices()[corner as usize][axis] - point[axis]));
        let dot = |a: Point, b: Point| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let [l, m, n] = [a, b, c].map(|v| dot(v, v).sqrt());
        let below = l * m * n + dot(a, b) * n + dot(b, c) * l + dot(c, a) * m;
        2.0 * determinant(a, b, c).atan2(below)
    };
    mesh.triangles().iter().map(of).sum::<f64>() / (2.0 * TAU)
}

/// All points of the lattice that a fill looks at.
fn lattice(fill: &Fill) -> Vec<Point> {
    let lattice = &fill.lattice;
    let mut points = Vec::new();
    for x in 0..lattice.points[0] {
        for y in 0..lattice.points[1] {
            for z in 0..lattice.points[2] {
                points.push([lattice.metres(0, x), lattice.metres(1, y), lattice.metres(2, z)]);
            }
        }
    }
    points
}

fn keys(points: &[Point], spacing: f64) -> HashSet<[i64; 3]> {
    let keys: HashSet<[i64; 3]> = points
        .iter()
        .map(|point| point.map(|x| (x / spacing * 64.0).round() as i64))
        .collect();
    assert_eq!(keys.len(), points.len(), "a point occurs twice");
    keys
}

/// Compares a fill with winding numbers, point by point.
fn assert_is_where_it_winds(mesh: &Mesh, spacing: f64) -> usize {
    let solid = Solid::Mesh(mesh.clone());
    let fill = Fill::new(&solid, spacing).unwrap();
    let wanted: Vec<Point> = lattice(&fill)
        .into_iter()
        .filter(|point| winding(mesh, *point).abs() > 0.5)
        .collect();
    assert_eq!(keys(&filled(&solid, spacing), spacing), keys(&wanted, spacing));
    wanted.len()
}

#[test]
fn boxes_fill_with_whole_cells() {
    let solid = Solid::Box([[1.0, 0.0, -0.1], [1.3, 0.2, 0.1]]);
    let points = filled(&solid, 0.1);
    assert_eq!(points.len(), 3 * 2 * 2);
    let wanted = [1.05f32, 1.15, 1.25].map(f64::from);
    for point in &points {
        assert!(wanted.iter().any(|x| (point[0] - x).abs() < 1e-6), "{point:?}");
        assert!((point[2].abs() - 0.05).abs() < 1e-6, "{point:?}");
    }
    // A flat box is one layer; 0.3 / 0.01 is a little less than 30 as numbers go.
    assert_eq!(filled(&Solid::Box([[0.0; 3], [0.3, 0.3, 0.0]]), 0.01).len(), 900);
}

#[test]
fn spheres_fill_points_within_the_radius() {
    for (radius, spacing) in [(1.0, 0.09), (0.5, 0.1), (0.25, 0.1), (0.3, 0.6)] {
        let centre = [0.25, -1.0, 3.0];
        let solid = Solid::Sphere { centre, radius };
        let fill = Fill::new(&solid, spacing).unwrap();
        let distance = |p: &Point| {
            (0..3)
                .map(|axis| (p[axis] - centre[axis]).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        // Points at the very radius may fall to either side.
        let at = |slack: f64| {
            let points = lattice(&fill).into_iter();
            keys(
                &points
                    .filter(|p| distance(p) <= radius + slack)
                    .collect::<Vec<_>>(),
                spacing,
            )
        };
        let found = keys(&filled(&solid, spacing), spacing);
        assert!(
            found.is_subset(&at(1e-9)) && at(-1e-9).is_subset(&found),
            "{radius} {spacing}"
        );
        assert!(!found.is_empty());
    }
}

#[test]
fn open_meshes_are_refused_and_say_where() {
    let ball = ball(1.0, 8, 4);
    let whole = ball.triangles();
    assert!(mesh(ball.vertices(), whole).is_ok());
    let error = mesh(ball.vertices(), &whole[1..]).unwrap_err();
    assert!(
        error.starts_with("it is not closed: the edge from (0, 0, -1) to ("),
        "{error}"
    );
    assert!(
        error.ends_with("belongs to one triangle, not two (and 2 more edges are wrong)"),
        "{error}"
    );
    let thrice = [whole, &whole[..1]].concat();
    let error = mesh(ball.vertices(), &thrice).unwrap_err();
    assert!(error.contains("belongs to 3 triangles, not two"), "{error}");
    // Nothing is left of a triangle with two corners at one place.
    let error = mesh(&[[0.0; 3], [1.0; 3], [0.0; 3]], &[[0, 1, 2]]).unwrap_err();
    assert_eq!(error, "it has no triangles");
}

#[test]
fn too_large_fills_are_refused_before_counting() {
    let unit = Solid::Box([[0.0; 3], [1.0; 3]]);
    let flat = Solid::Box([[0.0; 3], [1.0, 1.0, 1e-6]]);
    let sphere = Solid::Sphere {
        centre: [0.0; 3],
        radius: 1e30,
    };
    for (solid, spacing, wanted) in [
        (
            &unit,
            1e-10,
            "its 1 m along x have 10000000000 points, more than 2^31",
        ),
        (&unit, 1e-4, "more than 2^24 lines"),
        (&flat, 2e-7, "more than 2^24 lines"),
        (&flat, 6e-7, "more than 2^40"),
        (
            &unit,
            1.0 / 1300.0,
            "2197000000 points are inside, more than 2^31",
        ),
        (&sphere, 1.0, "more than 2^31"),
        (&unit, f64::MIN_POSITIVE, "more than 2^31"),
    ] {
        let error = Fill::new(solid, spacing).map(|fill| fill.count()).unwrap_err();
        assert!(error.contains(wanted), "{spacing}: {error}");
    }
    let huge = Solid::Box([[-1e308; 3], [1e308; 3]]);
    assert!(Fill::new(&huge, 1.0).is_err_and(|error| error.contains("beyond the range of floats")));
    let small = Solid::Mesh(ball(1e-3, 8, 4));
    // One point, in the middle.
    assert_eq!(filled(&small, 1.0), [[0.0; 3]]);
    let ring = tube(8, 8, |u, v| {
        let (s, c) = (TAU * u).sin_cos();
        let (t, d) = (TAU * v).sin_cos();
        [(2.0 + 0.2 * d) * c, (2.0 + 0.2 * d) * s, 0.2 * t]
    });
    let error = Fill::new(&Solid::Mesh(ring), 5.0)
        .map(|fill| fill.count())
        .unwrap_err();
    assert_eq!(error, "no point of the lattice is inside");
}
