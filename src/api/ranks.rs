//! Pipelines that several ranks run together.

use crate::ir::{CutRequest, Uncut};
use crate::plan::{self, graph};
use crate::problem::{Problem, Problems};
use crate::run::problems_of_cut;

use super::pipeline::Pipeline;

impl Pipeline {
    /// Checks that the pipeline can be cut into parts for `ranks` ranks. Returns notices about the costs: fields that are
    /// gathered in every step. The error names what cannot be cut.
    pub fn check_cut(&self, request: &CutRequest, ranks: usize) -> Result<Vec<String>, Problems> {
        self.inner
            .clone()
            .cut(request, 0, ranks)
            .map_err(|uncut| self.uncut(uncut))
    }

    /// The parts of the pipeline for `ranks` ranks as text: the stages that run on parts, and the exchanges of a frame.
    pub fn graph_of_ranks(&self, request: &CutRequest, ranks: usize) -> Result<String, Problems> {
        let mut cut = self.inner.clone();
        let notices = cut.cut(request, 0, ranks).map_err(|uncut| self.uncut(uncut))?;
        plan::compute_halos(&mut cut);
        let plan = plan::plan(&cut).map_err(Problem::without_place)?;
        let notices = notices.iter().map(|notice| format!("notice: {notice}\n"));
        Ok(graph::ranks(&cut, &plan) + &notices.collect::<String>())
    }

    fn uncut(&self, uncut: Vec<Uncut>) -> Problems {
        self.located(problems_of_cut(uncut))
    }
}
