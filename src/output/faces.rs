//! The triangles of a mesh: those of a frame, checked against its vertices.

use std::borrow::Cow;
use std::io;

use super::content::{Content, Faces};
use super::payload::Payload;

/// Bytes of a triangle: three numbers of vertices.
const BYTES: usize = 12;

/// The triangles of one frame, in the machine's byte order.
pub(super) struct Triangles<'a> {
    bytes: Cow<'a, [u8]>,
}

impl Triangles<'_> {
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / BYTES
    }

    /// The numbers of the vertices of each triangle.
    pub(super) fn iter(&self) -> impl Iterator<Item = [u32; 3]> {
        let word = |b: &[u8]| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
        let triangles = self.bytes.chunks_exact(BYTES);
        triangles.map(move |b| [word(&b[..4]), word(&b[4..8]), word(&b[8..])])
    }
}

/// The triangles of a payload with so many vertices; `None` if the content has none.
pub(super) fn triangles<'a>(
    content: &Content,
    payload: &'a dyn Payload,
    vertices: usize,
) -> io::Result<Option<Triangles<'a>>> {
    let Some(faces) = &content.faces else {
        return Ok(None);
    };
    let lists = [content.live, faces.live].into_iter().zip(&faces.sets);
    for (live, name) in lists {
        let refused = live.map_or(0, |part| word(payload.part(part), 1));
        if refused > 0 {
            return Err(invalid(format!(
                "`{name}` had no room for {refused} elements of a mesh, which would have holes: raise its capacity"
            )));
        }
    }
    let whole = payload.part(faces.part);
    let held = (whole.len() / BYTES) as u64;
    let count = faces
        .live
        .map_or(faces.capacity, |part| u64::from(word(payload.part(part), 0)));
    if held < count {
        return Err(invalid(format!(
            "`{}` has {held} triangles instead of {count}",
            faces.sets[1]
        )));
    }
    let triangles = Triangles {
        bytes: Cow::Borrowed(&whole[..count as usize * BYTES]),
    };
    check(&triangles, faces, vertices)?;
    Ok(Some(triangles))
}

fn check(triangles: &Triangles, faces: &Faces, vertices: usize) -> io::Result<()> {
    let is_beyond = |corners: &[u32; 3]| corners.iter().any(|corner| *corner as usize >= vertices);
    match triangles
        .iter()
        .enumerate()
        .find(|(_, corners)| is_beyond(corners))
    {
        None => Ok(()),
        Some((number, corners)) => {
            let [set, list] = &faces.sets;
            Err(invalid(format!(
                "triangle {number} of `{list}` has the vertices {corners:?}, but `{set}` has {vertices}"
            )))
        }
    }
}

/// A word of a part; 0 if it is shorter.
fn word(part: &[u8], number: usize) -> u32 {
    let bytes = part.chunks_exact(4).nth(number);
    bytes.map_or(0, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Format, Scalar};

    fn words(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    fn content() -> Content {
        let mut content = Content::array(Format::Ply, Scalar::F32, 3, &[9]);
        content.live = Some(1);
        content.faces = Some(Faces {
            part: 2,
            live: Some(3),
            capacity: 4,
            sets: ["vertices".to_owned(), "faces".to_owned()],
        });
        content
    }

    fn read(live: [&[u32]; 2], corners: &[u32]) -> Result<Vec<[u32; 3]>, String> {
        let payload = vec![Vec::new(), words(live[0]), words(corners), words(live[1])];
        let found =
            triangles(&content(), &payload, live[0][0] as usize).map_err(|error| error.to_string())?;
        Ok(found.unwrap().iter().collect())
    }

    #[test]
    fn triangles_in_use_are_read_and_others_ignored() {
        let corners = [0, 1, 2, 3, 2, 1, 9, 9, 9];
        assert_eq!(read([&[4, 0], &[2, 0]], &corners), Ok(vec![[0, 1, 2], [3, 2, 1]]));
        assert_eq!(read([&[4, 0], &[0, 0]], &corners), Ok(vec![]));
    }

    #[test]
    fn broken_meshes_are_refused() {
        let corners = [0, 1, 2, 3, 2, 4];
        let beyond = read([&[4, 0], &[2, 0]], &corners).unwrap_err();
        assert!(
            beyond.contains("triangle 1 of `faces` has the vertices [3, 2, 4]"),
            "{beyond}"
        );
        let cut = read([&[4, 7], &[1, 0]], &corners).unwrap_err();
        assert!(cut.contains("`vertices` had no room for 7"), "{cut}");
        let cut = read([&[4, 0], &[1, 5]], &corners).unwrap_err();
        assert!(cut.contains("`faces` had no room for 5"), "{cut}");
        let short = read([&[4, 0], &[3, 0]], &corners).unwrap_err();
        assert!(short.contains("has 2 triangles instead of 3"), "{short}");
    }
}
