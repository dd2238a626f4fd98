//! Positions of the elements of a lattice on a map.

use crate::heights::Georeference;

/// A plane lattice on the map of an elevation model, or on one in metres from the origin of the pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    pub reference: Georeference,
    /// The centre of the first element, which is the one with the smallest x and y: pixels of the reference from the centre
    /// of its first pixel along rows and along columns.
    pub first: [f64; 2],
    /// Distances of neighbouring elements, in pixels of the reference.
    pub step: [f64; 2],
    /// Values are those of points, not of areas.
    pub is_point: bool,
    /// A warning about a coordinate system that the files do not have.
    pub warning: Option<String>,
}

impl Map {
    /// The georeference of every n-th element from `first` on, in `rows` rows. The first row of the raster is the one with
    /// the largest y.
    pub(super) fn raster(&self, first: [u64; 2], rows: u64, stride: u64) -> Georeference {
        let north = first[1] + (rows.max(1) - 1) * stride;
        let first = [
            self.first[0] + first[0] as f64 * self.step[0],
            self.first[1] - north as f64 * self.step[1],
        ];
        let sides = self.step.map(|step| step * stride as f64);
        self.reference.of_raster(first, sides, self.is_point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heights::{Projection, north_up};

    /// Vertices on the pixels of a model of 5 x 4 pixels.
    fn vertices() -> Map {
        let reference = Georeference {
            tie: [500.0, 800.0],
            is_point: false,
            axes: north_up([10.0, 20.0]),
            projection: Projection::Unknown,
            no_data: None,
        };
        Map {
            reference,
            first: [0.0, 3.0],
            step: [1.0; 2],
            is_point: false,
            warning: None,
        }
    }

    #[test]
    fn whole_lattices_have_the_georeference_of_their_model() {
        let map = vertices();
        assert_eq!(map.raster([0, 0], 4, 1), map.reference);
        assert_ne!(
            map.raster([0, 0], 3, 1),
            map.reference,
            "control: without the north row"
        );
    }

    #[test]
    fn parts_of_a_lattice_keep_the_positions_of_their_elements() {
        let map = vertices();
        // Columns 1 and 3, rows 0 and 2 from the south: centres (515, 730) and (535, 770).
        let part = map.raster([1, 0], 2, 2);
        assert_eq!((part.tie, part.sides()), ([505.0, 790.0], Some([20.0, 40.0])));
        let points = Map {
            is_point: true,
            ..map
        };
        assert_eq!(points.raster([1, 0], 2, 2).tie, [515.0, 770.0]);
    }
}
