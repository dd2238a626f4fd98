//! Every type in grids of cells and of pixels, and in buffers with channels and without.

use super::*;

fn dense(cells: [u32; 3], channels: &[Channel]) -> Value {
    json!({
        "grids": {"air": {"cells": cells, "cell_size": 1, "channels": both(channels)}},
        "step": entries("air", channels).concat(),
    })
}

fn grid_kernels(channels: &[Channel]) -> Kernels {
    make_and_see("air", channels, &Index::of(3, "air", "cells")).concat()
}

#[test]
fn dense_grids_hold_every_type_at_awkward_sizes() {
    let Some(gpu) = common::gpu() else { return };
    for (cells, channels) in [([1, 1, 1], few()), ([5, 3, 7], all()), ([129, 3, 2], few())] {
        let mut simulation = simulation(&gpu, &dense(cells, &channels), &grid_kernels(&channels));
        simulation.step(false).unwrap();
        let count = cells.iter().product::<u32>() as usize;
        let found = differences(&mut simulation, "air", &channels, &numbers(count), count);
        assert!(found.is_empty(), "{cells:?}: {}", found.join("\n"));
        assert_no_fault(&mut simulation);
    }
}

#[test]
fn control_comparison_detects_reordered_elements() {
    let Some(gpu) = common::gpu() else { return };
    let channels = few();
    let mut simulation = simulation(&gpu, &dense([5, 3, 7], &channels), &grid_kernels(&channels));
    simulation.step(false).unwrap();
    let mut order = numbers(105);
    order.swap(40, 41);
    let found = differences(&mut simulation, "air", &channels, &order, 105);
    assert_eq!(found.len(), 2 * channels.len(), "{}", found.join("\n"));
}

#[test]
fn sparse_grids_hold_types_of_every_size_in_every_paging() {
    check_sparse(few());
}

#[test]
#[ignore = "long: kernels of all types"]
fn sparse_grids_hold_every_type() {
    check_sparse(all());
}

fn check_sparse(of_tables: Vec<Channel>) {
    let Some(gpu) = common::gpu() else { return };
    let size = [21, 18, 13];
    let sparse = &gpu.report().sparse;
    let mut pagings = vec!["dense", "table"];
    pagings.extend((sparse.binding && sparse.residency_buffer).then_some("sparse"));
    let ask = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) {\n    if (i % 3u != 1u) \
               request_air_block(ivec3(i % air_blocks.x, i / air_blocks.x % air_blocks.y, i / air_blocks.x / \
               air_blocks.y));\n}\n";
    for paging in pagings {
        let channels = if paging == "table" {
            of_tables.clone()
        } else {
            few()
        };
        let kernels = grid_kernels(&channels);
        let mut file = json!({
            "grids": {"air": {
                "cells": size, "cell_size": 1, "channels": both(&channels),
                "sparse": {"paging": paging, "block": [4, 4, 4], "keep": "always"}
            }},
            "init": [
                {"stage": "ask", "over": "ceil(air.nx / 4) * ceil(air.ny / 4) * ceil(air.nz / 4)", "requests": ["air"]},
                {"update_grid": "air"}
            ],
            "step": entries("air", &channels).concat()
        });
        let channels_of_file = file["grids"]["air"]["channels"].as_object_mut().unwrap();
        for (_, channel) in channels_of_file {
            if !channel.is_object() {
                *channel = json!({"type": channel});
            }
            channel["background"] = json!(3);
        }
        let kernels = [kernels, vec![kernel("ask.comp", ask)]].concat();
        let mut simulation = simulation(&gpu, &file, &kernels);
        simulation.step(false).unwrap();
        let found = differences_of_blocks(&mut simulation, &channels, size);
        assert!(found.is_empty(), "{paging}: {}", found.join("\n"));
        assert_no_fault(&mut simulation);
    }
}

/// As `differences`, where blocks of 4 x 4 x 4 cells that were not asked for hold 3.
fn differences_of_blocks(simulation: &mut Simulation, channels: &[Channel], size: [u32; 3]) -> Vec<String> {
    let mut found = Vec::new();
    let blocks = size.map(|cells| cells.div_ceil(4));
    for channel in channels {
        for (prefix, element) in [("a_", channel.element), ("b_", channel.seen())] {
            let name = format!("air.{prefix}{}", channel.name);
            let mut wanted = Vec::new();
            for k in 0..channel.count.unwrap_or(1) {
                for number in 0..size.iter().product() {
                    let cell = [
                        number % size[0],
                        number / size[0] % size[1],
                        number / size[0] / size[1],
                    ];
                    let [x, y, z] = cell.map(|at| at / 4);
                    let active = ((z * blocks[1] + y) * blocks[0] + x) % 3 != 1;
                    if active {
                        wanted.extend(channel.bytes(element, number, k))
                    } else {
                        (0..element.components()).for_each(|_| wanted.extend(element.component_bytes(3.0)))
                    }
                }
            }
            if simulation.read(&name).unwrap() != wanted {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn pixels_and_buffers_hold_every_type() {
    let Some(gpu) = common::gpu() else { return };
    let channels = few();
    let [width, height] = [13, 5];
    let image = json!({
        "grids": {"view": {"pixels": [width, height], "channels": both(&channels)}},
        "step": entries("view", &channels).concat(),
    });
    let kernels = make_and_see("view", &channels, &Index::of(2, "view", "size")).concat();
    let mut simulation = simulation(&gpu, &image, &kernels);
    simulation.step(false).unwrap();
    let count = width * height;
    let found = differences(&mut simulation, "view", &channels, &numbers(count), count);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_no_fault(&mut simulation);

    for length in [1, 65] {
        let table = json!({
            "buffers": {"rows": {"length": length, "channels": both(&channels)}},
            "step": entries("rows", &channels).concat(),
        });
        let kernels = make_and_see("rows", &channels, &Index::of(1, "rows", "length")).concat();
        let mut simulation = super::simulation(&gpu, &table, &kernels);
        simulation.step(false).unwrap();
        let found = differences(&mut simulation, "rows", &channels, &numbers(length), length);
        assert!(found.is_empty(), "{length}: {}", found.join("\n"));
        assert_no_fault(&mut simulation);
    }
}

/// Neighbours that share a word are written by different invocations, of different workgroups too.
#[test]
fn narrow_writes_do_not_overwrite_neighbours() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "buffers": {"bytes": {"type": "uint8", "length": 1001, "background": 7}},
        "step": [{"stage": "every_third", "over": 334, "writes": ["bytes"], "tuning": {"workgroup": [1, 1, 1]}}]
    });
    let third = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_bytes(3u * i, i); }\n";
    let mut simulation = simulation(&gpu, &file, &[kernel("every_third.comp", third)]);
    simulation.step(false).unwrap();
    let bytes = simulation.read("bytes").unwrap();
    let wanted = (0..1001).map(|i| match i % 3 {
        0 => (i / 3) as u8,
        _ => 7,
    });
    assert_eq!(bytes, wanted.collect::<Vec<u8>>());
    assert_no_fault(&mut simulation);
}

#[test]
fn atomics_work_on_array_entries() {
    let Some(gpu) = common::gpu() else { return };
    let add = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) {\n    ivec3 cell = ivec3(i % 3u, i / 3u % 2u, \
                  0);\n    add_air_n(cell, i % 5u, i);\n    max_air_m(cell, i % 5u, int(i) - 50);\n}\n";
    let mut expected: Option<Vec<Vec<u8>>> = None;
    for storage in ["dense", "sparse"] {
        let mut file = json!({
            "grids": {"air": {"cells": [3, 2, 1], "cell_size": 1, "channels": {
                "n": {"type": "uint", "count": 5}, "m": {"type": "int", "count": 5, "background": -100}
            }}},
            "init": [],
            "step": [{"stage": "add", "over": 97, "writes": ["air.n", "air.m"]}]
        });
        let mut kernels = vec![kernel("add.comp", add)];
        if storage == "sparse" {
            file["grids"]["air"]["sparse"] = json!({});
            file["init"] = json!([{"stage": "ask", "over": 1, "requests": ["air"]}, {"update_grid": "air"}]);
            let ask =
                "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { request_air(ivec3(0)); }\n";
            kernels.push(kernel("ask.comp", ask));
        }
        let mut simulation = simulation(&gpu, &file, &kernels);
        simulation.step(false).unwrap();
        let mut sums = [[0u32; 6]; 5];
        let mut most = [[-100i32; 6]; 5];
        for i in 0..97 {
            let cell = (i / 3 % 2 * 3 + i % 3) as usize;
            sums[i as usize % 5][cell] += i;
            let most = &mut most[i as usize % 5][cell];
            *most = (*most).max(i as i32 - 50);
        }
        let sums: Vec<u8> = sums.iter().flatten().flat_map(|sum| sum.to_le_bytes()).collect();
        let most: Vec<u8> = most
            .iter()
            .flatten()
            .flat_map(|most| most.to_le_bytes())
            .collect();
        let found = ["air.n", "air.m"].map(|name| simulation.read(name).unwrap());
        assert_eq!(found.to_vec(), vec![sums, most], "{storage}");
        assert_no_fault(&mut simulation);
        let first = expected.get_or_insert(found.to_vec());
        assert_eq!(*first, found.to_vec());
    }
}
