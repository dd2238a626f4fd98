//! GeoTIFF: one field of vertices or of cells on a map.

use std::io::{self, Write};

use tiff::encoder::TiffValue;
use tiff::encoder::colortype::{
    ColorType, Gray8, Gray16, Gray32, Gray32Float, Gray64, Gray64Float, GrayI8, GrayI16, GrayI32, GrayI64,
};

use super::super::content::{Compression, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, without_halves};
use super::raster::{self, Raster};
use super::rows::invalid;
use crate::heights::{Effort, encode};

pub(super) const GEOTIFF: Descriptor = Descriptor {
    note: "maps: one field of vertices, or of one layer of cells; `.tif`",
    compression: Some(Compression::Fast),
    has_map: true,
    unfit: raster::unfit,
    numbers: without_halves,
    ..Descriptor::new(FormatKind::Grids, write)
};

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Some(mut raster) = Raster::of(view) else {
        return Err(invalid("a map has a position and two sides"));
    };
    // A value must not read as none.
    let stated = raster.georeference.no_data.as_deref();
    let number: Option<f64> = stated.and_then(|text| text.parse().ok());
    if number.is_none_or(|number| raster.contains(number)) {
        raster.georeference.no_data = None;
    }
    let effort = match view.content.style.compression {
        Some(Compression::None) => Effort::None,
        Some(Compression::Best) => Effort::Best,
        Some(Compression::Fast) | None => Effort::Fast,
    };
    let encode = match raster.values.column.scalar {
        Scalar::U8 | Scalar::Colour => encoded::<Gray8>,
        Scalar::I8 => encoded::<GrayI8>,
        Scalar::U16 => encoded::<Gray16>,
        Scalar::I16 => encoded::<GrayI16>,
        Scalar::U32 => encoded::<Gray32>,
        Scalar::I32 => encoded::<GrayI32>,
        Scalar::U64 => encoded::<Gray64>,
        Scalar::I64 => encoded::<GrayI64>,
        Scalar::F16 | Scalar::F32 => encoded::<Gray32Float>,
        Scalar::F64 => encoded::<Gray64Float>,
    };
    out.write_all(&encode(&raster, effort)?)
}

fn encoded<C: ColorType>(raster: &Raster, effort: Effort) -> io::Result<Vec<u8>>
where
    C::Inner: bytemuck::Pod,
    [C::Inner]: TiffValue,
{
    let [width, height] = raster.size.map(u32::try_from);
    let size = [
        width.map_err(io::Error::other)?,
        height.map_err(io::Error::other)?,
    ];
    let values: Vec<C::Inner> = raster.rows().collect();
    encode::<C>(size, &values, &raster.georeference, effort).map_err(io::Error::other)
}
