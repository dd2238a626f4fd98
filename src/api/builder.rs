//! Pipelines from JSON text, from files, and from Rust.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cache::Cache;
use crate::initial;
use crate::inline_shaders::InlineShaders;
use crate::ir;
use crate::lower::PASSES;
use crate::problem::{Problem, Problems, pointer};
use crate::spec::document::Document;
use crate::spec::{self, Resolved, START};
use crate::workgroups::DeviceClass;

use super::entry::Entry;
use super::keys::Keys;
use super::process_limits;

/// A pipeline before it is checked: JSON text or a file, additions in Rust, overrides, and shaders in memory.
///
/// Text and Rust form one document, with the same checks. An addition in Rust replaces the value of the same name in
/// the text; entries of stage lists are appended.
///
/// ```
/// use sastrugi::{Builder, Element, Entry};
///
/// let pipeline = Builder::new("heat")
///     .time(0.1)
///     .parameter("n", 16)
///     .grid("box", ["n", "n", "n"], 1.0, |grid| grid.channel("heat", Element::Float).channel("next", Element::Float))
///     .init(Entry::stage("warm", "box").writes(["box.heat"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(ivec3 cell) { set_box_heat(cell, cell.x == 0 ? 1.0 : 0.0); }
///     "#))
///     .step(Entry::stage("spread", "box").reads(["box.heat"]).writes(["box.next"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         #pragma reach box_heat 1
///         void stage(ivec3 cell) {
///             ivec3 left = max(cell - ivec3(1, 0, 0), ivec3(0));
///             set_box_next(cell, box_heat(cell) + clock.dt * (box_heat(left) - box_heat(cell)));
///         }
///     "#))
///     .step(Entry::stage("settle", "box").reads(["box.next"]).writes(["box.heat"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(ivec3 cell) { set_box_heat(cell, box_next(cell)); }
///     "#))
///     .set("n=32")
///     .build()?;
/// assert_eq!(pipeline.fields()[0].size, [32, 32, 32]);
/// pipeline.check_shaders()?;
/// # Ok::<(), sastrugi::Problems>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    name: String,
    base: Base,
    /// Directory for relative paths in a text.
    directory: PathBuf,
    /// Arguments of [`Document::add`]: paths of keys, and values.
    additions: Vec<(Vec<String>, Value)>,
    overrides: Vec<String>,
    /// Groups that [`Simulation::call`](crate::Simulation::call) runs.
    called: Vec<String>,
    texts: InlineShaders,
    /// Reasons for refusing shaders in memory.
    refused: Vec<String>,
    /// Directory of the shader cache; `None`: no cache.
    cache: Option<PathBuf>,
    /// True if errors of [`Builder::build`] include the mistakes in shaders.
    with_shaders: bool,
}

/// The document before additions.
#[derive(Debug, Clone)]
enum Base {
    /// JSON text, and its name in messages.
    Text(String, String),
    File(PathBuf),
}

impl Builder {
    /// An empty pipeline, to be filled in Rust.
    pub fn new(name: &str) -> Builder {
        Builder::of_text(name, "{}")
    }

    /// Starts from a file.
    pub(super) fn of_file(path: &Path) -> Builder {
        Builder::of(&spec::name_of(path), Base::File(path.to_path_buf()))
    }

    pub(super) fn of_text(name: &str, text: &str) -> Builder {
        Builder::of(name, Base::Text(text.to_string(), format!("{name}.json")))
    }

    fn of(name: &str, base: Base) -> Builder {
        Builder {
            name: name.to_string(),
            base,
            directory: PathBuf::new(),
            additions: Vec::new(),
            overrides: Vec::new(),
            called: Vec::new(),
            texts: InlineShaders::default(),
            refused: Vec::new(),
            cache: None,
            with_shaders: false,
        }
    }

    /// Sets the name of the pipeline; messages call a text `<name>.json`.
    pub fn name(self, name: &str) -> Builder {
        let base = match self.base {
            Base::Text(text, _) => Base::Text(text, format!("{name}.json")),
            file => file,
        };
        Builder {
            name: name.to_string(),
            base,
            ..self
        }
    }

    /// The directory for relative paths in a text: images, files of particles, shaders that are not in memory. By
    /// default it is the current directory; for a file, the directory of the file.
    pub fn directory(self, directory: impl Into<PathBuf>) -> Builder {
        Builder {
            directory: directory.into(),
            ..self
        }
    }

    /// A shader or an include in memory, with the path that stages and `#include` use: GLSL text, or the bytes of a
    /// `.spv`. Files in memory have precedence over those on disk.
    pub fn shader(mut self, path: &str, content: impl Into<Vec<u8>>) -> Builder {
        if let Err(cause) = self.texts.insert(path, content.into()) {
            self.refused.push(cause);
        }
        self
    }

    /// Overrides a value after all additions, like `--set` of the command line: `PATH=VALUE`, such as `grid.n=64` or
    /// `run.frames=3`.
    pub fn set(mut self, assignment: &str) -> Builder {
        self.overrides.push(assignment.to_string());
        self
    }

    /// As [`Builder::set`], in place of an earlier override of the same path.
    pub(super) fn replace(&mut self, assignment: &str) {
        let path = assignment.split_inclusive('=').next().unwrap_or(assignment);
        self.overrides.retain(|known| !known.starts_with(path));
        self.overrides.push(assignment.to_string());
    }

    /// Overrides a list of values, each as by [`Builder::set`].
    pub fn set_all<T: Into<String>>(mut self, assignments: impl IntoIterator<Item = T>) -> Builder {
        self.overrides.extend(assignments.into_iter().map(Into::into));
        self
    }

    /// A group or stage that [`Simulation::call`](crate::Simulation::call) runs between steps, by the name that lists use:
    /// `solver.solve`. Fields that only this group uses are added.
    pub fn callable(mut self, name: &str) -> Builder {
        if !self.called.iter().any(|known| known == name) {
            self.called.push(name.to_string());
        }
        self
    }

    /// A directory for compiled shaders, which [`Pipeline::check_shaders`](crate::Pipeline::check_shaders) reads and fills, such as
    /// [`cache_directory`](crate::cache_directory). Without one nothing is kept.
    pub fn cache(self, directory: impl Into<PathBuf>) -> Builder {
        Builder {
            cache: Some(directory.into()),
            ..self
        }
    }

    /// Compiles shaders even if the pipeline has mistakes, so that the error contains the mistakes of both.
    pub fn report_shaders(self) -> Builder {
        Builder {
            with_shaders: true,
            ..self
        }
    }

    /// Length of a step, s.
    pub fn time(self, dt: impl Into<Value>) -> Builder {
        self.add(&["run", "dt"], dt)
    }

    /// Number of steps per frame, and number of frames of a whole run.
    pub fn frames(self, steps_per_frame: u32, frames: u64) -> Builder {
        self.add(&["run", "steps_per_frame"], steps_per_frame)
            .add(&["run", "frames"], frames)
    }

    /// A named value that expressions use and overrides change: a number, an expression, a list, or an object of those.
    pub fn parameter(self, name: &str, value: impl Into<Value>) -> Builder {
        self.add(&["parameters", name], value)
    }

    /// A grid: numbers of cells in x, y and z, or only in x and y; and the side of a cell in m, or a list of its sides.
    /// Fields are named `<grid>.<channel>`.
    pub fn grid<const AXES: usize>(
        self,
        name: &str,
        cells: [impl Into<Value>; AXES],
        cell_size: impl Into<Value>,
        keys: impl FnOnce(Keys) -> Keys,
    ) -> Builder {
        let cells = Vec::from(cells.map(Into::into));
        let grid = keys(Keys::default().key("cells", cells).key("cell_size", cell_size));
        self.add(&["grids", name], grid)
    }

    /// A particle set with `count` particles. Fields are named `<set>.<attribute>`.
    pub fn particles(self, name: &str, count: impl Into<Value>, keys: impl FnOnce(Keys) -> Keys) -> Builder {
        let set = keys(Keys::default().key("count", count));
        self.add(&["particles", name], set)
    }

    /// A plain array, one field under its own name.
    pub fn buffer(self, name: &str, element: impl Into<Value>, length: impl Into<Value>) -> Builder {
        let buffer = Keys::default().key("type", element).key("length", length);
        self.add(&["buffers", name], buffer)
    }

    /// A 2-D lattice of pixels: width and height. Fields are named `<image>.<channel>`.
    pub fn image(self, name: &str, size: [impl Into<Value>; 2], keys: impl FnOnce(Keys) -> Keys) -> Builder {
        let size = Vec::from(size.map(Into::into));
        let image = keys(Keys::default().key("pixels", size));
        self.add(&["grids", name], image)
    }

    /// Appends to the entries that run once, before the first step.
    pub fn init(self, entry: Entry) -> Builder {
        self.entry("init", entry)
    }

    /// Appends to the entries of every step.
    pub fn step(self, entry: Entry) -> Builder {
        self.entry("step", entry)
    }

    /// Appends to the entries of a frame, which run after its last step.
    pub fn frame(self, entry: Entry) -> Builder {
        self.entry("frame", entry)
    }

    /// An output of a [`Run`](crate::Run): writes a field, or a whole resource, to disk.
    pub fn output(self, name: &str, source: &str, keys: impl FnOnce(Keys) -> Keys) -> Builder {
        let output = keys(Keys::default().key("source", source));
        self.add(&["outputs", name], output)
    }

    /// Sets any other key of a pipeline file, by its path of names: `key(&["run", "watch_every"], 5)`.
    pub fn key(self, path: &[&str], value: impl Into<Value>) -> Builder {
        self.add(path, value)
    }

    fn entry(mut self, list: &str, entry: Entry) -> Builder {
        let (value, texts) = entry.into_parts();
        for (path, text) in texts {
            self = self.shader(&path, text);
        }
        self.add(&[list, "-"], value)
    }

    fn add(mut self, path: &[&str], value: impl Into<Value>) -> Builder {
        let path = path.iter().map(|part| (*part).to_string()).collect();
        self.additions.push((path, value.into()));
        self
    }

    /// The pipeline and its document, with all checks except those of shaders.
    pub(super) fn checked(&self) -> Result<(ir::Pipeline, Document), Problems> {
        process_limits::start_threads().map_err(Problem::without_place)?;
        let (found, document) = self.resolved(None)?;
        let (pipeline, mut problems) = (found.meaning.pipeline, found.problems);
        problems.list.extend(initial::check(&pipeline).list);
        if problems.is_empty() {
            crate::plan::plan(&pipeline).map_err(Problem::without_place)?;
            let pipeline = self.with_worlds(pipeline, &document, &found.worlds);
            let pipeline = pipeline.map_err(|problems| problems.located(&document.source_map()))?;
            return Ok((pipeline, document));
        }
        if self.with_shaders
            && let Err(of_shaders) = crate::shader::build(
                &pipeline,
                DeviceClass::default(),
                &Default::default(),
                &self.shader_cache(),
            )
        {
            problems.list.extend(of_shaders.list);
        }
        Err(problems.located(&document.source_map()))
    }

    /// The stage lists as text after a pass of the front end, as `sastrugi graph --after` prints them. [`Builder::passes`]
    /// has the names.
    pub fn lists_after(&self, pass: &str) -> Result<String, Problems> {
        if !Builder::passes().any(|name| name == pass) {
            let problem = Problem::without_place(format!("`{pass}` is not a pass"));
            return Err(problem.suggest(pass, Builder::passes()).into());
        }
        let (resolved, document) = self.resolved(Some(pass))?;
        if resolved.problems.is_empty() {
            Ok(resolved.meaning.text())
        } else {
            Err(resolved.problems.located(&document.source_map()))
        }
    }

    /// The passes of the front end, in order, after a name for the form before all passes.
    pub fn passes() -> impl Iterator<Item = &'static str> {
        std::iter::once(START).chain(PASSES.iter().map(|pass| pass.name))
    }

    pub(super) fn resolved(&self, last: Option<&str>) -> Result<(Resolved, Document), Problems> {
        spec::resolve(&self.name, &self.document()?, &self.texts, &self.called, last)
    }

    fn document(&self) -> Result<Document, Problems> {
        if let Some(cause) = self.refused.first() {
            let problem = Problem::without_place(format!("a shader in memory: {cause}"));
            let help = "use the name that stages and includes use, such as \"snow/fall.comp\"";
            return Err(problem.help(help).into());
        }
        let mut document = match &self.base {
            Base::Text(text, name) => Document::parse(name, text, &self.directory)?,
            Base::File(path) => Document::read(path)?,
        };
        for (path, value) in &self.additions {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let source = format!("{}{}", self.name, pointer(&path));
            document.add(&source, &path, value)?;
        }
        for assignment in &self.overrides {
            document.set(assignment)?;
        }
        Ok(document)
    }

    /// The file, or the name of the text in messages.
    pub(super) fn file(&self) -> &Path {
        match &self.base {
            Base::File(path) => path,
            Base::Text(_, name) => Path::new(name),
        }
    }

    pub(super) fn shader_cache(&self) -> Cache {
        self.cache.as_ref().map_or_else(Cache::off, Cache::at)
    }
}
