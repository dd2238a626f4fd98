//! Buffers.

use crate::element::Element;
use crate::ir::*;
use crate::problem::Problem;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn buffers(&mut self) {
        for (name, buffer) in &self.file.buffers {
            let pointer = format!("/buffers/{}", pointer_part(name));
            if buffer.element == Element::Rgba8 {
                self.problems.push(
                    Problem::new(
                        format!("{pointer}/type"),
                        "`rgba8` is only for channels of images",
                    )
                    .help("use uint, or vec4"),
                );
            }
            let values = buffer.values.as_ref().map(|list| {
                let mut bytes = Vec::new();
                for (i, item) in list.iter().enumerate() {
                    bytes.extend(self.bytes(item, buffer.element, &format!("{pointer}/values/{i}")));
                }
                bytes
            });
            let length = match (&buffer.length, &buffer.values) {
                (Some(length), None) => self.count(length, &format!("{pointer}/length"), 1, 1 << 32),
                (None, Some(values)) if !values.is_empty() => Some(values.len() as u64),
                _ => {
                    let problem = Problem::new(
                        &pointer,
                        "a buffer requires either a `length` or a list of `values`",
                    );
                    self.problems
                        .push(problem.help("for example \"length\": 64, or \"values\": [1, 2.5]"));
                    None
                }
            };
            let background = self.background(
                buffer.background.as_ref(),
                buffer.element,
                &format!("{pointer}/background"),
            );
            let bounds = self.bounds(
                buffer.bounds.as_ref(),
                buffer.element,
                &format!("{pointer}/bounds"),
            );
            let resource = Resource::buffer(name.clone(), length.unwrap_or(1));
            let resource = self.resource(resource, length.is_some());
            self.field(Field {
                name: name.clone(),
                resource,
                element: buffer.element,
                count: None,
                background,
                given: values.is_some() || buffer.background.is_some(),
                bounds,
                start: values.map_or(Start::Background, Start::Values),
                ring: 1,
                home: Home::Device,
                at: None,
                border: None,
            });
        }
    }
}
