//! Reductions: the values of many elements, combined to one value.

use super::resource::Resource;
use crate::element::{Element, Scalar};

/// The operation by which a reduction combines values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    Sum,
    Min,
    Max,
    /// The number of values that are true, or not 0.
    Count,
}

impl Operation {
    /// Its name in pipeline files, with which functions of kernels begin.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Sum => "sum",
            Operation::Min => "min",
            Operation::Max => "max",
            Operation::Count => "count",
        }
    }

    /// The bits of the neutral element.
    pub fn identity(self, scalar: Scalar) -> u32 {
        match (self, scalar) {
            (Operation::Sum | Operation::Count, _) => 0,
            (Operation::Min, Scalar::Float) => f32::INFINITY.to_bits(),
            (Operation::Min, Scalar::Int) => i32::MAX as u32,
            (Operation::Min, Scalar::Uint) => u32::MAX,
            (Operation::Max, Scalar::Float) => f32::NEG_INFINITY.to_bits(),
            (Operation::Max, Scalar::Int) => i32::MIN as u32,
            // [`is_reducible`] excludes other types.
            (Operation::Min | Operation::Max, _) => 0,
        }
    }

    /// The type of the result for values of a type.
    pub fn result(self, element: Element) -> Element {
        match self {
            Operation::Count => Element::Uint,
            _ => element,
        }
    }
}

/// Returns true if values of a type can be reduced: numbers and vectors of 32 bits.
pub fn is_reducible(element: Element) -> bool {
    let is_plain = matches!(element.scalar(), Scalar::Float | Scalar::Int | Scalar::Uint);
    is_plain && element.components() <= 4 && element != Element::Rgba8
}

/// A reduction of a kernel: see [`super::Signature::reduces`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalReduction {
    /// Name of the result.
    pub name: String,
    pub operation: Operation,
    /// The local field with one value per element.
    pub values: usize,
}

/// Largest number of elements of a stage over a resource; for a sparse grid, the elements of all blocks.
pub fn max_elements(resource: &Resource) -> u64 {
    match resource.sparse() {
        Some(grid) => grid.max_blocks.saturating_mul(grid.layout.cells_per_block()),
        None => resource.elements(),
    }
}
