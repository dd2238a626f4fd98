//! Closed triangle meshes.

use std::collections::HashMap;
use std::path::Path;

use crate::particles::files::{Soup, obj, ply, stl, whole};
use crate::particles::placing::Placing;

/// Triangles with an even number of them at each edge, as a closed surface has two.
#[derive(Debug, Clone)]
pub struct Mesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// Reads a mesh from a file with the extension `.obj`, `.ply` or `.stl`.
pub fn read_mesh(path: &Path) -> Result<Mesh, String> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let soup = match ending.to_ascii_lowercase().as_str() {
        "obj" => obj::read(&whole(path)?),
        "ply" => ply::mesh(&whole(path)?),
        "stl" => stl::read(&whole(path)?),
        _ => Err("supported meshes are .obj, .ply and .stl files".into()),
    }?;
    Mesh::new(soup)
}

impl Mesh {
    /// Merges vertices at equal positions, drops degenerate triangles, and checks that the rest is closed.
    pub fn new(soup: Soup) -> Result<Mesh, String> {
        let mut numbers = HashMap::with_capacity(soup.vertices.len());
        let mut vertices = Vec::with_capacity(soup.vertices.len());
        let mut welded = Vec::with_capacity(soup.vertices.len());
        for place in &soup.vertices {
            // A sum with 0 makes 0 of -0.
            let key = place.map(|x| (x + 0.0).to_bits());
            let number = *numbers.entry(key).or_insert_with(|| {
                vertices.push(*place);
                vertices.len() as u32 - 1
            });
            welded.push(number);
        }
        let triangles: Vec<[u32; 3]> = soup
            .triangles
            .iter()
            .map(|corners| corners.map(|corner| welded[corner as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        if triangles.is_empty() {
            return Err("it has no triangles".into());
        }
        let mesh = Mesh { vertices, triangles };
        mesh.check_closed()?;
        Ok(mesh)
    }

    fn check_closed(&self) -> Result<(), String> {
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(3 * self.triangles.len());
        for [a, b, c] in &self.triangles {
            edges.extend([(a, b), (b, c), (c, a)].map(|(p, q)| (*p.min(q), *p.max(q))));
        }
        edges.sort_unstable();
        let mut open = edges
            .chunk_by(|a, b| a == b)
            .filter(|same| !same.len().is_multiple_of(2));
        let Some(first) = open.next() else {
            return Ok(());
        };
        let [p, q] = [first[0].0, first[0].1].map(|vertex| {
            let [x, y, z] = self.vertices[vertex as usize];
            format!("({x}, {y}, {z})")
        });
        let more = match open.count() {
            0 => String::new(),
            1 => " (and 1 more edge is wrong)".into(),
            count => format!(" (and {count} more edges are wrong)"),
        };
        let wall = match first.len() {
            1 => "one triangle, not two".into(),
            count => format!("{count} triangles, not two"),
        };
        Err(format!(
            "it is not closed: the edge from {p} to {q} belongs to {wall}{more}"
        ))
    }

    /// The transformed mesh; the error is a vertex whose coordinates are not finite as 32-bit floats.
    pub fn placed(mut self, placing: &Placing) -> Result<Mesh, String> {
        for vertex in &mut self.vertices {
            let of_file = *vertex;
            *vertex = placing.apply(of_file);
            if !vertex.iter().all(|x| (*x as f32).is_finite()) {
                let [[x, y, z], [u, v, w]] = [of_file, *vertex];
                return Err(format!(
                    "its corner ({x:?}, {y:?}, {z:?}) lies at ({u:?}, {v:?}, {w:?}) m, beyond the range of floats"
                ));
            }
        }
        Ok(self)
    }

    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Lower and upper corner of its bounding box.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let start = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let corners = self.triangles.iter().flatten();
        corners.fold(start, |[low, high], corner| {
            let place = self.vertices[*corner as usize];
            [
                [0, 1, 2].map(|axis| low[axis].min(place[axis])),
                [0, 1, 2].map(|axis| high[axis].max(place[axis])),
            ]
        })
    }
}
