//! STL, text or binary: the corners of triangles. Normals, names and attributes are ignored.

use super::soup::Soup;

/// The header and the number of triangles of a binary file, bytes.
const START: usize = 84;
/// A triangle of a binary file: a normal, three corners and an attribute, bytes.
const TRIANGLE: usize = 50;

/// Reads a mesh; the error names the line of a text, or the triangle.
pub fn read(bytes: &[u8]) -> Result<Soup, String> {
    let stated = bytes.get(START - 4..START).map(|count| number(count) as usize);
    let triangles = &bytes[START.min(bytes.len())..];
    // The header of a binary file may begin with `solid`, too.
    match stated {
        Some(count) if count.checked_mul(TRIANGLE) == Some(triangles.len()) => binary(triangles),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => text(bytes),
        Some(count) => Err(format!(
            "a binary STL file of {count} triangles has {} bytes, not {}",
            START as u64 + TRIANGLE as u64 * count as u64,
            bytes.len()
        )),
        None => Err("it is neither a text that begins with `solid` nor a binary STL file".into()),
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn binary(bytes: &[u8]) -> Result<Soup, String> {
    let mut soup = Soup::default();
    for (triangle, data) in (1..).zip(bytes.chunks_exact(TRIANGLE)) {
        for corner in data[12..48].chunks_exact(12) {
            let place = [0, 4, 8].map(|start| f64::from(f32::from_bits(number(&corner[start..start + 4]))));
            if place.iter().any(|x| !x.is_finite()) {
                return Err(format!("triangle {triangle}: a coordinate is not finite"));
            }
            soup.vertices.push(place);
        }
    }
    finished(soup)
}

fn text(bytes: &[u8]) -> Result<Soup, String> {
    let mut soup = Soup::default();
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let on_line = |cause: String| format!("line {line}: {cause}");
        let text = String::from_utf8_lossy(text);
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => {
                let place = super::obj::vertex(&mut words).map_err(on_line)?;
                soup.vertices.push(place);
            }
            Some("endloop") if !soup.vertices.len().is_multiple_of(3) => {
                return Err(on_line("a facet has three vertices".into()));
            }
            _ => {}
        }
    }
    if !soup.vertices.len().is_multiple_of(3) {
        return Err("it ends within a facet".into());
    }
    finished(soup)
}

/// Every three vertices are a triangle.
fn finished(mut soup: Soup) -> Result<Soup, String> {
    let count = u32::try_from(soup.vertices.len()).map_err(|_| "it has more than 2^32 corners")?;
    soup.triangles = (0..count / 3)
        .map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner))
        .collect();
    Ok(soup)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid a b\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\r\n   vertex 0 1e0 \
                        0.5\n  endloop\n endfacet\nendsolid a b\n";

    fn of_one_triangle(header: &[u8], corners: [f32; 9]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(START - 4, 0);
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(
            [0.0; 3]
                .iter()
                .chain(&corners)
                .flat_map(|x: &f32| x.to_le_bytes()),
        );
        bytes.extend([7, 7]);
        bytes
    }

    #[test]
    fn text_and_binary_agree() {
        let soup = read(TEXT.as_bytes()).unwrap();
        assert_eq!(soup.vertices, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]);
        assert_eq!(soup.triangles, [[0, 1, 2]]);
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5];
        for header in [&b"part"[..], b"solid part"] {
            assert_eq!(read(&of_one_triangle(header, corners)).unwrap(), soup);
        }
    }

    #[test]
    fn errors_name_their_place() {
        let mut cut = of_one_triangle(b"part", [0.0; 9]);
        cut.pop();
        let endless = of_one_triangle(b"part", [0.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for (bytes, wanted) in [
            (
                &cut[..],
                "a binary STL file of 1 triangles has 134 bytes, not 133",
            ),
            (&endless, "triangle 1: a coordinate is not finite"),
            (
                b"hello",
                "it is neither a text that begins with `solid` nor a binary STL file",
            ),
            (b"solid\nvertex 0 x 0\n", "line 2: `x` is not a finite number"),
            (
                b"solid\nvertex 0 0 0\nendloop\n",
                "line 3: a facet has three vertices",
            ),
            (b"solid\nvertex 0 0 0\n", "it ends within a facet"),
        ] {
            assert_eq!(read(bytes).unwrap_err(), wanted);
        }
    }
}
