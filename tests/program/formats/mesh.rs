//! A triangle mesh from a PLY, and what makes it a surface.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub positions: Vec<[f64; 3]>,
    pub normals: Vec<[f64; 3]>,
    pub velocities: Vec<[f64; 3]>,
    /// From 0 to 255.
    pub colours: Vec<[f64; 3]>,
    pub corners: Vec<[usize; 3]>,
}

/// The measures of a mesh that is a surface.
#[derive(Debug)]
pub struct Surface {
    pub area: f64,
    pub volume: f64,
    /// Edges of one triangle alone.
    pub ends: Vec<[usize; 2]>,
    /// Triangles whose normal is opposite to those of their vertices.
    pub against: usize,
    pub smallest: f64,
}

/// Reads a binary PLY of triangles.
pub fn mesh(path: &Path) -> Mesh {
    let bytes = fs::read(path).unwrap();
    let end = b"end_header\n";
    let at = bytes.windows(end.len()).position(|part| part == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..at]).unwrap();
    let (mut counts, mut properties) = (HashMap::new(), Vec::new());
    for line in header.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["element", name, count] => drop(counts.insert(name, count.parse::<usize>().unwrap())),
            ["property", "list", "uchar", "int", "vertex_indices"] => assert!(counts.contains_key("face")),
            ["property", kind, name] => properties.push((kind, name)),
            _ => {}
        }
    }
    let mut mesh = Mesh::default();
    let mut rest = &bytes[at..];
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at(length);
        rest = left;
        taken
    };
    for _ in 0..counts["vertex"] {
        let mut values = HashMap::new();
        for (kind, name) in &properties {
            let value = match *kind {
                "float" => f64::from(f32::from_le_bytes(take(4).try_into().unwrap())),
                "uchar" => f64::from(take(1)[0]),
                other => panic!("{other}"),
            };
            values.insert(*name, value);
        }
        let add = |names: [&str; 3], list: &mut Vec<[f64; 3]>| {
            if values.contains_key(names[0]) {
                list.push(names.map(|name| values[name]));
            }
        };
        add(["x", "y", "z"], &mut mesh.positions);
        add(["nx", "ny", "nz"], &mut mesh.normals);
        add(["velocity_x", "velocity_y", "velocity_z"], &mut mesh.velocities);
        add(["red", "green", "blue"], &mut mesh.colours);
    }
    for _ in 0..counts["face"] {
        assert_eq!(take(1), [3]);
        let corners = take(12).chunks_exact(4);
        let corners: Vec<usize> = corners
            .map(|word| i32::from_le_bytes(word.try_into().unwrap()) as usize)
            .collect();
        mesh.corners.push(corners.try_into().unwrap());
    }
    assert!(rest.is_empty());
    mesh
}

pub fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Measures a mesh. It must be finite, with vertices that all have triangles, unit normals, triangles with an area, and
/// edges that belong to one triangle or to two of opposite directions.
pub fn audit(mesh: &Mesh) -> Result<Surface, String> {
    let numbers = mesh.positions.iter().chain(&mesh.normals).chain(&mesh.velocities);
    if !numbers.flatten().all(|number| number.is_finite()) {
        return Err("not finite".to_owned());
    }
    if mesh
        .normals
        .iter()
        .any(|normal| (length(*normal) - 1.0).abs() > 1e-5)
    {
        return Err("a normal without unit length".to_owned());
    }
    let mut used = vec![false; mesh.positions.len()];
    let mut edges: HashMap<[usize; 2], usize> = HashMap::new();
    let mut surface = Surface {
        area: 0.0,
        volume: 0.0,
        ends: Vec::new(),
        against: 0,
        smallest: f64::INFINITY,
    };
    for corners in &mesh.corners {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner]);
        let across = cross(minus(b, a), minus(c, a));
        let area = length(across) / 2.0;
        surface.area += area;
        surface.volume += dot(a, across) / 6.0;
        surface.smallest = surface.smallest.min(area);
        let facing = corners.iter().map(|corner| dot(mesh.normals[*corner], across));
        surface.against += usize::from(facing.sum::<f64>() <= 0.0);
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            used[corners[from]] = true;
            *edges.entry([corners[from], corners[to]]).or_default() += 1;
        }
    }
    if let Some(vertex) = used.iter().position(|used| !used) {
        return Err(format!("vertex {vertex} has no triangle"));
    }
    if surface.smallest <= 0.0 {
        return Err("a triangle has no area".to_owned());
    }
    if let Some((edge, _)) = edges.iter().find(|(_, count)| **count > 1) {
        return Err(format!("edge {edge:?} has two triangles of one direction"));
    }
    surface.ends = edges.into_keys().collect();
    let all: std::collections::HashSet<[usize; 2]> = surface.ends.iter().copied().collect();
    surface.ends.retain(|[from, to]| !all.contains(&[*to, *from]));
    Ok(surface)
}
