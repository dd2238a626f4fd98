//! Series from the device to disk: combines partial results to the values of a line.

use std::path::{Path, PathBuf};

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{Class, Column, FieldId, PARTIAL_WORDS, Pipeline, Reduction, Series, SeriesFormat, Term};
use crate::output::{FrameColumn, OutputError, Series as Log};
use crate::plan::memory::STAGING_BUFFERS;

use super::error::RunError;
use super::world_directories::directory_of;

/// The series of a run.
pub struct Measures {
    /// By series, then world.
    logs: Vec<Vec<Log>>,
    /// Warnings about missing lines of earlier frames.
    pub gaps: Vec<String>,
    /// For each series, the free staging buffers, each for all worlds.
    free: Vec<Vec<Buffer>>,
    steps_per_frame: u64,
    dt: f64,
}

/// The staging buffers of one frame, with the series that they belong to.
pub type StagedSeries = Vec<(usize, Buffer)>;

/// A number of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl Measures {
    /// Starts the logs of a run, or continues them after a frame that already has its line.
    pub fn new(gpu: &Gpu, pipeline: &Pipeline, directory: &Path, after: u64) -> Result<Measures, RunError> {
        let mut logs: Vec<Vec<Log>> = Vec::new();
        let mut gaps = Vec::new();
        let mut free = Vec::new();
        for series in &pipeline.series {
            let header = header(series);
            let of_worlds = (0..pipeline.worlds()).map(|world| {
                let path = path(series, &directory_of(pipeline, directory, world));
                match after {
                    0 => Log::create(&path, &header),
                    frame => Log::resume(&path, &header, frame_column(series.format), frame),
                }
            });
            let of_worlds = of_worlds.collect::<Result<Vec<Log>, _>>()?;
            if after > 0 {
                // The line of frame 0 is the state before the first step.
                let lines = after / series.every + 1;
                gaps.extend(of_worlds.iter().filter_map(|log| log.gap(lines, after)));
            }
            logs.push(of_worlds);
            let bytes = pipeline.bytes_of_worlds(series.partials);
            let buffers = (0..STAGING_BUFFERS).map(|_| {
                let name = format!("staging {}", series.name);
                gpu.buffer(&name, bytes, BufferKind::Download)
            });
            free.push(buffers.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(Measures {
            logs,
            gaps,
            free,
            steps_per_frame: u64::from(pipeline.steps_per_frame),
            dt: pipeline.dt,
        })
    }

    /// The series of a rank that writes no files.
    pub fn without_files(pipeline: &Pipeline) -> Measures {
        Measures {
            logs: Vec::new(),
            gaps: Vec::new(),
            free: Vec::new(),
            steps_per_frame: u64::from(pipeline.steps_per_frame),
            dt: pipeline.dt,
        }
    }

    /// Returns true if a series has a line for a frame.
    pub fn is_any_due(pipeline: &Pipeline, frame: u64) -> bool {
        pipeline.series.iter().any(|series| is_due(series, frame))
    }

    /// Returns true if a frame has a line in a series whose values come from these fields.
    pub fn wants(pipeline: &Pipeline, frame: u64, fields: &[FieldId]) -> bool {
        let mut due = pipeline.series.iter().filter(|series| is_due(series, frame));
        due.any(|series| series.items.iter().any(|item| fields.contains(&item.field)))
    }

    /// Staging buffers for the series that have a line for a frame; `None` while older frames hold them all.
    pub fn stage(&mut self, pipeline: &Pipeline, frame: u64) -> Option<StagedSeries> {
        let due: Vec<usize> = (0..pipeline.series.len())
            .filter(|number| is_due(&pipeline.series[*number], frame))
            .collect();
        if due.iter().any(|number| self.free[*number].is_empty()) {
            return None;
        }
        let staged = due
            .into_iter()
            .filter_map(|number| Some((number, self.free[number].pop()?)));
        Some(staged.collect())
    }

    /// The fields to download, with their staging buffers.
    pub fn copies(pipeline: &Pipeline, staged: &StagedSeries) -> Vec<(FieldId, usize, Buffer)> {
        staged
            .iter()
            .map(|(number, buffer)| (pipeline.series[*number].partials, 0, buffer.clone()))
            .collect()
    }

    /// Writes the lines of a frame whose staging buffers have been filled. Frames come in their order.
    pub fn append(&mut self, pipeline: &Pipeline, frame: u64, staged: StagedSeries) -> Result<(), RunError> {
        for (number, buffer) in staged {
            let series = &pipeline.series[number];
            let step = frame * self.steps_per_frame;
            let own = pipeline.field_bytes(series.partials) as usize;
            let worlds = buffer
                .bytes()?
                .chunks(pipeline.world_bytes(series.partials) as usize);
            for ((world, bytes), log) in worlds.enumerate().zip(&mut self.logs[number]) {
                // Series of a world may contain its parameters.
                let series = &pipeline.values_of(world).series[number];
                let mut values = values(pipeline, series, &bytes[..own]);
                if frame == 0 {
                    without_drawn(pipeline, series, &mut values);
                }
                log.append(&line(series, frame, step, step as f64 * self.dt, &values))?;
            }
            self.free[number].push(buffer);
        }
        Ok(())
    }

    /// Ensures that all lines survive a power failure.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.logs.iter_mut().flatten().try_for_each(Log::flush)
    }

    /// Bytes of each log.
    pub fn bytes(&self) -> impl Iterator<Item = u64> {
        self.logs.iter().map(|logs| logs.iter().map(Log::bytes).sum())
    }
}

fn is_due(series: &Series, frame: u64) -> bool {
    frame.is_multiple_of(series.every)
}

/// The path of a series.
pub fn path(series: &Series, directory: &Path) -> PathBuf {
    directory.join(format!("{}.{}", series.name, series.format.extension()))
}

fn frame_column(format: SeriesFormat) -> FrameColumn {
    match format {
        SeriesFormat::Csv => FrameColumn::CSV,
        SeriesFormat::JsonLines => FrameColumn::JSON,
    }
}

fn header(series: &Series) -> String {
    match series.format {
        SeriesFormat::Csv => {
            let names = series.columns.iter().map(|column| column.name.as_str());
            let names: Vec<&str> = ["frame", "step", "time"].into_iter().chain(names).collect();
            format!("{}\n", names.join(","))
        }
        SeriesFormat::JsonLines => String::new(),
    }
}

/// The values of a line, from the partial results of all items.
pub fn values(pipeline: &Pipeline, series: &Series, bytes: &[u8]) -> Vec<Number> {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let mut partials = words.chunks_exact(PARTIAL_WORDS as usize);
    let totals: Vec<Total> = (series.items.iter().zip(&series.groups))
        .map(|(item, groups)| {
            let mut total = Total::new(pipeline.class_of(item));
            partials
                .by_ref()
                .take(*groups as usize)
                .for_each(|partial| total.add(partial));
            total
        })
        .collect();
    let term = |term: &Term| match *term {
        Term::Known(value) => Number::Whole(i128::from(value)),
        Term::Reduced { item, by } => totals[item].reduced(by),
    };
    let value = |column: &Column| match (&column.formula, column.terms.first()) {
        (None, Some(first)) => term(first),
        (None, None) => Number::Float(f64::NAN),
        (Some(formula), _) => {
            let values: Vec<f64> = column.terms.iter().map(|found| term(found).float()).collect();
            // Functions such as `max` would hide a NaN.
            if values.iter().any(|value| value.is_nan()) {
                Number::Float(f64::NAN)
            } else {
                Number::Float(formula.value(&values, &mut Vec::new()))
            }
        }
    };
    series.columns.iter().map(value).collect()
}

/// Sets values of fields that frame stages write to NaN: before the first step, these stages have not run.
fn without_drawn(pipeline: &Pipeline, series: &Series, values: &mut [Number]) {
    let stages = pipeline.frame.iter().map(|entry| &pipeline.stages[entry.stage]);
    let drawn: Vec<FieldId> = stages.flat_map(|stage| stage.writes().iter().copied()).collect();
    let is_drawn = |term: &Term| matches!(term, Term::Reduced { item, .. } if drawn.contains(&series.items[*item].field));
    for (column, value) in series.columns.iter().zip(values) {
        if column.terms.iter().any(is_drawn) {
            *value = Number::Float(f64::NAN);
        }
    }
}

/// The partial results of one item, combined in their order.
struct Total {
    class: Class,
    count: u64,
    nonfinite: u64,
    /// Floats: the sum of workgroups, and the rounding error so far.
    sum: f64,
    rest: f64,
    whole: i128,
    least: u32,
    most: u32,
}

impl Total {
    fn new(class: Class) -> Total {
        Total {
            class,
            count: 0,
            nonfinite: 0,
            sum: 0.0,
            rest: 0.0,
            whole: 0,
            least: u32::MAX,
            most: 0,
        }
    }

    fn add(&mut self, partial: &[u32]) {
        let [count, nonfinite, low, high, least, most] = *partial else {
            return;
        };
        self.count += u64::from(count);
        self.nonfinite += u64::from(nonfinite);
        match self.class {
            Class::Float => {
                self.sum += f64::from(f32::from_bits(low));
                self.rest += f64::from(f32::from_bits(high));
            }
            _ => self.whole += i128::from((u64::from(high) << 32 | u64::from(low)) as i64),
        }
        self.least = self.least.min(least);
        self.most = self.most.max(most);
    }

    /// A value that is not finite makes extrema and sums NaN: otherwise they would look valid.
    fn reduced(&self, by: Reduction) -> Number {
        let float = self.class == Class::Float;
        let sum = if !float {
            self.whole as f64
        } else if self.sum.is_finite() && self.rest.is_finite() {
            self.sum + self.rest
        } else {
            // A sum beyond the range of floats has no rest.
            self.sum
        };
        let number = |key: u32| {
            if float {
                Number::Float(self.class.number(key))
            } else {
                Number::Whole(self.class.number(key) as i128)
            }
        };
        match by {
            Reduction::NonFinite => Number::Whole(i128::from(self.nonfinite)),
            Reduction::Sum if !float => Number::Whole(self.whole),
            _ if self.nonfinite > 0 => Number::Float(f64::NAN),
            Reduction::Sum => Number::Float(sum),
            _ if self.count == 0 => Number::Float(f64::NAN),
            Reduction::Mean => Number::Float(sum / self.count as f64),
            Reduction::Minimum | Reduction::Value => number(self.least),
            Reduction::Maximum => number(self.most),
        }
    }
}

/// The shortest text from which a number reads back exactly.
fn text(number: Number, format: SeriesFormat) -> String {
    match (number, format) {
        (Number::Whole(value), _) => value.to_string(),
        (Number::Float(value), _) if value.is_finite() => format!("{value:?}"),
        // JSON has no other numbers.
        (_, SeriesFormat::JsonLines) => "null".into(),
        (Number::Float(value), SeriesFormat::Csv) => value.to_string().to_lowercase(),
    }
}

/// The line of a frame.
pub fn line(series: &Series, frame: u64, step: u64, time: f64, values: &[Number]) -> String {
    let format = series.format;
    let values = values.iter().map(|value| text(*value, format));
    match format {
        SeriesFormat::Csv => {
            let cells = [frame.to_string(), step.to_string(), format!("{time:?}")];
            let cells: Vec<String> = cells.into_iter().chain(values).collect();
            format!("{}\n", cells.join(","))
        }
        SeriesFormat::JsonLines => {
            let pairs = series.columns.iter().zip(values);
            let pairs: String = pairs
                .map(|(column, value)| format!(", \"{}\": {value}", column.name))
                .collect();
            format!("{{\"frame\": {frame}, \"step\": {step}, \"time\": {time:?}{pairs}}}\n")
        }
    }
}
