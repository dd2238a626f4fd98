//! Comparisons of pipelines.

use super::pipeline::Pipeline;

impl Pipeline {
    /// Returns true if another pipeline differs in the values of arguments alone.
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
                theirs.sources.clone_from(&ours.sources);
            }
        }
        // No memory and no recording depends on descriptive texts and on the length of the run.
        other.document.clone_from(&self.document);
        other.parameters.clone_from(&self.parameters);
        other.title.clone_from(&self.title);
        other.frames = self.frames;
        if self.other_worlds.len() != other.other_worlds.len() {
            return false;
        }
        // Each fits the first world.
        other.other_worlds.clone_from(&self.other_worlds);
        // The debug text contains all parts of a pipeline.
        format!("{other:?}") == format!("{self:?}")
    }

    /// Returns true if another pipeline has the same resources, so that it can continue from a state of this one.
    pub fn has_resources_of(&self, other: &Pipeline) -> bool {
        let text = |pipeline: &Pipeline| {
            let channels = pipeline.fields.iter().map(|field| (&field.name, field.element));
            let sizes = (0..pipeline.fields.len()).map(|field| pipeline.field_bytes(field));
            format!("{:?}", channels.zip(sizes).collect::<Vec<_>>())
        };
        text(self) == text(other)
    }
}
