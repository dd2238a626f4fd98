//! The engine's stages that put particles in another order: removal, sorting, and the scan that both stand on.
//!
//! A removal lists the particles that stay, a sort lists all of them by their keys; then each attribute is moved as the
//! list says. Where the list of steps moves an attribute's ring on with it, from one copy to the other; else through a
//! scratch buffer that all attributes share.

use super::live::live_aliases;
use super::model::*;
use super::resolve::Resolver;
use super::sparse::engine_stage;
use crate::words::scan::{self, TILE_GROUP};

/// Elements that a workgroup of the tiled stages takes.
const TILE: u64 = scan::TILE as u64;
/// Bits that a pass of a sort takes.
const DIGIT_BITS: u32 = 8;

/// An entry that reorders a set.
pub(super) struct Reorder<'a> {
    pub set: ResourceId,
    pub every: u32,
    /// Attributes whose rings it moves on.
    pub direct: Vec<FieldId>,
    /// Tells entries apart.
    pub suffix: &'a str,
    pub pointer: &'a str,
}

/// The bits of a key that count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    pub first: u32,
    pub count: u32,
}

fn alias(alias: &str, name: &str) -> (String, String) {
    (format!("sg_{alias}"), name.to_string())
}

impl Reorder<'_> {
    /// The stages that take away particles whose attribute is not 0.
    pub fn removal(&self, resolver: &mut Resolver, marked: FieldId) -> Vec<Stage> {
        let Some(live) = resolver.resources[self.set].live else {
            return Vec::new();
        };
        let sums = self.sums(resolver);
        let order = self.buffer(resolver, "order", self.length(resolver));
        let mut tally = self.stage(resolver, "tally", "tally", 16);
        tally.reads.push(marked);
        tally.writes.push(sums);
        let mut scan = self.scan_sums(resolver, sums, "scan");
        scan.constants.push(("DIGITS".into(), 0.0));
        let mut compact = self.stage(resolver, "compact", "compact", 16);
        compact.reads.extend([marked, sums]);
        compact.writes.push(order);
        for stage in [&mut tally, &mut compact] {
            stage.aliases.push(alias("dead", &symbol(resolver, marked)));
        }
        let mut retire = self.stage(resolver, "retire", "retire", 1);
        retire.domain = Domain::list(1, Some(self.set));
        retire.reads.push(sums);
        retire.writes.push(live);
        let mut stages = vec![tally, scan, compact, retire];
        for stage in &mut stages {
            self.name_buffers(resolver, stage);
        }
        stages.extend(self.moves(resolver, order));
        stages
    }

    /// The stages that sort, and those that leave the offsets.
    pub fn sort(
        &self,
        resolver: &mut Resolver,
        key: FieldId,
        bits: Bits,
        offsets: Option<FieldId>,
    ) -> Vec<Stage> {
        let length = self.length(resolver);
        let passes = bits.count.div_ceil(DIGIT_BITS);
        let sums = self.sums(resolver);
        let digits = self.buffer(resolver, "digits", length.div_ceil(TILE) << DIGIT_BITS);
        let order = self.buffer(resolver, "order", length);
        // Passes write to two lists in turn, the last one to `order`.
        let mut pair = |suffix: &str, first_needed: u32| {
            (passes >= first_needed).then(|| self.buffer(resolver, suffix, length))
        };
        let (other_order, keys, other_keys) =
            (pair("other_order", 2), pair("keys", 2), pair("other_keys", 3));
        let mut stages = Vec::new();
        let mut from: (FieldId, Option<FieldId>) = (key, None);
        for pass in 0..passes {
            let after = passes - 1 - pass;
            let to = match after % 2 {
                0 => (if after == 0 { None } else { other_keys }, Some(order)),
                _ => (keys, other_order),
            };
            let width = (bits.count - pass * DIGIT_BITS).min(DIGIT_BITS);
            let digit = [
                ("DIGIT_BITS".to_string(), f64::from(DIGIT_BITS)),
                ("SHIFT".to_string(), f64::from(bits.first + pass * DIGIT_BITS)),
                ("WIDTH".to_string(), f64::from(width)),
            ];
            let count_of = ("DIGITS".to_string(), f64::from(1 << DIGIT_BITS));
            let keys_alias = alias("keys", &symbol(resolver, from.0));
            let mut count = self.stage(resolver, &format!("count_{pass}"), "count_digits", 16);
            count.reads.push(from.0);
            count.writes.push(digits);
            count.constants.extend(digit.clone());
            count.aliases.push(keys_alias.clone());
            let mut sum = self.stage(resolver, &format!("sum_{pass}"), "sum_tiles", 256);
            sum.reads.push(digits);
            sum.writes.push(sums);
            let mut scan = self.scan_sums(resolver, sums, &format!("scan_{pass}"));
            let mut starts = self.stage(resolver, &format!("starts_{pass}"), "scan_tiles", 256);
            starts.reads.extend([digits, sums]);
            starts.writes.push(digits);
            starts
                .aliases
                .push(alias("set_scanned", &format!("set_{}", symbol(resolver, digits))));
            for stage in [&mut sum, &mut scan, &mut starts] {
                stage.constants.push(count_of.clone());
            }
            let mut scatter = self.stage(resolver, &format!("scatter_{pass}"), "scatter", 16);
            scatter.reads.extend([from.0, digits].into_iter().chain(from.1));
            scatter.writes.extend(to.0.into_iter().chain(to.1));
            scatter.constants.extend(digit);
            scatter.aliases.push(keys_alias);
            if let Some(from) = from.1 {
                scatter.aliases.push(alias("from", &symbol(resolver, from)));
            }
            for (name, field) in [("set_keys", to.0), ("set_order", to.1)] {
                if let Some(field) = field {
                    scatter
                        .aliases
                        .push(alias(name, &format!("set_{}", symbol(resolver, field))));
                }
            }
            for mut stage in [count, sum, scan, starts, scatter] {
                self.name_buffers(resolver, &mut stage);
                stages.push(stage);
            }
            from = (to.0.unwrap_or(key), to.1);
        }
        stages.extend(self.moves(resolver, order));
        if let Some(offsets) = offsets {
            let mut stage = self.stage(resolver, "offsets", "offsets", 1);
            let length = resolver.resources[resolver.fields[offsets].resource].size[0];
            stage.domain = Domain::list(length, Some(self.set));
            stage.reads.push(key);
            stage.writes.push(offsets);
            stage.constants = vec![
                ("SHIFT".into(), f64::from(bits.first)),
                ("WIDTH".into(), f64::from(bits.count)),
            ];
            stage.aliases.push(alias("keys", &symbol(resolver, key)));
            stage.aliases.push(alias(
                "set_offsets",
                &format!("set_{}", symbol(resolver, offsets)),
            ));
            stages.push(stage);
        }
        stages
    }

    /// The stages that bring every attribute in the order of a list.
    fn moves(&self, resolver: &mut Resolver, order: FieldId) -> Vec<Stage> {
        let attributes: Vec<FieldId> = (0..resolver.fields.len())
            .filter(|field| resolver.fields[*field].resource == self.set)
            .collect();
        let words =
            |resolver: &Resolver, field: FieldId| u64::from(resolver.fields[field].element.components());
        let through: Vec<FieldId> = (attributes.iter().copied())
            .filter(|field| !self.direct.contains(field))
            .collect();
        let widest = through.iter().map(|field| words(resolver, *field)).max();
        let length = self.length(resolver);
        let scratch = widest.map(|words| self.buffer(resolver, "scratch", words * length));
        let mut stages = Vec::new();
        for field in attributes {
            let name = symbol(resolver, field);
            let mut copy = |verb: &str, from: FieldId, to: FieldId, ordered: bool| {
                let mut stage = self.stage(resolver, "", "move", 1);
                stage.name = format!("{verb}_{name}{}", self.suffix);
                stage.reads.push(from);
                stage.writes.push(to);
                if ordered {
                    stage.reads.push(order);
                    stage.aliases.push(alias("order", &symbol(resolver, order)));
                }
                stage
                    .aliases
                    .push(alias("from", &format!("sg_p_{}", symbol(resolver, from))));
                stage
                    .aliases
                    .push(alias("to", &format!("sg_q_{}", symbol(resolver, to))));
                stage.constants = vec![("WORDS".into(), words(resolver, field) as f64)];
                stages.push(stage);
            };
            match scratch.filter(|_| through.contains(&field)) {
                Some(scratch) => {
                    copy("gather", field, scratch, true);
                    copy("settle", scratch, field, false);
                }
                None => copy("move", field, field, true),
            }
        }
        stages
    }

    /// A stage over the particles of the set, `per_invocation` of them at a time.
    fn stage(&self, resolver: &Resolver, verb: &str, shader: &str, per_invocation: u32) -> Stage {
        let resource = &resolver.resources[self.set];
        let name = format!("{verb}_{}{}", resource.name, self.suffix);
        let domain = Domain {
            over: if resource.live.is_some() {
                Over::Live
            } else {
                Over::Elements
            },
            per_invocation,
            ..Domain::list(resource.size[0], Some(self.set))
        };
        let mut stage = tiled_stage(name, shader, domain, self.every, self.pointer);
        stage.reads.extend(resource.live);
        stage.aliases = live_aliases(&resource.name);
        stage
    }

    /// The stage of one workgroup that scans the sums of tiles.
    fn scan_sums(&self, resolver: &Resolver, sums: FieldId, verb: &str) -> Stage {
        let mut stage = self.stage(resolver, verb, "scan_sums", 1);
        stage.domain = Domain::list(u64::from(TILE_GROUP), Some(self.set));
        stage.reads.push(sums);
        stage.writes.push(sums);
        stage
    }

    /// Names the buffers of the set for a stage, as far as no other name is given to them.
    fn name_buffers(&self, resolver: &Resolver, stage: &mut Stage) {
        let set = format!("{}_", resolver.resources[self.set].name);
        for field in stage.reads.iter().chain(&stage.writes) {
            let name = &resolver.fields[*field].name;
            let Some(role) = name
                .strip_prefix(&set)
                .filter(|role| ["sums", "digits", "order"].contains(role))
            else {
                continue;
            };
            for prefix in ["", "set_"] {
                let alias = (format!("sg_{prefix}{role}"), format!("{prefix}{name}"));
                if !stage.aliases.iter().any(|(known, _)| *known == alias.0) {
                    stage.aliases.push(alias);
                }
            }
        }
    }

    fn length(&self, resolver: &Resolver) -> u64 {
        resolver.resources[self.set].size[0]
    }

    fn sums(&self, resolver: &mut Resolver) -> FieldId {
        let tiles = self.length(resolver).div_ceil(TILE);
        self.buffer(resolver, "sums", 1 + tiles)
    }

    /// A buffer that all entries about the set share.
    fn buffer(&self, resolver: &mut Resolver, role: &str, length: u64) -> FieldId {
        let name = format!("{}_{role}", resolver.resources[self.set].name);
        resolver.shared_buffer(name, length)
    }
}

/// The stages that sum a buffer up.
pub(super) fn scan_stages(
    resolver: &mut Resolver,
    [from, into]: [FieldId; 2],
    every: u32,
    suffix: &str,
    pointer: &str,
) -> Vec<Stage> {
    let resource = resolver.fields[from].resource;
    let length = resolver.resources[resource].size[0];
    let (name, target) = (symbol(resolver, from), symbol(resolver, into));
    let sums = resolver.shared_buffer(format!("{name}_sums"), 1 + length.div_ceil(TILE));
    let stage = |verb: &str, shader: &str, length: u64, reads: &[FieldId], writes: &[FieldId]| {
        let domain = Domain {
            per_invocation: 16,
            ..Domain::list(length, Some(resource))
        };
        let name = format!("{verb}_{name}{suffix}");
        let mut stage = tiled_stage(name, shader, domain, every, pointer);
        (stage.reads, stage.writes) = (reads.to_vec(), writes.to_vec());
        stage
    };
    let mut stages = vec![
        stage("sum", "sum_tiles", length, &[from], &[sums]),
        stage("scan", "scan_sums", TILE, &[sums], &[sums]),
        stage("starts", "scan_tiles", length, &[from, sums], &[into]),
    ];
    for stage in &mut stages {
        stage.aliases = vec![
            alias("values", &name),
            alias("values_length", &format!("{name}_length")),
            alias("sums", &format!("{name}_sums")),
            alias("set_sums", &format!("set_{name}_sums")),
            alias("set_scanned", &format!("set_{target}")),
            alias("scanned_length", &format!("{target}_length")),
        ];
    }
    stages
}

fn symbol(resolver: &Resolver, field: FieldId) -> String {
    resolver.fields[field].name.replace('.', "_")
}

fn tiled_stage(name: String, shader: &str, domain: Domain, every: u32, pointer: &str) -> Stage {
    let mut stage = engine_stage(name, &format!("particles/{shader}.comp"), domain, pointer);
    stage.stated.workgroup = Some([TILE_GROUP, 1, 1]);
    stage.shape = stage.stated.on(DeviceClass::Gpu, 1);
    stage.every = every;
    stage
}

impl Resolver<'_> {
    /// A uint buffer of the engine's own that several entries share.
    fn shared_buffer(&mut self, name: String, length: u64) -> FieldId {
        match self.shared.get(&name) {
            Some(field) => {
                let resource = self.fields[*field].resource;
                let size = &mut self.resources[resource].size[0];
                *size = length.max(*size);
                *field
            }
            None => {
                let field = self.engine_buffer(name.clone(), length, "particles");
                self.shared.insert(name, field);
                field
            }
        }
    }
}
