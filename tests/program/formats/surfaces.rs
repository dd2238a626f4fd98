//! Isosurfaces as meshes: closed, oriented, as exact as their cells, and equal in all formats.

use std::f64::consts::PI;

use serde_json::{Value, json};

use super::mesh::{Mesh, Surface, audit, length, mesh, minus};
use super::*;

/// The mesh of frame 2 of a run with other settings; `None` where there is no device.
fn made(settings: &[&str]) -> Option<Mesh> {
    let more: Vec<&str> = settings.iter().flat_map(|setting| ["--set", *setting]).collect();
    Some(mesh(&run("surfaces", &more)?.path().join("mesh.0002.ply")))
}

/// The setting of the formula of the values.
fn values(formula: &str) -> String {
    format!("grids.box.channels.value.values={formula}")
}

#[track_caller]
fn closed(mesh: &Mesh) -> Surface {
    let surface = audit(mesh).unwrap();
    assert!(surface.ends.is_empty(), "{} loose edges", surface.ends.len());
    surface
}

/// The values are distances, with second derivatives of up to 1 / (r - h) at an edge: linear interpolation between its ends
/// puts a vertex h^2 / 8 (r - h) beside the sphere at most, and the margin of vertices h / 1024. A triangle with edges of up
/// to sqrt(3) h is up to 3 h^2 / 8 r below it.
#[test]
fn sphere_surface_converges_with_second_order() {
    const R: f64 = 0.31;
    let mut errors = Vec::new();
    for n in [12, 24, 48] {
        let Some(mesh) = made(&[&format!("n={n}")]) else {
            return;
        };
        let (surface, h) = (closed(&mesh), 1.0 / f64::from(n));
        assert_eq!(surface.against, 0);
        assert_eq!(
            mesh.positions.len() + mesh.corners.len(),
            mesh.corners.len() / 2 * 3 + 2,
            "Euler's formula"
        );
        let centre = [0.5, 0.47, 0.52];
        let beside = h * h / (8.0 * (R - h)) + h / 1024.0;
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let from_centre = minus(*position, centre);
            let r = length(from_centre);
            assert!((r - R).abs() < beside, "{r}");
            let away = minus(*normal, from_centre.map(|part| part / r));
            assert!(length(away) < 0.3 * (h / R).powi(2), "{away:?}");
        }
        let error = [
            4.0 * PI * R * R - surface.area,
            4.0 / 3.0 * PI * R.powi(3) - surface.volume,
        ];
        assert!(
            error[0].abs() < 4.0 * PI * h * h && error[1].abs() < 2.0 * PI * R * h * h,
            "{error:?}"
        );
        errors.push(error);
    }
    for pair in errors.windows(2) {
        let ratios = [pair[0][0] / pair[1][0], pair[0][1] / pair[1][1]];
        assert!(
            ratios.iter().all(|ratio| (3.6..4.4).contains(ratio)),
            "{ratios:?}"
        );
    }
}

/// Velocities and colours are linear in these positions, so their interpolation is exact.
#[test]
fn vertices_have_the_velocities_and_colours_of_the_grid() {
    let Some(mesh) = made(&[]) else { return };
    for (number, [x, y, z]) in mesh.positions.iter().enumerate() {
        let away = minus(mesh.velocities[number], [0.5 - y, x - 0.5, 2.0]);
        assert!(length(away) < 1e-6, "{away:?}");
        let away = minus(mesh.colours[number], [x, y, z].map(|part| (255.0 * part).round()));
        assert!(length(away) <= 1.0, "{away:?}");
    }
    let inner = made(&["mesh.attributes=inside"]).unwrap();
    assert_eq!(inner.positions, mesh.positions);
    let h = 1.0 / 24.0;
    for (number, [x, y, _]) in inner.positions.iter().enumerate() {
        let away = minus(inner.velocities[number], [0.5 - y, x - 0.5, 2.0]);
        assert!(length(away) <= h, "{away:?}");
    }
    assert_ne!(inner.velocities, mesh.velocities, "control");
}

#[test]
fn empty_and_full_fields_have_no_surface_inside() {
    let Some(empty) = made(&[&values("1")]) else {
        return;
    };
    assert!(empty.positions.is_empty() && empty.corners.is_empty());
    let open = made(&[&values("-1"), "mesh.ends=open"]).unwrap();
    assert!(open.positions.is_empty() && open.corners.is_empty());
    // Closed: the sides of the grid, with the edges cut off.
    let full = made(&[&values("-1")]).unwrap();
    let surface = closed(&full);
    let cut = 1.5 / (24.0 * 24.0);
    assert!((1.0 - cut..1.0).contains(&surface.volume), "{surface:?}");
    for axis in 0..3 {
        let along = full.positions.iter().map(|position| position[axis]);
        assert_eq!(along.clone().fold(f64::INFINITY, f64::min), 0.0);
        assert_eq!(along.fold(f64::NEG_INFINITY, f64::max), 1.0);
    }
}

#[test]
fn surface_that_leaves_the_grid_is_closed_or_ends_at_the_outermost_centres() {
    let half = values("sqrt(x^2 + (y - 0.5)^2 + (z - 0.5)^2) - 0.31");
    let Some(capped) = made(&[&half]) else { return };
    let (surface, h) = (closed(&capped), 1.0 / 24.0);
    let volume = 2.0 / 3.0 * PI * 0.31_f64.powi(3);
    // The edge of the cap is cut off.
    assert!((surface.volume / volume - 1.0).abs() < 0.03, "{surface:?}");
    assert!(capped.positions.iter().all(|position| position[0] >= 0.0));
    let open = made(&[&half, "mesh.ends=open"]).unwrap();
    let surface = audit(&open).unwrap();
    assert!(!surface.ends.is_empty());
    for vertex in surface.ends.iter().flatten() {
        assert!((open.positions[*vertex][0] - h / 2.0).abs() < 1e-6);
    }
}

#[test]
fn level_at_values_of_cells_gives_triangles_with_an_area() {
    // A plane through centres, and steps of distance: many values are exactly the level.
    let Some(plane) = made(&["n=25", &values("x - 0.5"), "mesh.ends=open"]) else {
        return;
    };
    let surface = audit(&plane).unwrap();
    assert!((surface.area - 0.96 * 0.96).abs() < 1e-5, "{surface:?}");
    for position in &plane.positions {
        assert!((position[0] - 0.5).abs() < 1.01 / (25.0 * 1024.0));
    }
    let steps = made(&[&values(
        "round(12 * (sqrt((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2) - 0.3))",
    )])
    .unwrap();
    assert!(closed(&steps).smallest > 1e-12);
    // The level and its side, of the same values.
    let above = made(&[
        &values("7 - x"),
        "mesh.level=6.5",
        "mesh.side=above",
        "n=25",
        "mesh.ends=open",
    ])
    .unwrap();
    assert_eq!(above.corners, plane.corners);
}

/// Values without any smoothness: every case of a cube occurs, with the ambiguous ones.
#[test]
fn surface_of_noise_is_closed() {
    let Some(mesh) = made(&[
        &values("sin(1e4 * (x + 7.1 * y + 3.7 * z + 11 * x * y + 5 * y * z))"),
        "mesh.capacity.vertices=40000",
    ]) else {
        return;
    };
    assert!(mesh.corners.len() > 20_000, "{}", mesh.corners.len());
    closed(&mesh);
}

#[test]
fn nan_is_outside() {
    let Some(whole) = made(&[]) else { return };
    let holed = made(&["spoilt=[12, 11, 12]"]).unwrap();
    let volumes = [&whole, &holed].map(|mesh| closed(mesh).volume);
    assert!(
        (volumes[0] - volumes[1]).abs() < 1e-6 * 24.0_f64.powi(-3),
        "{volumes:?}"
    );
    // An octahedron with a vertex on each edge of this centre, next to it.
    assert_eq!(holed.positions.len(), whole.positions.len() + 6);
    assert_eq!(holed.corners.len(), whole.corners.len() + 8);
}

#[test]
fn control_broken_meshes_are_detected() {
    let Some(good) = made(&["n=12"]) else { return };
    closed(&good);
    let mut flipped = good.clone();
    flipped.corners[7].swap(0, 1);
    assert!(
        audit(&flipped)
            .unwrap_err()
            .contains("two triangles of one direction")
    );
    let mut missing = good.clone();
    missing.corners.remove(7);
    assert_eq!(audit(&missing).unwrap().ends.len(), 3);
    let mut inward = good.clone();
    inward.corners.iter_mut().for_each(|corners| corners.swap(0, 1));
    let surface = audit(&inward).unwrap();
    assert!(surface.volume < 0.0 && surface.against == good.corners.len());
    let mut flat = good.clone();
    flat.positions[flat.corners[7][0]] = flat.positions[flat.corners[7][1]];
    assert!(audit(&flat).unwrap_err().contains("no area"));
    let mut loose = good.clone();
    loose.positions.push([0.0; 3]);
    loose.normals.push([0.0, 0.0, 1.0]);
    assert!(audit(&loose).unwrap_err().contains("has no triangle"));
}

/// The bytes of all frames of a run.
fn frames(more: &[&str]) -> Option<Vec<Vec<u8>>> {
    let out = run(
        "surfaces",
        &[more, &["--set", "rate=0.01", "--frames", "4"]].concat(),
    )?;
    let file = |frame: u64| fs::read(out.path().join(format!("mesh.{frame:04}.ply"))).ok();
    Some((1..=4).filter_map(file).collect())
}

/// The surface grows, so that frames have different numbers of vertices.
#[test]
fn meshes_do_not_depend_on_order_or_on_other_frames() {
    let Some(first) = frames(&[]) else { return };
    assert_ne!(first[1].len(), first[3].len(), "control: the surface grows");
    for more in [&["--shuffle", "3"][..], &["--full-barriers"], &["--checked"]] {
        assert!(frames(more).unwrap() == first, "{more:?}");
    }
    let rare = frames(&["--set", "outputs.mesh.every=3"]).unwrap();
    assert!(rare == [first[2].clone()]);
}

#[test]
fn mesh_without_room_fails_the_run() {
    if !device::is_here() {
        return;
    }
    for (set, room) in [
        ("vertices", "capacity.vertices=100"),
        ("faces", "capacity.faces=100"),
    ] {
        let out = tempfile::tempdir().unwrap();
        let setting = format!("mesh.{room}");
        let output = program(
            "tests/data/formats/surfaces.json",
            out.path(),
            &["--set", &setting],
        )
        .output()
        .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(
            error.contains(&format!("`mesh.{set}` had no room for")),
            "{error}"
        );
        assert!(
            error.contains("raise its capacity") && !error.contains("another format"),
            "{error}"
        );
        assert!(!out.path().join("mesh.0001.ply").exists());
    }
}

/// Particles on a lattice in a ball of radius r. Weights with the variance h^2 / 4 move the surface inwards by about
/// h^2 / 4r, which is 2.1 % of the volume; triangles take 1.6 % more, as of other spheres.
#[test]
fn surface_around_particles_has_their_volume() {
    let Some(out) = run("blobs", &[]) else { return };
    let surface = closed(&mesh(&out.path().join("mesh.0001.ply")));
    let volume = 4.0 / 3.0 * PI * 0.3_f64.powi(3);
    assert!(
        (0.955..0.97).contains(&(surface.volume / volume)),
        "{}",
        surface.volume / volume
    );
    let repeated = run("blobs", &["--shuffle", "5"]).unwrap();
    let bytes = [&out, &repeated].map(|out| fs::read(out.path().join("mesh.0001.ply")).unwrap());
    assert!(bytes[0] == bytes[1]);
}

/// Blocks without values have the background, which is outside.
#[test]
fn surface_in_a_sparse_grid_does_not_depend_on_paging() {
    let paging = |kind: &str| {
        let setting = format!("grids.box.sparse.paging={kind}");
        let out = run("surfaces_sparse", &["--set", &setting])?;
        let path = out.path().join("mesh.0001.ply");
        Some((fs::read(&path).unwrap(), mesh(&path)))
    };
    let Some((bytes, table)) = paging("table") else {
        return;
    };
    let surface = closed(&table);
    // A ball of 6.2 of 32 cells, as whole cells with their corners cut off.
    let volume = 4.0 / 3.0 * PI * (6.2_f64 / 32.0).powi(3);
    assert!((surface.volume / volume - 1.0).abs() < 0.06, "{surface:?}");
    assert!(paging("dense").unwrap().0 == bytes && paging("auto").unwrap().0 == bytes);
}

/// The rows of a list of vectors.
fn rows(list: &[[f64; 3]]) -> Value {
    json!(list)
}

#[test]
#[ignore = "long: VTK"]
fn meshes_are_read_by_vtk_from_all_formats() {
    if !has_module("vtk") {
        return;
    }
    let plain = r#"["mesh.vertices.position", "mesh.vertices.normal"]"#;
    let output = |name: &str, source: &str| {
        format!(r#"outputs.{name}={{"source": {source}, "faces": "mesh.faces.corners", "format": "{name}"}}"#)
    };
    let [obj, vtp] = [output("obj", plain), output("vtp", "\"mesh.vertices\"")];
    let Some(out) = run("surfaces", &["--set", &obj, "--set", &vtp]) else {
        return;
    };
    let own = mesh(&out.path().join("mesh.0002.ply"));
    let surface = closed(&own);
    for name in ["mesh.0002.ply", "obj.0002.obj", "vtp.0002.vtp"] {
        let held = &read("vtk_mesh.py", &[out.path().join(name)]).unwrap()[0];
        assert_eq!(difference(&rows(&own.positions), &held["points"]), None, "{name}");
        assert_eq!(difference(&json!(own.corners), &held["corners"]), None, "{name}");
        assert_eq!(difference(&rows(&own.normals), &held["normals"]), None, "{name}");
        assert_eq!(held["loose_edges"], 0, "{name}");
        let [area, volume] = ["area", "volume"].map(|name| held[name].as_f64().unwrap());
        assert!(
            (area / surface.area - 1.0).abs() < 1e-5 && (volume / surface.volume - 1.0).abs() < 1e-5,
            "{name}"
        );
    }
    let facts = &read("vtk_facts.py", &[out.path().join("vtp.0002.vtp")]).unwrap()[0];
    assert_eq!(facts["vectors"], "velocity", "normals are not vectors");
    // Control: a triangle less.
    let ply = out.path().join("mesh.0002.ply");
    let mut bytes = fs::read(&ply).unwrap();
    let (old, new) = (own.corners.len(), own.corners.len() - 1);
    let at = bytes
        .windows(13)
        .position(|part| part == b"element face ")
        .unwrap();
    let header = format!("element face {old}");
    bytes.splice(at..at + header.len(), format!("element face {new}").into_bytes());
    bytes.truncate(bytes.len() - 13);
    fs::write(out.path().join("cut.ply"), bytes).unwrap();
    let held = &read("vtk_mesh.py", &[out.path().join("cut.ply")]).unwrap()[0];
    assert_eq!(held["loose_edges"], 3);
}

#[test]
fn usd_opens_meshes_of_a_run_where_possible() {
    let Some(python) = python_with("pxr", "SASTRUGI_USD_PYTHON") else {
        return;
    };
    let usd = r#"outputs.usd={"source": "mesh.vertices", "faces": "mesh.faces.corners", "format": "usda"}"#;
    let Some(out) = run("surfaces", &["--set", usd, "--set", "rate=0.01"]) else {
        return;
    };
    let scene = read_with(&python, "usd_stage.py", &[out.path().join("scene.usda")])
        .unwrap()
        .remove(0);
    assert_eq!(scene["problems"], json!([]));
    let prim = &scene["prims"]["/run/usd"];
    assert_eq!(prim["type"], "Mesh");
    for frame in 1..=2 {
        let own = mesh(&out.path().join(format!("mesh.{frame:04}.ply")));
        let sample = |name: &str| &prim["attributes"][name]["samples"][frame - 1];
        assert_eq!(difference(&rows(&own.positions), sample("points")), None);
        assert_eq!(difference(&rows(&own.normals), sample("normals")), None);
        assert_eq!(difference(&rows(&own.velocities), sample("velocities")), None);
        let corners: Vec<usize> = own.corners.iter().flatten().copied().collect();
        assert_eq!(difference(&json!(corners), sample("faceVertexIndices")), None);
        assert_eq!(
            difference(&json!(vec![3; own.corners.len()]), sample("faceVertexCounts")),
            None
        );
        assert_eq!(sample("subdivisionScheme"), "none");
    }
    assert_ne!(
        prim["attributes"]["points"]["samples"][0], prim["attributes"]["points"]["samples"][1],
        "control: the surface grows"
    );
}
