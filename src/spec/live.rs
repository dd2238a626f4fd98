//! What a dynamic particle set adds to a pipeline: the buffer of its live count, and the engine's stages that
//! change it. They are ordinary fields and stages, so that plans, barriers and profiles know them without further
//! rules.

use super::Element;
use super::file::{Number, ParticlesFile};
use super::model::*;
use super::problem::Problem;
use super::resolve::Resolver;
use super::sparse::engine_stage;
use crate::particles::live;

impl Resolver<'_> {
    /// Most particles of a set, and for a dynamic one the field that holds how many live. `from` is what its sources
    /// give, where it has any and they are good.
    pub(super) fn population(
        &mut self,
        name: &str,
        set: &ParticlesFile,
        ring: u32,
        from: Option<u64>,
        pointer: &str,
    ) -> (Option<u64>, Option<FieldId>) {
        let mut at = format!("{pointer}/count");
        if set.from.is_some() {
            if set.count.is_some() {
                let problem = Problem::on_key(&at, "the sources in `from` say how many particles there are");
                let help = "leave `count` out; where another file says it, write \"count\": null";
                self.problems.push(problem.help(help));
            }
            at = format!("{pointer}/from");
        }
        let Some(capacity) = &set.capacity else {
            if set.from.is_some() {
                return (from, None);
            }
            let Some(count) = &set.count else {
                let problem = Problem::new(pointer, "a set has a `count`, a `capacity`, or both");
                let help = "add \"count\": the number of particles; or \"capacity\", if it changes";
                self.problems.push(problem.help(help));
                return (None, None);
            };
            return (self.count(count, &at, 1, u64::from(u32::MAX)), None);
        };
        let capacity = self.count(capacity, &format!("{pointer}/capacity"), 1, live::MOST_PARTICLES);
        let most = capacity.unwrap_or(live::MOST_PARTICLES);
        let none = Number::Value(0.0);
        let count = match set.from {
            Some(_) => from,
            None => self.count(set.count.as_ref().unwrap_or(&none), &at, 0, u64::from(u32::MAX)),
        };
        if let Some(count) = count.filter(|count| *count > most) {
            let problem = Problem::new(
                at,
                format!("{count} particles are more than the capacity of {most}"),
            );
            self.problems
                .push(problem.help("raise `capacity`, or start with fewer"));
        }
        let words = live::words(count.unwrap_or(0).min(most) as u32, 0, 0);
        let field = self.engine_buffer(format!("{name}_live"), live::WORDS, "particles");
        let live = &mut self.fields[field];
        live.values = Some(words.to_vec());
        // As the attributes, so that frames of older steps know how many particles they have.
        live.ring = ring;
        (capacity, Some(field))
    }

    /// A uint buffer of the engine's own.
    pub(super) fn engine_buffer(&mut self, name: String, length: u64, section: &str) -> FieldId {
        let resource = Resource {
            name: name.clone(),
            kind: Kind::Buffer,
            size: [length, 1, 1],
            origin: [0.0; 3],
            spacing: [1.0; 3],
            sparse: None,
            live: None,
        };
        let resource = self.resource(resource, section, true);
        // Nobody computes with the lengths of the engine's buffers.
        for length in ["nx", "count"] {
            self.scope.restore(&format!("{name}.{length}"), None);
        }
        self.field(Field {
            name,
            resource,
            element: Element::Uint,
            background: 0.0,
            given: true,
            bounds: None,
            values: None,
            ring: 1,
            home: Home::Device,
        })
    }
}

/// Where the number of births comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Births {
    /// The file: an argument of the stage.
    Number,
    /// The first element of a buffer.
    Buffer(FieldId),
}

/// The stages before and after one that emits: the first decides how many are born, the last one counts them in.
pub(super) fn emission(
    resolver: &Resolver,
    set: ResourceId,
    births: Births,
    every: u32,
    suffix: &str,
    pointer: &str,
) -> Vec<Stage> {
    let resource = &resolver.resources[set];
    let Some(live) = resource.live else {
        return Vec::new();
    };
    let stage = |verb: &str| {
        let mut stage = engine_stage(
            format!("{verb}_{}{suffix}", resource.name),
            &format!("particles/{verb}.comp"),
            Domain::list(1, Some(set)),
            pointer,
        );
        stage.reads = vec![live];
        stage.writes = vec![live];
        stage.every = every;
        stage.aliases = live_aliases(&resource.name);
        stage
    };
    let mut admit = stage("admit");
    match births {
        Births::Number => admit.arguments.push(("births".into(), Element::Uint)),
        Births::Buffer(buffer) => {
            admit.reads.push(buffer);
            let symbol = resolver.fields[buffer].name.clone();
            admit.aliases.push(("sg_births".into(), symbol));
        }
    }
    vec![admit, stage("emit")]
}

/// The names under which the engine's shaders know a set.
pub(super) fn live_aliases(set: &str) -> Vec<(String, String)> {
    let alias = |alias: &str, name: String| (alias.to_string(), name);
    vec![
        alias("sg_live", format!("{set}_live")),
        alias("sg_set_live", format!("set_{set}_live")),
        alias("sg_count", format!("{set}_count")),
        alias("sg_capacity", format!("{set}_capacity")),
        alias("sg_born", format!("{set}_born")),
    ]
}
