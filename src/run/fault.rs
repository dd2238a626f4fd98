//! The fault record of checked runs: which stage touched what outside its size.

use std::fmt;

use crate::spec::Pipeline;

/// The first access outside a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub stage: String,
    pub field: String,
    pub write: bool,
    /// As many axes as the field's resource has.
    pub index: Vec<i64>,
    pub size: Vec<u64>,
    pub invocation: [u32; 3],
}

impl Fault {
    /// Reads the record as the generated interface writes it; `None` while it is unclaimed.
    pub fn decode(bytes: &[u8], pipeline: &Pipeline) -> Option<Fault> {
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let [claimed, stage, field, kind, x, y, z, ix, iy, iz] = words[..] else {
            return None;
        };
        if claimed == 0 {
            return None;
        }
        let stage = pipeline.stages.get(stage as usize)?;
        let field = pipeline.fields.get(field as usize)?;
        let resource = &pipeline.resources[field.resource];
        let axes = resource.axes() as usize;
        let index = match axes {
            1 => vec![i64::from(x)],
            _ => [x, y, z][..axes].iter().map(|i| i64::from(*i as i32)).collect(),
        };
        Some(Fault {
            stage: stage.name.clone(),
            field: field.name.clone(),
            write: kind == 1,
            index,
            size: resource.size[..axes].to_vec(),
            invocation: [ix, iy, iz],
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "stage `{}` {} `{}` at index {}, outside its size {} (invocation {})",
            self.stage,
            if self.write { "wrote" } else { "read" },
            self.field,
            tuple(&self.index),
            tuple(&self.size),
            tuple(&self.invocation)
        )
    }
}

/// One number plainly, several in parentheses.
fn tuple<T: fmt::Display>(values: &[T]) -> String {
    let text: Vec<String> = values.iter().map(T::to_string).collect();
    match text.len() {
        1 => text.concat(),
        _ => format!("({})", text.join(", ")),
    }
}
