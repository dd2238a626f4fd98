//! Updates of running simulations to another version of their pipeline.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::problem::Problem;
use crate::run::device::device_class;
use crate::shader::{self, Module};

use super::error::{Error, ErrorKind};
use super::pipeline::Pipeline;
use super::simulation::Simulation;

/// Effect of an update.
#[derive(Debug)]
pub enum Update {
    /// Only values have changed; the next step uses them.
    Values,
    /// Kernels, repeats or dispatches have changed and were rebuilt. The state was kept.
    Kernels,
    /// The state does not fit the pipeline, for this reason. The simulation is unchanged; start a new one instead.
    Restart(Error),
}

impl Simulation {
    /// Continues with another version of the pipeline, such as one from [`Pipeline::with`], and keeps the state. Shader
    /// files are read again if more than values has changed, or if `files_changed`.
    ///
    /// An error of kind [`ErrorKind::Input`] leaves the simulation unchanged; after any other error it cannot continue.
    pub fn update(&mut self, pipeline: &Pipeline, files_changed: bool) -> Result<Update, Error> {
        let found = self.ask(|inner| {
            let fitted = inner.fitted(pipeline.inner.clone());
            let values_alone = inner.pipeline().differs_in_values_alone(&fitted);
            if values_alone && !files_changed {
                return Ok((fitted, Ok(None)));
            }
            let modules = shader::build(
                &fitted,
                device_class(inner.gpu()),
                &pipeline.swaps,
                inner.gpu().cache(),
            );
            let modules = modules.map(|modules| {
                let unchanged = values_alone && hashes(&modules).eq(hashes(inner.modules()));
                (!unchanged).then_some(modules)
            });
            Ok((fitted, modules))
        });
        let (fitted, modules) = found?;
        let Some(modules) = modules.map_err(|problems| pipeline.located(problems))? else {
            self.ask(|inner| inner.set_values(fitted))?;
            self.adopt(pipeline);
            return Ok(Update::Values);
        };
        let recorded = self.end_recording()?;
        let rebuilt = self.ask(|inner| inner.rebuild(fitted, modules));
        if rebuilt.is_ok() {
            self.adopt(pipeline);
        }
        match rebuilt {
            Err(error) if error.kind() == ErrorKind::Timeout => return Err(error),
            _ => recorded.map_or(Ok(()), |directory| self.record(directory))?,
        }
        Ok(rebuilt.map_or_else(Update::Restart, |()| Update::Kernels))
    }

    /// The files of its shaders and their includes, without built-in ones.
    pub fn shader_files(&self) -> BTreeSet<PathBuf> {
        let modules = self.inner.iter().flat_map(|inner| inner.modules());
        let sources = modules.flat_map(|module| &module.kernel.sources);
        let files = sources.map(|(name, _)| PathBuf::from(name));
        files.filter(|file| file.is_file()).collect()
    }

    /// Looks up a field by name.
    pub(super) fn field_id(&self, name: &str) -> Result<usize, Error> {
        self.pipeline.inner.field(name).ok_or_else(|| {
            let fields = self.pipeline.inner.fields.iter().map(|field| field.name.as_str());
            let problem = Problem::without_place(format!("`{name}` is not a field of this pipeline"));
            Error::misuse(problem.suggest(name, fields).to_string())
        })
    }
}

fn hashes(modules: &[Module]) -> impl Iterator<Item = [u8; 32]> {
    modules.iter().map(|module| *module.hash.as_bytes())
}
