//! What formats of one kind ask of their contents: `None` where all is well.

use super::super::content::{Content, Place, Scalar};

/// Pictures: one layer of a lattice.
pub(super) fn picture(content: &Content) -> Option<String> {
    if !matches!(content.shape.len(), 2 | 3) || matches!(content.place, Place::Particles { .. }) {
        return Some("it needs a height and a width: choose npy".to_owned());
    }
    let Some([across, up]) = content.picture_axes() else {
        return Some("it needs a height and a width: choose a `region` one cell thick, or npy".to_owned());
    };
    let selected = content.selected();
    let fits = |side: &u64| (1..=i32::MAX as u64).contains(side);
    match [selected[across], selected[up]].iter().all(fits) {
        true => None,
        false => Some("it needs a height and a width of 1 to 2147483647: choose npy".to_owned()),
    }
}

/// Pictures of one field.
pub(super) fn single_picture(content: &Content) -> Option<String> {
    picture(content).or_else(|| {
        (content.columns.len() != 1).then(|| "it holds one field: choose one, or exr for several".to_owned())
    })
}

/// Points with positions, up to so many.
pub(super) fn points(content: &Content, most: u64) -> Option<String> {
    let position = match content.place {
        Place::Particles {
            position: Some(position),
        } if position < content.columns.len() => position,
        Place::Particles { .. } => {
            return Some(
                "it holds points, and no positions are written: list them in `fields` of the whole set, or name \
                 the vec3 attribute with `position`"
                    .to_owned(),
            );
        }
        _ => return Some("it holds points: choose vti or vdb for grids, npz for anything".to_owned()),
    };
    let column = &content.columns[position];
    if column.scalar != Scalar::F32 || column.components != 3 {
        return Some(format!("the positions, `{}`, are no vec3", column.name));
    }
    match content.elements() {
        Some(elements) if elements <= most => None,
        _ => Some(format!(
            "it holds at most {most} points: choose vtp, or write fewer of them with `stride`"
        )),
    }
}

/// Cells of grids, or vertices of height fields.
pub(super) fn lattice(content: &Content) -> Option<String> {
    match content.place {
        Place::Cells { .. } | Place::Vertices { .. } => sides(content),
        _ => Some("it holds grids and height fields: choose npz, or another format".to_owned()),
    }
}

/// Values of grids, in 3-D wherever in their cells they lie.
pub(super) fn cells(content: &Content) -> Option<String> {
    match (&content.place, content.shape.len()) {
        (Place::Cells { .. }, _) | (Place::Vertices { .. }, 3) => sides(content),
        _ => Some("it holds grids: choose npz, or another format".to_owned()),
    }
}

fn sides(content: &Content) -> Option<String> {
    let selected = content.selected();
    let fits = |side: &u64| (1..i32::MAX as u64).contains(side);
    match selected.iter().all(fits) {
        true => None,
        false => {
            let [x, y, z] = selected;
            Some(format!(
                "{x} x {y} x {z} elements are none, or too many along one axis"
            ))
        }
    }
}
