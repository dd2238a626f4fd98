//! Outputs: what they take, how often, and in which format.

use super::Element;
use super::document::pointer_part;
use super::file::{FormatFile, Number, OutputEntryFile};
use super::model::*;
use super::problem::Problem;
use super::resolve::Resolver;
use super::stages::Stages;

impl Resolver<'_> {
    /// Reports an output's name that is none.
    pub(super) fn output_name(&mut self, name: &str, pointer: &str) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            self.problems.push(
                Problem::on_key(pointer, format!("`{name}` is no output name"))
                    .help("letters, digits, `-` and `_`: it becomes a file name in the output directory"),
            );
        }
    }

    /// The outputs; what they need to see channels of sparse grids whole is added to the frame stages.
    pub(super) fn outputs(&mut self, stages: &mut Stages) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (name, output) in &self.file.outputs {
            let OutputEntryFile::Fields(output) = output else {
                continue;
            };
            let pointer = format!("/outputs/{}", pointer_part(name));
            self.output_name(name, &pointer);
            let one = Number::Value(1.0);
            let every = self.count(
                output.every.as_ref().unwrap_or(&one),
                &format!("{pointer}/every"),
                1,
                1 << 40,
            );
            let Some(field) = self.field_id(&output.source, &format!("{pointer}/source")) else {
                continue;
            };
            let picture = self.fields[field].element == Element::Rgba8;
            let format = match output.format {
                Some(FormatFile::Png) if !picture => {
                    let message = format!("`{}` is no rgba8 image channel", output.source);
                    self.problems
                        .push(Problem::new(format!("{pointer}/format"), message).help("write it as npy"));
                    Format::Npy
                }
                Some(FormatFile::Png) => Format::Png,
                Some(FormatFile::Npy) => Format::Npy,
                None if picture => Format::Png,
                None => Format::Npy,
            };
            let source = self.fields[field].name.clone();
            let every = every.unwrap_or(1);
            let turns = u32::try_from(every).unwrap_or(u32::MAX);
            let (field, unpack) = self.whole_field(field, turns, &pointer);
            let unpacked =
                |stage: &&mut Stage| stage.update.is_none() && stage.writes == [field] && stage.first > 0;
            if unpack.is_none()
                && let Some(stage) = stages.stages.iter_mut().find(unpacked)
                && stage.every != turns
            {
                // Two outputs of one channel in different rhythms: unpack for all frames.
                (stage.every, stage.first) = (1, 0);
            }
            if let Some(stage) = unpack {
                stages.frame.push(Invocation {
                    stage: stages.stages.len(),
                    values: Vec::new(),
                });
                stages.stages.push(stage);
            }
            outputs.push(Output {
                name: name.clone(),
                source,
                field,
                format,
                every,
            });
        }
        outputs
    }
}
