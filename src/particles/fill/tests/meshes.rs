//! Fills of closed meshes.

use super::*;

#[test]
fn meshes_are_filled_where_they_wind_about_a_point() {
    let torus = |u: f64, v: f64| {
        let (s, c) = (TAU * u).sin_cos();
        let (t, d) = (TAU * v).sin_cos();
        [(2.0 + 0.7 * d) * c, (2.0 + 0.7 * d) * s, 0.7 * t]
    };
    let torus = tube(24, 12, torus);
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
fn the_volume_is_that_of_the_mesh_but_for_its_surface() {
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
fn the_bunny_has_its_volume() {
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
fn lettering_is_closed_and_four_units_wide() {
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
fn lines_through_edges_and_corners_do_not_miscount() {
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
fn tetrahedra_on_the_lattice_hold_their_inner_points() {
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
fn how_the_rows_are_cut_makes_no_difference() {
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
fn a_shell_within_another_is_a_cavity() {
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
