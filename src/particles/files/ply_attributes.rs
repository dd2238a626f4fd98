//! The properties of a PLY as attributes.

use std::collections::HashSet;

use super::columns::{Column, ComponentLayout, NumberType, POSITION};

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// The attribute with colours, and the properties of their parts.
const COLOUR: &str = "color";
const COLOURS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// Properties as attributes: each alone, and properties that end in `_x`, `_y` ... together; x, y and z are the
/// position; red, green, blue and alpha of 8 bits are a color from 0 to 1.
pub(super) fn attributes(singles: &[(&str, ComponentLayout)], points: u64) -> Vec<Column> {
    let find = |wanted: &str| {
        singles
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, at)| *at)
    };
    let column = |name: &str, components: Vec<ComponentLayout>| Column {
        name: name.into(),
        points,
        components,
    };
    let mut columns = Vec::new();
    let mut named = HashSet::new();
    let position: Vec<ComponentLayout> = COMPONENTS[..3].iter().filter_map(|axis| find(axis)).collect();
    if position.len() == 3 {
        columns.push(column(POSITION, position));
        named.insert(POSITION);
    }
    for (name, at) in singles {
        if named.insert(*name) {
            columns.push(column(name, vec![*at]));
        }
    }
    let is_colour =
        |name: &&str| find(name).is_some_and(|part| part.kind == NumberType::U8) && !named.contains(COLOUR);
    let parts: Vec<&str> = COLOURS.into_iter().take_while(is_colour).collect();
    if parts.len() >= 3 {
        let share = |layout: ComponentLayout| ComponentLayout {
            kind: NumberType::Share8,
            ..layout
        };
        let components = parts.into_iter().filter_map(find).map(share);
        columns.push(column(COLOUR, components.collect()));
        named.insert(COLOUR);
    }
    for base in singles.iter().filter_map(|(name, _)| name.strip_suffix("_x")) {
        let parts = COMPONENTS
            .iter()
            .map_while(|axis| find(&format!("{base}_{axis}")));
        let components: Vec<ComponentLayout> = parts.collect();
        if components.len() > 1 && named.insert(base) {
            columns.push(column(base, components));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::Points;
    use crate::element::Element;

    #[test]
    fn eight_bit_colours_of_a_ply_are_floats() {
        let directory = tempfile::tempdir().unwrap();
        let ply = |kind: &str, parts: &[u8]| {
            let mut bytes = format!(
                "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                 property {kind} red\nproperty {kind} green\nproperty {kind} blue\nend_header\n"
            )
            .into_bytes();
            bytes.extend([0; 12]);
            bytes.extend(parts);
            let path = directory.path().join("a.ply");
            std::fs::write(&path, bytes).unwrap();
            Points::read(&path).unwrap()
        };
        let points = ply("uchar", &[255, 0, 51]);
        let bytes_of = |name: &str, element: Element| {
            let column = points.layout.column(name).unwrap();
            points.bytes_of(column, element, 1).unwrap()
        };
        let color = [1.0f32, 0.0, 0.2].map(f32::to_le_bytes).concat();
        assert_eq!(bytes_of("color", Element::Vec3), color);
        assert_eq!(bytes_of("blue", Element::Uint), 51u32.to_le_bytes());
        assert!(
            ply("char", &[1, 0, 51]).layout.column("color").is_none(),
            "control"
        );
    }
}
