//! Rasters on a map: the rules and the values that all formats of maps share.

use super::super::content::{Content, Geometry, Scalar};
use super::super::convert;
use super::super::picture::Picture;
use super::super::select::{Values, View};
use super::fit;
use crate::heights::{Georeference, source, swapped};

/// One number per vertex, or per cell of one layer.
pub(super) fn unfit(content: &Content) -> Option<String> {
    let column = &content.columns[0];
    let reason = match content.geometry {
        Geometry::Cells { .. } | Geometry::Vertices { .. } if content.columns.len() > 1 => {
            "a map contains one field: write one output for each, or choose vti for several"
        }
        Geometry::Cells { .. } | Geometry::Vertices { .. } if column.scalar == Scalar::Colour => {
            "colours are not values of a map: choose png"
        }
        Geometry::Cells { .. } | Geometry::Vertices { .. } if column.components > 1 => {
            "a map contains one number per element: name a component of the field, such as `.x`"
        }
        Geometry::Cells { .. } | Geometry::Vertices { .. } if content.selected()[2] > 1 => {
            "a map has one layer: choose a `region` one cell thick, or vti"
        }
        Geometry::Cells { .. } | Geometry::Vertices { .. } => return fit::lattice(content),
        _ => "only vertices and cells have positions on a map: choose png or npy",
    };
    Some(reason.to_owned())
}

/// The values of a map. Its first row is the north one, unless its rows run along no axis of the map.
pub(super) struct Raster<'a> {
    pub size: [usize; 2],
    pub georeference: Georeference,
    pub values: &'a Values<'a>,
    picture: Picture,
    /// Quarter turns of the picture.
    quarters: usize,
}

impl<'a> Raster<'a> {
    pub(super) fn of(view: &'a View) -> Option<Raster<'a>> {
        let ([values], Some(picture), Some(map)) = (&view.columns[..], view.picture(), &view.content.map)
        else {
            return None;
        };
        let selection = &view.content.selection;
        let [x, y, _] = selection.first;
        let georeference = map.raster([x, y], picture.height as u64, selection.stride.max(1));
        let (size, quarters) = (
            [picture.width, picture.height],
            (4 - georeference.quarters().unwrap_or(0)) % 4,
        );
        Some(Raster {
            size: swapped(quarters, size),
            georeference: georeference.turned(quarters, size),
            values,
            picture,
            quarters,
        })
    }

    /// The values of type `T`, row by row.
    pub(super) fn rows<T: bytemuck::AnyBitPattern>(&self) -> impl Iterator<Item = T> + use<'_, 'a, T> {
        let [width, height] = self.size;
        let whole = [self.picture.width, self.picture.height];
        let elements = (0..width * height).map(move |at| {
            let [x, row] = source(self.quarters, whole, [at % width, at / width]);
            self.picture.element(x, row)
        });
        let size = size_of::<T>();
        elements.map(move |element| {
            bytemuck::pod_read_unaligned(&self.values.bytes[element * size..(element + 1) * size])
        })
    }

    /// True if a value is this number, also after it is rounded to a float of 32 bits.
    pub(super) fn contains(&self, number: f64) -> bool {
        let scalar = self.values.column.scalar;
        let mut numbers = convert::numbers(&self.values.bytes, scalar);
        numbers.any(|value| value == number || scalar == Scalar::F32 && value as f32 == number as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Format;

    #[test]
    fn maps_take_one_number_per_element_of_one_layer() {
        let (origin, spacing) = ([0.0; 3], [1.0; 3]);
        let of = |components, shape: &[u64]| {
            let mut content = Content::array(Format::Geotiff, Scalar::F32, components, shape);
            content.geometry = Geometry::Vertices { origin, spacing };
            content
        };
        let reason = |content: &Content| unfit(content).unwrap_or_default();
        let mut flat = of(1, &[4, 5]);
        assert_eq!(reason(&flat), "");
        assert!(reason(&of(3, &[4, 5])).contains("one number per element"));
        let mut volume = of(1, &[3, 4, 5]);
        assert!(reason(&volume).contains("one layer"));
        volume.selection.within[2] = 1;
        assert_eq!(reason(&volume), "");
        flat.columns[0].scalar = Scalar::Colour;
        assert!(reason(&flat).contains("colours"));
        flat.columns.push(flat.columns[0].clone());
        assert!(reason(&flat).contains("one field"));
        flat.geometry = Geometry::Image;
        assert!(reason(&flat).contains("positions on a map"));
    }
}
