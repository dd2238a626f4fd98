//! Prefix sums of a buffer.

use super::meaning::{Action, ActionKind, Meaning};
use super::reorder::{TILE, tiled};
use super::{DraftContext, SharedBuffers};
use crate::ir::{Domain, Draft, FieldId, Pipeline};

/// Replaces scans by stages.
pub(super) fn lower(meaning: &mut Meaning) {
    meaning.replace(|meaning, list, action, into| {
        let ActionKind::Scan(fields) = action.kind else {
            return into.push(action);
        };
        let (resource, details) = (meaning.pipeline.fields[fields[0]].resource, format!("{fields:?}"));
        let at = (list, action.every, &action.from);
        let drafts = meaning.engine(at, ("scan", resource, &details), |pipeline, shared, entry| {
            scan(pipeline, shared, fields, entry)
        });
        into.extend(
            drafts
                .into_iter()
                .map(|draft| Action::dispatch(draft, Vec::new(), action.every, &action.from)),
        );
    });
}

/// The stages of a scan: exclusive prefix sums of `from` to `into`, with the total at the end if `into` is longer.
fn scan(
    pipeline: &mut Pipeline,
    shared: &mut SharedBuffers,
    [from, into]: [FieldId; 2],
    entry: DraftContext,
) -> Vec<Draft> {
    let resource = pipeline.fields[from].resource;
    let length = pipeline.resources[resource].size[0];
    let name = pipeline.fields[from].symbol();
    let sums = shared.get(pipeline, format!("{name}_sums"), 1 + length.div_ceil(TILE));
    let stage = |verb: &str, shader: &'static str, length: u64| {
        let domain = Domain {
            per_invocation: 16,
            ..Domain::list(length, Some(resource))
        };
        let mut stage = tiled(entry, format!("{verb}_{name}{}", entry.suffix), shader, domain);
        stage.name_resource("summands", resource);
        stage
    };
    let mut sum = stage("sum", "particles/sum_tiles.comp", length);
    sum.read("summands", from);
    sum.write("sums", sums);
    let mut scan = stage("scan", "particles/scan_sums.comp", TILE);
    scan.read("sums", sums);
    scan.write("sums", sums);
    let mut starts = stage("starts", "particles/scan_tiles.comp", length);
    starts.read("summands", from);
    starts.read("sums", sums);
    starts.write("scanned", into);
    vec![sum, scan, starts]
}
