//! What a sparse grid adds to a pipeline: the buffers that hold its pages, the stages of an update, and the stage
//! that lays a channel out whole for an output. All are ordinary fields and stages, so that plans, barriers, memory
//! and profiles know them without further rules.

use super::document::pointer_part;
use super::file::{ChannelFile, GridFile, PagesFile, PagingFile, StorageFile, UpdateFile, WhenFullFile};
use super::model::*;
use super::problem::Problem;
use super::resolve::Resolver;
use super::{Element, FieldId};
use crate::grid::{self, Layout, WhenFull, header};

/// Most updates that requests may take to come into effect.
const LONGEST_LATENCY: u32 = 8;
/// Most cells along the three axes together.
const MOST_COORDINATES: u64 = 1 << 22;
const DEFAULT_LATENCY: u32 = 1;
const DEFAULT_KEEP: u32 = 4;
const LONGEST_KEEP: u32 = 1_000_000;
/// Invocations of the update's stages in a group; their group counts come from the host.
const UPDATE_GROUP: u32 = header::GROUP;

impl Resolver<'_> {
    /// The buffers of a sparse grid's pages, which come before its channels; `None` for a dense grid.
    pub(super) fn sparse_grid(
        &mut self,
        name: &str,
        file: &GridFile,
        size: [u64; 3],
    ) -> Option<Box<SparseGrid>> {
        let pointer = format!("/grids/{}/pages", pointer_part(name));
        if file.storage == StorageFile::Dense {
            if file.pages.is_some() {
                let problem =
                    Problem::on_key(&pointer, format!("`{name}` is a dense grid, which has no pages"));
                self.problems
                    .push(problem.help("add \"storage\": \"sparse\", or leave `pages` out"));
            }
            return None;
        }
        let defaults = PagesFile::default();
        let pages = file.pages.as_ref().unwrap_or(&defaults);
        let elements: Vec<u64> = (file.channels.values())
            .map(|channel| match channel {
                ChannelFile::Element(element) => element.bytes(),
                ChannelFile::Full(full) => full.element.bytes(),
            })
            .collect();
        let block = pages.block.map(|sides| sides.map(u64::from));
        let layout = match Layout::choose(size, &elements, grid::PAGE_BYTES, block) {
            Ok(layout) => layout,
            Err(cause) => {
                let at = match block {
                    Some(_) => format!("{pointer}/block"),
                    None => format!("/grids/{}/cells", pointer_part(name)),
                };
                let problem = Problem::new(at, format!("grid `{name}`: {cause}"));
                self.problems
                    .push(problem.help("choose other `cells`, or a `block` that suits them"));
                return None;
            }
        };
        if size.iter().sum::<u64>() > MOST_COORDINATES {
            let message = format!("more than {MOST_COORDINATES} cells along the three axes together");
            let problem = Problem::new(format!("/grids/{}/cells", pointer_part(name)), message);
            self.problems
                .push(problem.help("cells of sparse grids are found by a table of their coordinates"));
            return None;
        }
        let (latency, keep) = (
            pages.latency.unwrap_or(DEFAULT_LATENCY),
            pages.keep.unwrap_or(DEFAULT_KEEP),
        );
        for (key, value, most) in [
            ("latency", latency, LONGEST_LATENCY),
            ("keep", keep, LONGEST_KEEP),
        ] {
            if value > most {
                let problem = Problem::new(format!("{pointer}/{key}"), format!("{value} is not 0 to {most}"));
                self.problems.push(problem.help("it counts updates of the grid"));
            }
        }
        let all = layout.block_count();
        let most_blocks = match &pages.budget {
            None => all,
            Some(budget) => {
                let bytes = self.positive(budget, &format!("{pointer}/budget"))?;
                let blocks = (bytes / layout.block_bytes as f64) as u64;
                if blocks == 0 {
                    let message = format!("{bytes} bytes hold no block: one takes {}", layout.block_bytes);
                    let problem = Problem::new(format!("{pointer}/budget"), message);
                    self.problems
                        .push(problem.help("raise the budget, or choose a smaller `block`"));
                }
                blocks.clamp(1, all)
            }
        };
        self.define(format!("{name}.most_blocks"), Some(most_blocks as f64));
        let sub_blocks = most_blocks as f64 * f64::from(layout.sub_blocks());
        self.define(format!("{name}.most_sub_blocks"), Some(sub_blocks));
        let slots = u64::from(latency.min(LONGEST_LATENCY)) + 1;
        let words = layout.numbers().div_ceil(32);
        let none = f64::from(grid::NO_PAGE);
        let mut field = |suffix: &str, length: u64, background: f64, home: Home| {
            let resource = Resource {
                name: format!("{name}_{suffix}"),
                kind: Kind::Buffer,
                size: [length, 1, 1],
                origin: [0.0; 3],
                spacing: [1.0; 3],
                sparse: None,
                live: None,
            };
            self.page_field(resource, background, home)
        };
        let axes = axis_tables(&layout);
        let fields = PageFields {
            axes: field("axes", axes.len() as u64, 0.0, Home::Device),
            requests: field("requests", words, 0.0, Home::Device),
            active: field("active", words, 0.0, Home::Device),
            table: field("table", layout.numbers(), none, Home::Device),
            list: field("list", most_blocks, 0.0, Home::Device),
            header: field("pages", header::WORDS, 0.0, Home::Device),
            snapshot: field("snapshot", slots * words, 0.0, Home::HostReads),
            changes: field(
                "changes",
                slots * header::change_words(most_blocks),
                0.0,
                Home::HostWrites,
            ),
        };
        self.fields[fields.axes].values = Some(axes);
        Some(Box::new(SparseGrid {
            layout,
            paging: match pages.paging {
                PagingFile::Auto => Paging::Auto,
                PagingFile::Sparse => Paging::Sparse,
                PagingFile::Table => Paging::Table,
                PagingFile::Dense => Paging::Dense,
            },
            latency,
            keep,
            persistent: pages.persistent,
            most_blocks,
            when_full: match pages.when_full {
                WhenFullFile::Stop => WhenFull::Stop,
                WhenFullFile::Drop => WhenFull::Drop,
            },
            budgeted: pages.budget.is_some(),
            fields,
            channels: Vec::new(),
        }))
    }

    /// The grid that an update names.
    pub(super) fn updated_grid(&mut self, file: &UpdateFile, pointer: &str) -> Option<ResourceId> {
        self.sparse_id(&file.update_grid, &format!("{pointer}/update_grid"))
    }

    /// Whether the file says that a grid is sparse, even if its pages cannot be as it says.
    pub(super) fn is_meant_sparse(&self, name: &str) -> bool {
        let grid = self.file.grids.get(name);
        grid.is_some_and(|grid| grid.storage == StorageFile::Sparse)
    }

    /// Looks a sparse grid up by its name.
    pub(super) fn sparse_id(&mut self, name: &str, pointer: &str) -> Option<ResourceId> {
        let found = self.resources.iter().position(|resource| resource.name == name);
        if let Some(id) = found.filter(|id| self.resources[*id].sparse.is_some()) {
            return Some(id);
        }
        if self.is_meant_sparse(name) {
            // What is wrong with its pages has been reported.
            return None;
        }
        let problem = Problem::new(pointer, format!("`{name}` is no sparse grid"));
        let sparse =
            (self.resources.iter().filter(|resource| resource.sparse.is_some())).map(|grid| &*grid.name);
        self.problems.push(match found {
            Some(id) if matches!(self.resources[id].kind, Kind::Grid) => {
                problem.help("add \"storage\": \"sparse\" to the grid")
            }
            _ => problem
                .help("name a grid of sparse storage")
                .suggest(name, sparse),
        });
        None
    }

    /// The field that an output writes instead of a channel of a sparse grid, with the frame stage that fills it.
    pub(super) fn whole_field(
        &mut self,
        field: FieldId,
        every: u32,
        pointer: &str,
    ) -> (FieldId, Option<Stage>) {
        let grid = self.fields[field].resource;
        let Some(sparse) = self.resources[grid].sparse.clone() else {
            return (field, None);
        };
        let symbol = self.fields[field].name.replace('.', "_");
        let name = format!("{symbol}_whole");
        if let Some(known) = self.resources.iter().position(|resource| resource.name == name) {
            // Fields of the file have an id by name, this one has not.
            let of_file = |id: &FieldId| self.field_ids.contains_key(&self.fields[*id].name);
            let whole = self.fields.iter().position(|field| field.resource == known);
            if let Some(whole) = whole.filter(|id| !of_file(id)) {
                return (whole, None);
            }
            let message = format!(
                "`{}` is laid out as `{name}`, the name of another resource",
                self.fields[field].name
            );
            let problem = Problem::new(format!("{pointer}/source"), message);
            self.problems.push(problem.help("rename that resource"));
            return (field, None);
        }
        let resource = Resource {
            name: name.clone(),
            sparse: None,
            ..self.resources[grid].clone()
        };
        self.resources.push(resource);
        let whole = self.fields.len();
        self.fields.push(Field {
            name: format!("{name}.value"),
            resource: self.resources.len() - 1,
            ..self.fields[field].clone()
        });
        self.fields[whole].home = Home::Device;
        let domain = Domain {
            size: self.resources[grid].size,
            axes: 3,
            resource: Some(self.resources.len() - 1),
            over: Over::Elements,
            per_invocation: 1,
        };
        let PageFields {
            axes, active, table, ..
        } = sparse.fields;
        let mut stage = engine_stage(format!("unpack_{symbol}"), UNPACK, domain, pointer);
        stage.reads = vec![axes, active, table, field];
        stage.writes = vec![whole];
        // Outputs write frames n, 2 n, ... counted from 1.
        (stage.every, stage.first) = (every, every - 1);
        stage.aliases = vec![
            ("grid_channel".into(), symbol),
            ("set_grid_whole".into(), format!("set_{name}_value")),
        ];
        (whole, Some(stage))
    }

    fn page_field(&mut self, resource: Resource, background: f64, home: Home) -> FieldId {
        let name = resource.name.clone();
        let resource = self.resource(resource, "grids", true);
        self.field(Field {
            name,
            resource,
            element: Element::Uint,
            background,
            given: true,
            bounds: None,
            values: None,
            ring: 1,
            home,
        })
    }
}

/// What each coordinate adds to the number of a cell's block and to its place in it: pairs for x, y and z in turn,
/// each with an entry past both ends.
fn axis_tables(layout: &Layout) -> Vec<u32> {
    let mut tables = Vec::new();
    for axis in 0..3 {
        tables.extend([grid::OUTSIDE, 0]);
        for at in 0..layout.cells[axis] as u32 {
            let mut cell = [0; 3];
            cell[axis] = at;
            tables.extend([layout.block_of(cell), layout.cell_in_block(cell)]);
        }
        tables.extend([grid::OUTSIDE, 0]);
    }
    tables
}

/// The stages of an update, in order. `suffix` tells the updates of one grid apart.
pub(super) fn update_stages(
    resolver: &Resolver,
    grid: ResourceId,
    every: u32,
    suffix: &str,
    pointer: &str,
) -> Vec<Stage> {
    let resource = &resolver.resources[grid];
    let Some(sparse) = resource.sparse.as_deref() else {
        return Vec::new();
    };
    let fields = sparse.fields;
    let name = &resource.name;
    let words = sparse.layout.numbers().div_ceil(32);
    let over = |over: Over, size: u64| Domain {
        size: [size, 1, 1],
        axes: 1,
        resource: Some(grid),
        over,
        per_invocation: 1,
    };
    let stage = |verb: &str, domain: Domain, reads: &[FieldId], writes: &[FieldId], update: Update| {
        let mut stage = engine_stage(
            format!("{verb}_{name}{suffix}"),
            &format!("grid/{verb}.comp"),
            domain,
            pointer,
        );
        stage.reads = reads.to_vec();
        stage.writes = writes.to_vec();
        stage.every = every;
        stage.update = Some(update);
        stage.constants = vec![
            ("SLOTS".into(), f64::from(sparse.latency + 1)),
            ("BITMAP_WORDS".into(), words as f64),
            ("MOST_BLOCKS".into(), sparse.most_blocks as f64),
        ];
        for field in fields.all() {
            let symbol = &resolver.fields[field].name;
            let role = symbol.strip_prefix(name.as_str()).unwrap_or(symbol);
            for prefix in ["", "set_", "add_", "or_"] {
                stage
                    .aliases
                    .push((format!("{prefix}grid{role}"), format!("{prefix}{symbol}")));
            }
        }
        stage
    };
    let PageFields {
        requests,
        active,
        table,
        list,
        header,
        snapshot,
        changes,
        ..
    } = fields;
    vec![
        stage(
            "collect",
            over(Over::Elements, words),
            &[requests, header],
            &[requests, snapshot],
            Update::Collects(grid),
        ),
        stage(
            "begin",
            over(Over::Elements, header::WORDS),
            &[header, changes],
            &[header],
            Update::Applies(grid),
        ),
        stage(
            "apply",
            over(Over::Header(header::APPLY_GROUPS), 0),
            &[header, changes],
            &[active, table, list],
            Update::Continues(grid),
        ),
        stage(
            "fill",
            over(Over::Header(header::FILL_GROUPS), 0),
            &[header, changes],
            &sparse.channels,
            Update::Continues(grid),
        ),
    ]
}

/// A stage of the engine's own.
pub(super) fn engine_stage(name: String, shader: &str, domain: Domain, pointer: &str) -> Stage {
    let stated = match domain.axes {
        1 => StatedShape {
            workgroup: Some([UPDATE_GROUP, 1, 1]),
            march: None,
        },
        _ => StatedShape::default(),
    };
    Stage {
        name,
        shader: shader.to_string(),
        directory: Default::default(),
        shape: stated.on(DeviceClass::Gpu, domain.axes),
        stated,
        domain,
        reads: Vec::new(),
        writes: Vec::new(),
        arguments: Vec::new(),
        constants: Vec::new(),
        every: 1,
        first: 0,
        requests: Vec::new(),
        update: None,
        condition: None,
        aliases: Vec::new(),
        measured: Vec::new(),
        unchecked: false,
        pointer: pointer.to_string(),
    }
}
