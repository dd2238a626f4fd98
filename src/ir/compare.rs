//! What tells two pipelines apart.

use super::pipeline::Pipeline;

impl Pipeline {
    /// Whether another pipeline in the same shapes differs in nothing but the values of arguments.
    pub fn differs_in_values_alone(&self, other: &Pipeline) -> bool {
        let mut other = other.clone();
        for (ours, theirs) in [
            (&self.init, &mut other.init),
            (&self.step, &mut other.step),
            (&self.frame, &mut other.frame),
        ] {
            if ours.len() != theirs.len() {
                return false;
            }
            for (ours, theirs) in ours.iter().zip(theirs) {
                theirs.values.clone_from(&ours.values);
            }
        }
        // Texts for people and the length of the run, on which no memory and no recording depends.
        other.document.clone_from(&self.document);
        other.parameters.clone_from(&self.parameters);
        other.title.clone_from(&self.title);
        other.frames = self.frames;
        // All parts of a pipeline show in its text for debugging.
        format!("{other:?}") == format!("{self:?}")
    }

    /// Whether another pipeline has the same resources, so that the state of one fits the other.
    pub fn has_resources_of(&self, other: &Pipeline) -> bool {
        let text = |pipeline: &Pipeline| {
            let channels = pipeline.fields.iter().map(|field| (&field.name, field.element));
            let sizes = (0..pipeline.fields.len()).map(|field| pipeline.field_bytes(field));
            format!("{:?}", channels.zip(sizes).collect::<Vec<_>>())
        };
        text(self) == text(other)
    }
}
