//! OpenEXR: linear numbers unchanged, one channel per component.

use std::io::{self, Cursor, Write};

use exr::prelude::*;
use half::f16;

use super::super::content::{Column, Compression as Effort, Content, Scalar};
use super::super::format::PROGRAM;
use super::super::picture::Picture;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::invalid;

pub(super) const EXR: Descriptor = Descriptor {
    settings: &[Setting::Precision, Setting::Names],
    compression: Some(Effort::Best),
    takes: |column| column.scalar != Scalar::I32,
    unfit,
    numbers: words,
    ..Descriptor::new(FormatKind::Pictures, write)
};

fn unfit(content: &Content) -> Option<String> {
    if let Some(reason) = fit::picture(content) {
        return Some(reason);
    }
    let bad = |column: &&Column| {
        column.scalar == Scalar::I32 || (column.scalar == Scalar::Colour && column.components != 4)
    };
    let name = &content.columns.iter().find(bad)?.name;
    Some(format!(
        "`{name}` is signed, but an EXR contains only float and uint: choose npy"
    ))
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Some(picture) = view.picture() else {
        return Err(invalid("an image has a height and a width"));
    };
    let alone = view.columns.len() == 1 && view.columns[0].column.label == view.columns[0].column.name;
    let mut channels = SmallVec::new();
    for values in &view.columns {
        for component in 0..values.column.components as usize {
            let name = channel_name(values.column, component, alone);
            channels.push(AnyChannel {
                name: Text::new_or_none(&name)
                    .ok_or_else(|| invalid(format!("`{name}` is not a valid channel name")))?,
                sample_data: samples(values, component, &picture, view.content.style.half),
                quantize_linearly: false,
                sampling: Vec2(1, 1),
            });
        }
    }
    let encoding = Encoding {
        compression: match view.content.style.compression {
            Some(Effort::None) => Compression::Uncompressed,
            Some(Effort::Fast) => Compression::ZIP1,
            Some(Effort::Best) | None => Compression::ZIP16,
        },
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let mut attributes = LayerAttributes {
        software_name: Text::new_or_none(PROGRAM),
        ..LayerAttributes::default()
    };
    // One alone: the order of several would be random.
    attributes
        .other
        .insert(Text::from("time"), AttributeValue::F64(view.time()));
    let layer = Layer::new(
        (picture.width, picture.height),
        attributes,
        encoding,
        AnyChannels::sort(channels),
    );
    let mut bytes = Cursor::new(Vec::new());
    let image = Image::from_layer(layer);
    // Other frames are encoded in parallel, with one thread each.
    let written = image.write().non_parallel().to_buffered(&mut bytes);
    written.map_err(io::Error::other)?;
    out.write_all(bytes.get_ref())
}

/// A single field without another name is luminance or colour, which every viewer shows. Otherwise a layer has the name
/// of its field, and a number in it is `V`, as Blender groups channels.
fn channel_name(column: &Column, component: usize, alone: bool) -> String {
    let colours = ["R", "G", "B", "A"]
        .get(component)
        .filter(|_| column.components <= 4);
    match (alone, column.part_name(component), colours) {
        (true, None, _) => "Y".to_owned(),
        (true, _, Some(colour)) => (*colour).to_owned(),
        (false, None, _) => format!("{}.V", column.label),
        (_, _, Some(colour)) if column.scalar == Scalar::Colour => format!("{}.{colour}", column.label),
        (_, Some(part), _) => format!("{}.{part}", column.label),
    }
}

fn samples(values: &Values, component: usize, picture: &Picture, half: bool) -> FlatSamples {
    let pixels = (0..picture.height).flat_map(|row| (0..picture.width).map(move |x| picture.element(x, row)));
    match values.column.scalar {
        Scalar::F32 if half => FlatSamples::F16(
            pixels
                .map(|pixel| f16::from_f32(f32::from_ne_bytes(values.word(pixel, component))))
                .collect(),
        ),
        Scalar::F32 => FlatSamples::F32(
            pixels
                .map(|pixel| f32::from_ne_bytes(values.word(pixel, component)))
                .collect(),
        ),
        Scalar::Colour => {
            let linear = linear_table(component);
            let levels = pixels.map(|pixel| linear[usize::from(values.bytes[4 * pixel + component])]);
            if half {
                FlatSamples::F16(levels.map(f16::from_f32).collect())
            } else {
                FlatSamples::F32(levels.collect())
            }
        }
        _ => FlatSamples::U32(
            pixels
                .map(|pixel| u32::from_ne_bytes(values.word(pixel, component)))
                .collect(),
        ),
    }
}

/// The linear value of a byte of an rgba8 image: colours by IEC 61966-2-1 (sRGB), opacity in equal steps.
fn linear_table(component: usize) -> [f32; 256] {
    std::array::from_fn(|byte| {
        let coded = byte as f64 / 255.0;
        let linear = match (component, coded <= 0.04045) {
            (3, _) => coded,
            (_, true) => coded / 12.92,
            (_, false) => ((coded + 0.055) / 1.055).powf(2.4),
        };
        linear as f32
    })
}
