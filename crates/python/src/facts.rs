//! Fields and parameters as dictionaries.

use pyo3::prelude::*;
use sastrugi::{Effect, Pipeline};

/// A field of a pipeline.
#[derive(IntoPyObject)]
pub struct FieldFacts {
    name: String,
    /// The name of its element type.
    element: &'static str,
    /// Entries per element of an array.
    count: Option<u32>,
    /// Elements along x, y and z.
    size: Vec<u64>,
    bytes: u64,
    /// Distance of two worlds in memory.
    world_bytes: u64,
}

impl FieldFacts {
    pub fn of(pipeline: &Pipeline) -> Vec<FieldFacts> {
        let fields = pipeline.fields().into_iter();
        fields
            .map(|field| FieldFacts {
                name: field.name,
                element: field.element.name(),
                count: field.count,
                size: field.size,
                bytes: field.bytes,
                world_bytes: field.world_bytes,
            })
            .collect()
    }
}

/// A parameter of a pipeline.
#[derive(IntoPyObject)]
pub struct ParameterFacts {
    name: String,
    values: Vec<f64>,
    /// The values of each world, if they differ.
    worlds: Option<Vec<Vec<f64>>>,
    unit: String,
    range: Option<[f64; 2]>,
    help: Option<String>,
    effect: &'static str,
}

impl ParameterFacts {
    pub fn of(pipeline: &Pipeline) -> Vec<ParameterFacts> {
        let parameters = pipeline.parameters().iter().enumerate();
        let of_worlds = |number: usize| {
            let worlds = 0..pipeline.worlds();
            let each = worlds.map(|world| pipeline.parameters_of(world)[number].values.clone());
            let each: Vec<Vec<f64>> = each.collect();
            each.iter().any(|values| *values != each[0]).then_some(each)
        };
        parameters
            .map(|(number, parameter)| ParameterFacts {
                worlds: of_worlds(number),
                name: parameter.name.clone(),
                values: parameter.values.clone(),
                unit: parameter.unit.clone(),
                range: parameter.range,
                help: parameter.help.clone(),
                effect: match parameter.effect {
                    Effect::None => "none",
                    Effect::Argument | Effect::Value => "value",
                    Effect::Rebuild => "rebuild",
                    Effect::Restart => "restart",
                },
            })
            .collect()
    }
}
