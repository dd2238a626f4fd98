use std::path::{Path, PathBuf};

use tiff::encoder::{TiffEncoder, colortype};

use super::*;
use crate::heights::{examine, read};

/// Tags of a file.
#[derive(Default)]
struct Tags<'a> {
    scale: &'a [f64],
    tie: &'a [f64],
    matrix: &'a [f64],
    /// Key and value.
    keys: &'a [(u16, u16)],
    no_data: Option<&'a str>,
    metadata: Option<&'a str>,
}

fn write(directory: &Path, tags: &Tags, levels: &[f32]) -> PathBuf {
    let path = directory.join("a.tif");
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    let mut image = encoder
        .new_image::<colortype::Gray32Float>(4, levels.len() as u32 / 4)
        .unwrap();
    let directory = image.encoder();
    for (tag, values) in [
        (Tag::ModelPixelScaleTag, tags.scale),
        (Tag::ModelTiepointTag, tags.tie),
        (Tag::ModelTransformationTag, tags.matrix),
    ] {
        if !values.is_empty() {
            directory.write_tag(tag, values).unwrap();
        }
    }
    if !tags.keys.is_empty() {
        let mut words = vec![1, 1, 0, tags.keys.len() as u16];
        words.extend(tags.keys.iter().flat_map(|(key, value)| [*key, 0, 1, *value]));
        directory.write_tag(Tag::GeoKeyDirectoryTag, &words[..]).unwrap();
    }
    for (tag, text) in [(Tag::GdalNodata, tags.no_data), (GDAL_METADATA, tags.metadata)] {
        if let Some(text) = text {
            directory.write_tag(tag, text).unwrap();
        }
    }
    image.write_data(levels).unwrap();
    path
}

const LEVELS: [f32; 12] = [1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.];

/// The spacing that a file with these tags has, or why not.
fn spacing(tags: &Tags) -> Result<Option<[f64; 2]>, String> {
    let directory = tempfile::tempdir().unwrap();
    examine(&write(directory.path(), tags, &LEVELS)).map(|header| header.metres_per_pixel)
}

fn near(tags: &Tags, wanted: [f64; 2]) {
    let found = spacing(tags).unwrap().unwrap();
    let close = |axis: usize| (found[axis] / wanted[axis] - 1.0).abs() < 1e-3;
    assert!(close(0) && close(1), "{found:?} is not {wanted:?}");
}

#[test]
fn geotiff_spacing_is_in_ground_metres() {
    let projected = Tags {
        scale: &[10.0, 20.0, 0.0],
        tie: &[0.0, 0.0, 0.0, 500_000.0, 4_000_000.0, 0.0],
        keys: &[(1024, 1), (3072, 32633)],
        ..Tags::default()
    };
    near(&projected, [10.0, 20.0]);
    let feet = Tags {
        keys: &[(1024, 1), (3076, 9003)],
        ..projected
    };
    near(&feet, [3.048006, 6.096012]);
    // At 60 degrees north a metre of this map is half a metre of ground.
    let mercator = Tags {
        tie: &[0.0, 0.0, 0.0, 0.0, 8_399_737.0, 0.0],
        keys: &[(1024, 1), (3072, 3857)],
        ..projected
    };
    near(&mercator, [5.0, 10.0]);
    let degrees = Tags {
        scale: &[0.01, 0.01, 0.0],
        tie: &[0.0, 0.0, 0.0, 7.0, 60.015, 0.0],
        keys: &[(1024, 2), (2054, 9102)],
        ..Tags::default()
    };
    near(&degrees, [558.0, 1114.12]);
    near(&Tags { keys: &[], ..degrees }, [558.0, 1114.12]);
    let matrix = [
        10.0, 0.0, 0.0, 5e5, 0.0, -20.0, 0.0, 4e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let transformed = Tags {
        matrix: &matrix,
        keys: &[(1024, 1)],
        ..Tags::default()
    };
    near(&transformed, [10.0, 20.0]);
    assert_eq!(spacing(&Tags::default()), Ok(None));
}

#[test]
fn rotated_geotiffs_have_the_sides_of_their_pixels() {
    // Rows 30 degrees north of east.
    let matrix = [
        8.660254, 10.0, 0.0, 5e5, 5.0, -17.320508, 0.0, 4e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let rotated = Tags {
        matrix: &matrix,
        keys: &[(1024, 1)],
        ..Tags::default()
    };
    near(&rotated, [10.0, 20.0]);
    let directory = tempfile::tempdir().unwrap();
    let header = examine(&write(directory.path(), &rotated, &LEVELS)).unwrap();
    let reference = header.georeference.unwrap();
    assert_eq!(reference.axes, [[8.660254, 5.0], [10.0, -17.320508]]);
    // A model at this place is written with this matrix.
    let model = read(&directory.path().join("a.tif")).unwrap();
    let again = directory.path().join("again.tif");
    std::fs::write(&again, crate::heights::to_geotiff(&model).unwrap()).unwrap();
    assert_eq!(examine(&again).unwrap().georeference.unwrap(), reference);
}

#[test]
fn sheared_and_mirrored_geotiffs_are_refused() {
    let refused = |tags: Tags, words: &str| {
        let message = spacing(&tags).unwrap_err();
        assert!(message.contains(words), "{message}");
    };
    let matrix = |b: f64, d: f64| {
        [
            10.0, b, 0.0, 5e5, b, d, 0.0, 4e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ]
    };
    refused(
        Tags {
            matrix: &matrix(1.0, -9.0),
            ..Tags::default()
        },
        "sheared",
    );
    refused(
        Tags {
            matrix: &matrix(0.0, 10.0),
            ..Tags::default()
        },
        "mirrored",
    );
    refused(
        Tags {
            scale: &[0.0, 1.0, 0.0],
            ..Tags::default()
        },
        "no size",
    );
    let scale = &[0.01, 0.01, 0.0];
    refused(
        Tags {
            scale,
            keys: &[(1024, 2)],
            ..Tags::default()
        },
        "where on the globe",
    );
    refused(
        Tags {
            scale,
            keys: &[(1024, 1), (3076, 9035)],
            ..Tags::default()
        },
        "unit 9035",
    );
    refused(
        Tags {
            scale,
            keys: &[(1024, 3)],
            ..Tags::default()
        },
        "geocentric",
    );
}

#[test]
fn geotiff_heights_gaps_and_units_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let mut levels = LEVELS;
    levels[5] = -3.402_823_5e38;
    levels[0] = f32::NAN;
    let tags = Tags {
        no_data: Some("-3.4028234663852886e+38"),
        keys: &[(1024, 1), (4099, 9002)],
        ..Tags::default()
    };
    let model = read(&write(directory.path(), &tags, &levels)).unwrap();
    assert_eq!((model.filled, model.header.metres_per_level), (2, Some(0.3048)));
    assert_eq!(model.levels[11], 12.0);
    assert!((model.levels[5] - 6.0).abs() < 1.0, "{}", model.levels[5]);
    let tags = Tags {
        metadata: Some(
            "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\
                        <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">100</Item>\
                        <Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">ft</Item></GDALMetadata>",
        ),
        ..Tags::default()
    };
    let model = read(&write(directory.path(), &tags, &LEVELS)).unwrap();
    assert_eq!((model.levels[0], model.levels[11]), (100.5, 106.0));
    assert_eq!((model.filled, model.header.metres_per_level), (0, Some(0.3048)));
}

#[test]
fn unsupported_and_damaged_tiffs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("color.tif");
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    encoder.write_image::<colortype::RGB8>(2, 2, &[0; 12]).unwrap();
    assert!(examine(&path).unwrap_err().contains("not one band of heights"));
    let path = write(directory.path(), &Tags::default(), &LEVELS);
    let bytes = std::fs::read(&path).unwrap();
    for length in 4..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(read(&path).is_err(), "{length} of {} bytes", bytes.len());
    }
}
