//! The bar of colours beside a picture: its colours, its ticks and its numbers.

use serde_json::json;

use super::super::common::{self, simulation::*};

const SIZE: [usize; 2] = [240, 200];
/// Red, which no entry of the map is.
const INK: u32 = 0xff00_00ff;
const PAPER: u32 = 0xffff_ffff;
/// Rows and columns of the bar for dots of 2 pixels: 20 columns, 128 pixels from the right.
const BAR: [std::ops::Range<usize>; 2] = [112..132, 24..160];

/// Glyphs as they are to be read, 5 x 7.
const GLYPHS: [(char, [&str; 7]); 5] = [
    (
        '0',
        [" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "],
    ),
    (
        '1',
        ["  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "],
    ),
    (
        '5',
        ["#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "],
    ),
    (
        '.',
        ["     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "],
    ),
    (
        '-',
        ["     ", "     ", "     ", "#####", "     ", "     ", "     "],
    ),
];

/// The pixels of a picture of values from -0.5 to 1, with a legend.
fn picture(gpu: &common::TestGpu, range: [f64; 2], bar: u32) -> Vec<u32> {
    let file = json!({
        "use": {"draw": {"module": "modules/slice_view.json", "roles": {"grid": "box"}, "parameters": {
            "range": range, "map": "grey", "legend": {
                "bar": bar, "axes": 0, "scale_bar": 0, "dot": 2, "ink": [1, 0, 0]}}}},
        "run": {"dt": 1},
        "grids": {
            "box": {"cells": [4, 4], "cell_size": 1, "channels": {"value": {"type": "float", "values": "(x - 1) / 2 - 0.25"}}},
            "view": {"pixels": SIZE, "channels": {"color": "rgba8"}}
        },
        "frame": ["draw.frame"]
    });
    let mut simulation = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    simulation.frame(true).unwrap();
    assert_no_fault(&mut simulation);
    read_words(&mut simulation, "view.color")
}

/// The text whose left end is right of the ticks and whose middle is at a row.
fn label(pixels: &[u32], row: usize) -> String {
    let [left, top] = [BAR[0].end + 14, row - 7];
    let is_ink = |x: usize, y: usize| pixels[(top + y) * SIZE[0] + left + x] == INK;
    let mut text = String::new();
    for k in 0..(SIZE[0] - left) / 12 {
        let rows: Vec<String> = (0..7)
            .map(|y| {
                (0..5)
                    .map(|x| if is_ink(12 * k + 2 * x, 2 * y) { '#' } else { ' ' })
                    .collect()
            })
            .collect();
        let same =
            (0..10).all(|x| (0..14).all(|y| is_ink(12 * k + x, y) == is_ink(12 * k + x / 2 * 2, y / 2 * 2)));
        assert!(same, "dots are squares of two pixels");
        if rows.iter().all(|row| row.trim().is_empty()) {
            break;
        }
        let glyph = GLYPHS.iter().find(|(_, dots)| *dots == *rows);
        text.push(
            glyph
                .unwrap_or_else(|| panic!("no glyph:\n{}", rows.join("\n")))
                .0,
        );
    }
    text
}

/// The rows of ticks and their labels, from the top.
fn ticks(pixels: &[u32]) -> Vec<(usize, String)> {
    let is_tick = |row: &usize| (0..8).all(|x| pixels[row * SIZE[0] + BAR[0].end + x] == INK);
    let rows: Vec<usize> = (0..SIZE[1]).filter(is_tick).collect();
    rows.chunks(2)
        .map(|pair| {
            assert_eq!(pair[0] + 1, pair[1], "a tick is two pixels thick");
            (pair[1], label(pixels, pair[1]))
        })
        .collect()
}

#[test]
fn legend_ticks_are_at_their_values() {
    let Some(gpu) = common::gpu() else { return };
    let wanted = |ticks: &[(usize, &str)]| {
        ticks
            .iter()
            .map(|(row, text)| (*row, text.to_string()))
            .collect::<Vec<_>>()
    };
    // The bar has 136 rows from 24 to 160: a value v has row 160 - 136 (v - low) / (high - low).
    let given = picture(&gpu, [-0.5, 1.5], 1);
    assert_eq!(
        ticks(&given),
        wanted(&[(24, "1.5"), (58, "1.0"), (92, "0.5"), (126, "0"), (160, "-0.5")])
    );
    // The values of the field, whose cells are at 0.5 to 3.5.
    let found = picture(&gpu, [0.0, 0.0], 1);
    assert_eq!(
        ticks(&found),
        wanted(&[(24, "1.0"), (69, "0.5"), (115, "0"), (160, "-0.5")])
    );
}

#[test]
fn legend_bar_has_the_colours_of_its_rows() {
    let Some(gpu) = common::gpu() else { return };
    let pixels = picture(&gpu, [-0.5, 1.5], 1);
    let at = |x: usize, y: usize| pixels[y * SIZE[0] + x];
    let [columns, rows] = BAR;
    for y in rows.clone() {
        let entry = (256.0 * ((rows.end - y) as f64 - 0.5) / rows.len() as f64) as u32;
        for x in columns.clone() {
            assert_eq!(at(x, y), 0xff00_0000 | (entry * 0x1_0101), "pixel {x} {y}");
        }
    }
    // Around it, a line as thick as a dot, and left of it nothing.
    for y in rows.start - 2..rows.end + 2 {
        for x in columns.start - 2..columns.end + 2 {
            assert!(
                columns.contains(&x) && rows.contains(&y) || at(x, y) == INK,
                "pixel {x} {y}"
            );
        }
        assert_ne!(at(columns.start - 3, y), INK);
    }
    for x in columns.start - 2..columns.end + 2 {
        assert!(
            [rows.start - 3, rows.end + 2].map(|y| at(x, y)) == [PAPER; 2],
            "column {x}"
        );
    }
    let without = picture(&gpu, [-0.5, 1.5], 0);
    assert!(!without.contains(&INK), "without a bar nothing is drawn in ink");
}
