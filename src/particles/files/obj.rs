//! Wavefront OBJ: the vertices and faces. Everything else, such as normals and materials, is ignored.

use super::soup::Soup;

/// Maximum number of corners of a polygon.
const MAX_CORNERS: usize = 1 << 16;

/// Reads a mesh; the error names the line.
pub fn read(bytes: &[u8]) -> Result<Soup, String> {
    let mut soup = Soup::default();
    let mut corners = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let on_line = |cause: String| format!("line {number}: {cause}");
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let place = vertex(&mut words).map_err(on_line)?;
                soup.vertices.push(place);
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, soup.vertices.len()).map_err(on_line)?);
                }
                if !(3..=MAX_CORNERS).contains(&corners.len()) {
                    return Err(on_line(format!("a face of {} corners", corners.len())));
                }
                soup.polygon(&corners)
                    .map_err(|corner| on_line(format!("there is no vertex {}", u64::from(corner) + 1)))?;
            }
            _ => {}
        }
    }
    if soup.vertices.is_empty() {
        Err("it has no vertices, which are lines that begin with v".into())
    } else {
        Ok(soup)
    }
}

/// Three coordinates.
pub(super) fn vertex<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<[f64; 3], String> {
    let mut place = [0.0; 3];
    for coordinate in &mut place {
        let word = words.next().ok_or("a vertex has three coordinates")?;
        *coordinate = (word.parse().ok())
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("`{word}` is not a finite number"))?;
    }
    Ok(place)
}

/// The index of a vertex from its number in the file: from 1, or negative, counted back from the last vertex. Texture
/// and normal numbers after a slash are ignored.
fn corner(word: &str, known: usize) -> Result<u32, String> {
    let text = word.split('/').next().unwrap_or(word);
    let number: i64 = text
        .parse()
        .map_err(|_| format!("`{word}` is not the number of a vertex"))?;
    let from_zero = match number {
        0 => None,
        1.. => Some(number - 1),
        _ => (known as i64).checked_add(number).filter(|number| *number >= 0),
    };
    from_zero
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| format!("there is no vertex {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obj_faces_are_triangulated() {
        let text = "# a comment\nv 0 0 0\nv 1 0 0 1\nv 1 1 0\r\nv 0 1e0 0\nvn 0 0 1\nf 1/1/1 2//1 3 4/2\nf -4 -3 -2\n";
        let soup = read(text.as_bytes()).unwrap();
        assert_eq!(soup.vertices.len(), 4);
        assert_eq!(soup.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
    }

    #[test]
    fn obj_errors_name_their_line() {
        for (text, wanted) in [
            ("v 0 0\n", "line 1: a vertex has three coordinates"),
            ("v 0 0 0\nv 0 nan 0\n", "line 2: `nan` is not a finite number"),
            ("v 0 0 0\nv 0 x 0\n", "line 2: `x` is not a finite number"),
            ("v 0 0 0\nf 1 1 2\n", "line 2: there is no vertex 2"),
            ("v 0 0 0\nf 1 1 0\n", "line 2: there is no vertex 0"),
            ("v 0 0 0\nf 1 1 -2\n", "line 2: there is no vertex -2"),
            ("v 0 0 0\nf 1 1\n", "line 2: a face of 2 corners"),
            (
                "v 0 0 0\nf 1 1 99999999999\n",
                "line 2: there is no vertex 99999999999",
            ),
            ("hello", "it has no vertices, which are lines that begin with v"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), wanted);
        }
    }
}
