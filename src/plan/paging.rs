//! Chooses the paging of a sparse grid on a device, and the memory for it.

use crate::grid::Layout;
use crate::ir::{Paging, SparseGrid};

/// The properties of a device that determine paging.
#[derive(Debug, Clone, Copy)]
pub struct Abilities {
    /// Address space for sparse memory; `None` without sparse residency.
    pub sparse_bytes: Option<u64>,
    pub largest_buffer: u64,
    /// Its largest heap.
    pub memory: u64,
}

/// The paging of a grid on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub paging: Paging,
    /// The reason for a type of paging that is not the best one, for display.
    pub notice: Option<String>,
    /// Address space that is reserved.
    pub reserved_bytes: u64,
    /// Largest amount of memory of its blocks.
    pub max_bytes: u64,
    /// Largest number of active blocks: from the budget, or from the memory of the device.
    pub max_blocks: u64,
}

/// Fraction of the device's memory for a sparse grid without a budget.
const SHARE: f64 = 0.85;

/// Chooses the paging. The error says why the paging that the file requests is not possible, or that none is.
pub fn choose(grid: &SparseGrid, device: &Abilities) -> Result<Choice, String> {
    let layout = &grid.layout;
    let sparse = sparse(layout, device);
    let dense_bytes = layout.numbers().saturating_mul(layout.block_bytes);
    let dense_fits = dense_bytes <= (device.memory / 2).min(device.largest_buffer);
    let (paging, notice) = match (grid.paging, sparse) {
        (Paging::Auto | Paging::Sparse, Ok(())) => (Paging::Sparse, None),
        (Paging::Sparse, Err(cause)) => {
            return Err(format!("sparse residency is not possible: {cause}"));
        }
        (Paging::Auto, Err(cause)) if dense_fits => (
            Paging::Dense,
            Some(format!("all of its blocks have memory: {cause}")),
        ),
        (Paging::Auto, Err(cause)) => {
            let notice = format!("it uses a pool of blocks with a table: {cause}");
            (Paging::Table, Some(notice))
        }
        (stated, _) => (stated, None),
    };
    let holds = (device.memory as f64 * SHARE) as u64 / layout.block_bytes;
    let in_buffer = device.largest_buffer / layout.block_bytes;
    let max_blocks = match (paging, grid.budgeted) {
        (_, true) => grid.max_blocks,
        (Paging::Table, false) => grid.max_blocks.min(holds / 2).min(in_buffer),
        (_, false) => grid.max_blocks.min(holds),
    }
    .max(1);
    let (reserved_bytes, max_bytes) = match paging {
        Paging::Sparse => (layout.reserved_bytes(), max_blocks * layout.block_bytes),
        Paging::Table => (0, max_blocks * layout.block_bytes),
        _ => (0, dense_bytes),
    };
    let largest = if paging == Paging::Sparse { 0 } else { max_bytes };
    if largest > device.largest_buffer {
        return Err(format!(
            "its blocks require {max_bytes} bytes, but a buffer has at most {}",
            device.largest_buffer
        ));
    }
    if max_bytes > device.memory {
        return Err(format!(
            "its blocks require {max_bytes} bytes, but the device has {}",
            device.memory
        ));
    }
    Ok(Choice {
        paging,
        notice,
        reserved_bytes,
        max_bytes,
        max_blocks,
    })
}

fn sparse(layout: &Layout, device: &Abilities) -> Result<(), String> {
    let Some(space) = device.sparse_bytes else {
        return Err("the device has no sparse residency".into());
    };
    let space = space.min(device.largest_buffer);
    if layout.reserved_bytes() <= space {
        Ok(())
    } else {
        Err(format!(
            "it requires {} bytes of addresses, but the device has {space} for sparse memory",
            layout.reserved_bytes()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{self, Document};
    use std::path::Path;

    fn grid(sparse: &str) -> SparseGrid {
        let text = format!(
            r#"{{"run": {{"dt": 1}}, "grids": {{"g": {{"cells": [256, 256, 256], "cell_size": 1,
                "sparse": {sparse}, "channels": {{"a": "float", "b": "float"}}}}}}, "step": []}}"#
        );
        let document = Document::parse("g.json", &text, Path::new("")).unwrap();
        let resolved = spec::from_document("g", &document, &Default::default());
        let (pipeline, _) = resolved.unwrap_or_else(|problems| panic!("{problems}"));
        pipeline.sparse_grids().next().unwrap().1.clone()
    }

    /// 2048 blocks of 64 KiB: 128 MiB.
    const WHOLE: u64 = 128 << 20;

    #[test]
    fn auto_paging_takes_the_best_available_and_reports_what_is_missing() {
        let device = |sparse_bytes, memory| Abilities {
            sparse_bytes,
            largest_buffer: 1 << 40,
            memory,
        };
        let auto = grid("{}");
        let choice = choose(&auto, &device(Some(WHOLE), 1 << 30)).unwrap();
        assert_eq!((choice.paging, &choice.notice), (Paging::Sparse, &None));
        assert_eq!((choice.reserved_bytes, choice.max_bytes), (WHOLE, WHOLE));
        let choice = choose(&auto, &device(None, 1 << 30)).unwrap();
        assert_eq!(choice.paging, Paging::Dense);
        assert!(choice.notice.unwrap().contains("no sparse residency"));
        let choice = choose(&auto, &device(Some(WHOLE - 1), WHOLE)).unwrap();
        assert_eq!(choice.paging, Paging::Table);
        assert!(choice.max_bytes < WHOLE);
        assert!(choice.notice.unwrap().contains("134217728 bytes of addresses"));
    }

    #[test]
    fn explicit_paging_is_used_or_refused() {
        let small = Abilities {
            sparse_bytes: None,
            largest_buffer: 1 << 40,
            memory: WHOLE / 2,
        };
        assert!(
            choose(&grid(r#"{"paging": "sparse"}"#), &small)
                .unwrap_err()
                .contains("no sparse residency")
        );
        assert!(
            choose(&grid(r#"{"paging": "dense"}"#), &small)
                .unwrap_err()
                .contains("the device has")
        );
        let table = choose(&grid(r#"{"paging": "table", "budget": 1e6}"#), &small).unwrap();
        assert_eq!((table.paging, table.max_blocks), (Paging::Table, 15));
    }
}
