//! The cost of an element in each case of a sweep.

use std::collections::BTreeMap;

use super::result::{Bench, ListBench, StageBench};
use super::sweep::BenchSweep;

/// The part of a time from which on launches or the host count as its limit.
const OVERHEAD: f64 = 1.0 / 3.0;
/// Stages that take a larger part of the step in the largest case have a line.
const SHOWN_SHARE: f64 = 0.05;
/// Maximum number of lines of stages.
const MAX_STAGES: usize = 6;

/// The cost of an element of the step, or of a stage, in each case of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct CostLine {
    /// Name of the stage; `None` for the step.
    pub stage: Option<String>,
    /// The resource whose elements count.
    pub domain: String,
    /// The word for an element of it.
    pub element: String,
    /// By case; `None` if the stage did not run in it.
    pub points: Vec<Option<CostPoint>>,
}

/// The cost of an element in a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostPoint {
    /// Number of elements.
    pub elements: u64,
    /// Time per element in a step in which the stage runs, ns.
    pub ns: f64,
    /// True if launches (their number times the time of a dispatch of one element) take over a third of the time of the
    /// stage or of the step, or the submission of the step does.
    pub is_overhead: bool,
}

impl CostLine {
    /// The lowest and the highest cost of the cases that launches and host do not limit, and the number of these cases.
    /// `None` if there are none.
    pub fn range(&self) -> Option<(f64, f64, usize)> {
        let points = self.points.iter().flatten().filter(|point| !point.is_overhead);
        points.fold(None, |range, point| {
            let (low, high, cases) = range.unwrap_or((point.ns, point.ns, 0));
            Some((low.min(point.ns), high.max(point.ns), cases + 1))
        })
    }
}

impl BenchSweep {
    /// The cost of the step per element, and those of the stages that take the largest part of it in the largest case. The
    /// elements of the step are those of the largest domain in which the cases differ, or of the largest one of all; the
    /// elements of a stage are those of its own domain, if the pipeline has declared it.
    ///
    /// Empty without cases, or if no resource is a domain in all of them.
    pub fn costs(&self) -> Vec<CostLine> {
        let Some(domain) = self.domain() else {
            return Vec::new();
        };
        let total = self.line(None, domain, &|bench| {
            let ms = bench.step.wall_ms.median;
            point(bench, domain, ms, self.is_step_overhead(bench))
        });
        let stages = self.longest_stages(domain).into_iter().map(|(name, over)| {
            let domain = over.unwrap_or(domain);
            self.line(Some(name), domain, &|bench| {
                let stage = stage(&bench.step, name)?;
                let ms = stage.device_ms.median;
                let is_overhead = self.is_overhead(f64::from(stage.dispatches), ms);
                point(bench, domain, ms, is_overhead || self.is_step_overhead(bench))
            })
        });
        [total].into_iter().chain(stages).collect()
    }

    fn line(
        &self,
        stage: Option<&str>,
        domain: &str,
        cost: &dyn Fn(&Bench) -> Option<CostPoint>,
    ) -> CostLine {
        let mut domains = self.cases.iter().flat_map(|case| &case.bench.domains);
        let element = domains.find(|other| other.resource == domain);
        CostLine {
            stage: stage.map(str::to_string),
            domain: domain.to_string(),
            element: element.map_or_else(String::new, |found| found.element.clone()),
            points: self.cases.iter().map(|case| cost(&case.bench)).collect(),
        }
    }

    fn is_step_overhead(&self, bench: &Bench) -> bool {
        let step = &bench.step;
        self.is_overhead(step.dispatches, step.wall_ms.median)
            || step.host_ms.median > OVERHEAD * step.wall_ms.median
    }

    /// True if so many dispatches need a large part of a time only for their launches.
    fn is_overhead(&self, dispatches: f64, ms: f64) -> bool {
        dispatches * self.launch_us * 1e-3 > OVERHEAD * ms
    }

    /// The resource whose elements the step is divided by.
    fn domain(&self) -> Option<&str> {
        let mut numbers: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for domain in self.cases.iter().flat_map(|case| &case.bench.domains) {
            numbers.entry(&domain.resource).or_default().push(domain.elements);
        }
        let whole = numbers
            .into_iter()
            .filter(|(_, found)| found.len() == self.cases.len());
        let best = whole.max_by_key(|(_, found)| {
            let max = found.iter().max().copied();
            (max != found.iter().min().copied(), max)
        });
        best.map(|(name, _)| name)
    }

    /// The stages with the largest shares of the step in the largest case, each with its domain.
    fn longest_stages(&self, domain: &str) -> Vec<(&str, Option<&str>)> {
        let size = |bench: &&Bench| elements(bench, domain);
        let Some(bench) = self.cases.iter().map(|case| &case.bench).max_by_key(size) else {
            return Vec::new();
        };
        let stages = bench
            .step
            .stages
            .iter()
            .filter(|stage| stage.share >= SHOWN_SHARE);
        let mut stages: Vec<&StageBench> = stages.collect();
        stages.sort_by(|a, b| b.share.total_cmp(&a.share));
        let names = stages.into_iter().take(MAX_STAGES);
        names
            .map(|stage| (stage.stage.as_str(), stage.over.as_deref()))
            .collect()
    }
}

fn stage<'a>(list: &'a ListBench, name: &str) -> Option<&'a StageBench> {
    list.stages.iter().find(|stage| stage.stage == name)
}

/// The cost of an element of `domain`, if it has any in this case.
fn point(bench: &Bench, domain: &str, ms: f64, is_overhead: bool) -> Option<CostPoint> {
    let elements = elements(bench, domain).filter(|elements| *elements > 0)?;
    Some(CostPoint {
        elements,
        ns: ms * 1e6 / elements as f64,
        is_overhead,
    })
}

fn elements(bench: &Bench, domain: &str) -> Option<u64> {
    let found = bench.domains.iter().find(|other| other.resource == domain);
    found.map(|domain| domain.elements)
}

#[cfg(test)]
mod tests {
    use super::super::result::{DomainBench, Spread};
    use super::super::sweep::BenchCase;
    use super::*;

    fn spread(median: f64) -> Spread {
        Spread {
            median,
            min: median,
            max: median,
        }
    }

    /// A case with cells and flakes, and the times of its step and of the stage `advect` over the cells.
    fn case(cells: u64, flakes: u64, [step, advect]: [f64; 2]) -> BenchCase {
        let domain = |resource: &str, element: &str, elements| DomainBench {
            resource: resource.into(),
            element: element.into(),
            elements,
        };
        let stage = |name: &str, over: Option<&str>, ms: f64| StageBench {
            stage: name.into(),
            every: 1,
            dispatches: 2,
            device_ms: spread(ms),
            share: ms / step,
            bytes: None,
            over: over.map(str::to_string),
        };
        let stages = vec![
            stage("find", None, step - advect),
            stage("advect", Some("air"), advect),
        ];
        BenchCase {
            overrides: vec![format!("n={cells}")],
            bench: Bench {
                pipeline: "snow".into(),
                program: String::new(),
                device: String::new(),
                driver: String::new(),
                copy_gb_per_s: 1.0,
                steps: 1,
                runs: 1,
                domains: vec![domain("flakes", "particle", flakes), domain("air", "cell", cells)],
                step: ListBench {
                    wall_ms: spread(step),
                    host_ms: spread(0.01),
                    dispatches: 4.0,
                    barriers: 4.0,
                    stages,
                },
                frame: None,
                overlap: None,
            },
        }
    }

    /// A dispatch takes 10 us.
    fn sweep(cases: Vec<BenchCase>) -> BenchSweep {
        BenchSweep {
            copy_gb_per_s: 1.0,
            launch_us: 10.0,
            cases,
        }
    }

    #[test]
    fn costs_are_of_the_elements_that_change() {
        let costs = sweep(vec![case(1000, 9000, [0.1, 0.03]), case(64000, 9000, [3.2, 1.6])]).costs();
        let (total, advect) = (&costs[0], &costs[2]);
        assert_eq!((total.stage.as_deref(), total.domain.as_str()), (None, "air"));
        assert_eq!(total.element, "cell");
        let points: Vec<CostPoint> = total.points.iter().flatten().copied().collect();
        let numbers = points.iter().map(|point| (point.elements, point.ns.round()));
        assert_eq!(numbers.collect::<Vec<_>>(), [(1000, 100.0), (64000, 50.0)]);
        assert_eq!(advect.stage.as_deref(), Some("advect"));
        assert_eq!(advect.points[1].map(|point| point.ns.round()), Some(25.0));
    }

    #[test]
    fn cases_that_launches_limit_do_not_count_for_the_range() {
        // Four dispatches take 0.04 ms: a third of 0.12.
        let cases = [(1000, 0.119), (2000, 0.121), (4000, 0.16)];
        let cases = cases.map(|(cells, ms)| case(cells, 10, [ms, 0.75 * ms]));
        let costs = sweep(cases.into()).costs();
        let total = &costs[0];
        // Two dispatches take 0.02 ms, less than a third of 0.089, but the step is limited.
        let advect = costs[1].points.iter().flatten().map(|point| point.is_overhead);
        assert_eq!(advect.collect::<Vec<_>>(), [true, false, false]);
        let overhead = total.points.iter().flatten().map(|point| point.is_overhead);
        assert_eq!(overhead.collect::<Vec<_>>(), [true, false, false]);
        let (low, high, cases) = total.range().unwrap();
        assert_eq!((low.round(), high.round(), cases), (40.0, 61.0, 2));
    }

    #[test]
    fn stages_are_sorted_by_their_share_of_the_largest_case() {
        let costs = sweep(vec![case(64000, 10, [3.2, 2.0]), case(1000, 10, [0.1, 0.03])]).costs();
        let names: Vec<Option<&str>> = costs.iter().map(|line| line.stage.as_deref()).collect();
        assert_eq!(names, [None, Some("advect"), Some("find")]);
        assert_eq!(costs[2].domain, "air", "that of the step, as its own is unknown");
    }

    #[test]
    fn cases_without_a_common_domain_have_no_costs() {
        assert_eq!(sweep(Vec::new()).costs(), []);
        let mut other = case(64, 10, [1.0, 0.5]);
        other.bench.domains.clear();
        assert_eq!(sweep(vec![case(64, 10, [1.0, 0.5]), other]).costs(), []);
    }
}
