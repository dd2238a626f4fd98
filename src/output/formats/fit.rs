//! Requirements of formats on their contents: `None` if the content fits.

use super::super::content::{Column, Content, Geometry, Scalar};

/// Pictures: one layer of a lattice.
pub(super) fn picture(content: &Content) -> Option<String> {
    if !matches!(content.shape.len(), 2 | 3) || matches!(content.geometry, Geometry::Particles { .. }) {
        return Some("it requires a height and a width: choose npy".to_owned());
    }
    let Some([across, up]) = content.picture_axes() else {
        return Some("it requires a height and a width: choose a `region` one cell thick, or npy".to_owned());
    };
    let selected = content.selected();
    let fits = |side: &u64| (1..=i32::MAX as u64).contains(side);
    if [selected[across], selected[up]].iter().all(fits) {
        None
    } else {
        Some("it requires a height and a width of 1 to 2147483647: choose npy".to_owned())
    }
}

/// Pictures of one field.
pub(super) fn single_picture(content: &Content) -> Option<String> {
    picture(content).or_else(|| {
        (content.columns.len() != 1)
            .then(|| "it contains a single field: choose one field, or exr for several".to_owned())
    })
}

/// Pictures of numbers in the colours of a map.
pub(super) fn colours(content: &Content) -> Option<String> {
    let (column, style) = (&content.columns[0], &content.style);
    let reason = match style.range {
        _ if column.scalar == Scalar::Colour => "an rgba8 image has colours of its own: remove `colormap`",
        _ if column.components != 1 => "a colour map is for one number per pixel: choose exr or npy",
        _ if style.bits != 8 => "colours have 8 bits per channel: remove `bits`",
        None => "a colour map requires a `range` [low, high]: add one",
        Some([low, high]) if low >= high => "the range of a colour map must ascend: swap its ends",
        Some(_) => return None,
    };
    Some(reason.to_owned())
}

/// Points with positions, up to so many.
pub(super) fn points(content: &Content, most: u64) -> Option<String> {
    position(content, most).err()
}

/// The column with the positions of points, or the reason why there are none.
pub(super) fn position(content: &Content, most: u64) -> Result<usize, String> {
    let position = match content.geometry {
        Geometry::Particles {
            position: Some(position),
        } if position < content.columns.len() => position,
        Geometry::Particles { .. } => {
            return Err(
                "it contains points, but no positions are written: write the whole set with the positions in \
                 `fields`, or name the vec3 attribute in `position`"
                    .to_owned(),
            );
        }
        _ => {
            return Err("it contains points: choose vti or vdb for grids, npz for anything else".to_owned());
        }
    };
    let column = &content.columns[position];
    if column.scalar != Scalar::F32 || column.components != 3 {
        return Err(format!("the positions, `{}`, are not of type vec3", column.name));
    }
    match content.elements() {
        Some(elements) if elements <= most => Ok(position),
        _ => Err(format!(
            "it contains at most {most} points: choose vtp, or write fewer with `stride`"
        )),
    }
}

/// True for the normals of a mesh's vertices.
pub(super) fn is_normal(column: &Column) -> bool {
    column.label == "normal" && column.scalar == Scalar::F32 && column.components == 3
}

/// Cells of grids, or of vertices.
pub(super) fn lattice(content: &Content) -> Option<String> {
    match content.geometry {
        Geometry::Cells { .. } | Geometry::Vertices { .. } => sides(content),
        _ => Some("it contains only grids: choose npz or another format".to_owned()),
    }
}

/// Values of grids, in 3-D at any location in their cells.
pub(super) fn cells(content: &Content) -> Option<String> {
    match (&content.geometry, content.shape.len()) {
        (Geometry::Cells { .. }, _) | (Geometry::Vertices { .. }, 3) => sides(content),
        _ => Some("it contains only grids: choose npz or another format".to_owned()),
    }
}

fn sides(content: &Content) -> Option<String> {
    let selected = content.selected();
    let fits = |side: &u64| (1..i32::MAX as u64).contains(side);
    if selected.iter().all(fits) {
        None
    } else {
        let [x, y, z] = selected;
        Some(format!(
            "{x} x {y} x {z}: each side must have 1 to 2147483646 elements"
        ))
    }
}
