use std::collections::HashSet;
use std::f64::consts::TAU;
use std::path::Path;

use super::*;
use crate::particles::files::Soup;
use crate::particles::placing::Placing;
use crate::particles::random::pcg4d;

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

/// How often a surface winds about a point, from the solid angles of its triangles (Van Oosterom & Strackee 1983, "The
/// Solid Angle of a Plane Triangle", IEEE Transactions on Biomedical Engineering 30(2)).
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
fn meshes_fill_points_of_nonzero_winding_number() {
    let torus = |u: f64, v: f64| {
        let (s, c) = (TAU * u).sin_cos();
        let (t, d) = (TAU * v).sin_cos();
        [(2.0 + 0.7 * d) * c, (2.0 + 0.7 * d) * s, 0.7 * t]
    };
    let torus = tube(40, 20, torus);
    assert!(assert_is_where_it_winds(&torus, 0.21) > 900);
    let tilted = torus
        .placed(&Placing::new([1.0; 3], [33.0, 21.0, 5.0], [4.0, 5.0, 6.0]))
        .unwrap();
    assert!(assert_is_where_it_winds(&tilted, 0.23) > 700);
    // The lines along z through the poles, where all sides of the ball meet.
    assert!(assert_is_where_it_winds(&ball(1.0, 24, 11), 2.0 / 15.0) > 1000);
    assert!(assert_is_where_it_winds(&ball(1.0, 7, 5), 2.0 / 21.0) > 1000);
}

#[test]
fn filled_volume_matches_the_mesh_volume() {
    for mesh in [ball(1.0, 200, 100), ball(0.5, 17, 9)] {
        let volume = volume(&mesh);
        for cells in [20.0, 41.0, 100.0] {
            let spacing = volume.cbrt() / cells;
            let count = filled(&Solid::Mesh(mesh.clone()), spacing).len() as f64;
            let error = count * spacing.powi(3) / volume - 1.0;
            // Points near the surface, 6 cells² of them or so, fall to either side at random.
            assert!(
                error.abs() < 4.0 * (6.0 * cells * cells).sqrt() / cells.powi(3),
                "{cells}: {error}"
            );
        }
    }
}

#[test]
fn bunny_fills_its_volume() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/assets/bunny.obj");
    let mesh = read_mesh(&path).unwrap();
    assert_eq!(mesh.triangles().len(), 3674);
    let volume = volume(&mesh);
    assert!((volume - 194.288).abs() < 1e-3, "{volume}");
    let points = filled(&Solid::Mesh(mesh.clone()), 0.1);
    assert!(
        (points.len() as f64 * 1e-3 / volume - 1.0).abs() < 2e-3,
        "{}",
        points.len()
    );
    for (number, point) in points.iter().enumerate().step_by(997) {
        assert!((winding(&mesh, *point) - 1.0).abs() < 1e-6, "{number} {point:?}");
    }
}

#[test]
fn lettering_mesh_is_closed_and_four_units_wide() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/assets/lettering.obj");
    let mesh = read_mesh(&path).unwrap();
    let [low, high] = mesh.bounds();
    assert_eq!(low, [0.0; 3]);
    assert_eq!(high[1..], [0.25, 1.0]);
    assert!((3.5..4.5).contains(&high[0]), "{high:?}");
    let count = filled(&Solid::Mesh(mesh.clone()), 1.0 / 64.0).len();
    let error = count as f64 / 64f64.powi(3) / volume(&mesh) - 1.0;
    assert!(error.abs() < 1e-2, "{error}");
}

#[test]
fn rays_through_edges_and_corners_count_once() {
    // The corners of an octahedron lie on lines of the lattice, and its edges in planes of them.
    let reach = 5.25;
    let vertices: Vec<Point> = (0..6)
        .map(|corner| {
            let mut vertex = [0.0; 3];
            vertex[corner / 2] = if corner % 2 == 0 { reach } else { -reach };
            vertex
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..8)
        .map(|octant| [octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2)])
        .collect();
    let octahedron = mesh(&vertices, &triangles).unwrap();
    let points = filled(&Solid::Mesh(octahedron), 1.0);
    let mut wanted = Vec::new();
    for x in -5i32..=5 {
        for y in -5i32..=5 {
            let left = 5 - x.abs() - y.abs();
            wanted.extend((-left..=left).map(|z| [f64::from(x), f64::from(y), f64::from(z)]));
        }
    }
    assert_eq!(keys(&points, 1.0), keys(&wanted, 1.0));

    // A cube of 4 whose faces are cut at every half: lines run through corners and along edges of its triangles.
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..6 {
        let (axis, at) = (side / 2, f64::from(side as u32 % 2) * 4.0);
        for i in 0..8u32 {
            for j in 0..8u32 {
                let place = |i: u32, j: u32| {
                    let mut place = [at; 3];
                    place[(axis + 1) % 3] = f64::from(i) * 0.5;
                    place[(axis + 2) % 3] = f64::from(j) * 0.5;
                    place
                };
                let first = vertices.len() as u32;
                vertices.extend([place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)]);
                triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    let cube = mesh(&vertices, &triangles).unwrap();
    assert_eq!(
        cube.vertices().len(),
        6 * 49 + 12 * 7 + 8,
        "corners at one place are one"
    );
    assert_eq!(filled(&Solid::Mesh(cube), 1.0).len(), 64);
}

/// Bodies whose corners all lie on the lattice: every line runs through corners, edges or faces of some.
#[test]
fn lattice_aligned_tetrahedra_fill_their_interior() {
    let mut inner_points = 0;
    for case in 0..300 {
        let corner = |number: u32| pcg4d([case, number, 0, 1]).map(|bits| f64::from(bits % 9));
        let corners: [Point; 4] = [0, 1, 2, 3].map(|number| {
            let [x, y, z, _] = corner(number);
            [x, y, z]
        });
        let from = |p: Point, q: Point| [0, 1, 2].map(|axis| q[axis] - p[axis]);
        // Six times the signed volume of the tetrahedron with one corner replaced: exact for such numbers.
        let part = |point: Point, instead: usize| {
            let mut c = corners;
            c[instead] = point;
            determinant(from(c[0], c[1]), from(c[0], c[2]), from(c[0], c[3]))
        };
        let whole = part(corners[0], 0);
        let triangles = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let body = match mesh(&corners, &triangles) {
            Ok(body) if whole != 0.0 => body,
            _ => continue,
        };
        // Points at halves or quarters.
        let solid = Solid::Mesh(body);
        let Ok(fill) = Fill::new(&solid, 0.5) else {
            continue;
        };
        let found = keys(&filled(&solid, 0.5), 0.5);
        for point in lattice(&fill) {
            let parts = [0, 1, 2, 3].map(|instead| part(point, instead) * whole.signum());
            let inner = parts.iter().all(|part| *part > 0.0);
            let outer = parts.iter().any(|part| *part < 0.0);
            let is_found = found.contains(&point.map(|x| (x * 128.0).round() as i64));
            assert!(
                (!inner || is_found) && (!outer || !is_found),
                "{case}: {point:?} {parts:?}"
            );
            inner_points += usize::from(inner);
        }
    }
    assert!(inner_points > 10_000, "{inner_points}");
}

#[test]
fn fill_is_independent_of_row_partition() {
    let solid = Solid::Mesh(ball(1.0, 24, 12));
    let fill = Fill::new(&solid, 0.1).unwrap();
    let rows = fill.lattice.rows();
    let spans = |cuts: &[u32]| {
        let mut all = Vec::new();
        for ends in cuts.windows(2) {
            fill.visit(ends[0]..ends[1], |row, spans| all.push((row, spans.to_vec())));
        }
        all
    };
    let whole = spans(&[0, rows]);
    assert_eq!(whole.len(), rows as usize);
    assert_eq!(spans(&[0, 1, 2, 7, 8, rows - 1, rows]), whole);
    assert_ne!(spans(&[0, 1, 2, 7, 8, rows - 1]), whole);
}

#[test]
fn nested_shell_is_a_cavity() {
    let [outer, inner] = [ball(1.0, 30, 20), ball(0.5, 30, 20)];
    let mut vertices = outer.vertices().to_vec();
    let mut triangles = outer.triangles().to_vec();
    let first = vertices.len() as u32;
    vertices.extend(inner.vertices());
    // It does not matter which way they turn.
    triangles.extend(
        inner
            .triangles()
            .iter()
            .map(|corners| corners.map(|corner| first + corner)),
    );
    let points = filled(&Solid::Mesh(mesh(&vertices, &triangles).unwrap()), 0.05);
    let distance = |p: &Point| p.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(points.iter().all(|point| (0.47..1.0).contains(&distance(point))));
    let wanted = (volume(&outer) - volume(&inner)) / 0.05f64.powi(3);
    assert!((points.len() as f64 / wanted - 1.0).abs() < 0.02);
}

#[test]
fn open_meshes_are_refused_with_the_location() {
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
fn oversized_fills_are_refused_early() {
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
