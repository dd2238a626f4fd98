//! Removes blocks of a function that a branch with a known condition never reaches.

use std::collections::{HashMap, HashSet};

use super::instruction::{Instruction, result};
use super::op;
use super::values::Values;

/// A function without dead blocks.
pub(super) struct Live {
    pub kept: Vec<Instruction>,
    /// Ids of the removed instructions.
    pub removed: Vec<u32>,
}

type Code<'a> = [(u16, &'a [u32])];

/// A block of a function.
struct Block<'a, 'w> {
    label: u32,
    /// After the label, with the branch at the end, and lines of the next label.
    body: &'a Code<'w>,
}

impl Block<'_, '_> {
    /// The instruction that names the blocks where control flow merges.
    fn merge(&self) -> Option<(u16, &[u32])> {
        let is_merge = |opcode| matches!(opcode, op::SELECTION_MERGE | op::LOOP_MERGE);
        let merge = self.body.iter().find(|(opcode, _)| is_merge(*opcode));
        merge.map(|(opcode, operands)| (*opcode, *operands))
    }

    fn has_phi(&self) -> bool {
        self.body.iter().any(|(opcode, _)| *opcode == op::PHI)
    }
}

/// The blocks of a function that are reached.
#[derive(Default)]
struct Reached {
    blocks: HashSet<u32>,
    /// From label to label.
    edges: HashSet<(u32, u32)>,
    /// The only target of blocks whose condition is known.
    chosen: HashMap<u32, u32>,
}

/// The function without dead blocks; `None` if it has an unknown form.
pub(super) fn without_dead_branches(function: &Code, values: &mut Values) -> Option<Live> {
    let first = function.iter().position(|(opcode, _)| *opcode == op::LABEL)?;
    let (start, rest) = function.split_at(first);
    let (end, rest) = rest.split_last()?;
    if end.0 != op::FUNCTION_END {
        return None;
    }
    let mut blocks = Vec::new();
    let labels = (rest.iter().enumerate()).filter(|(_, (opcode, _))| *opcode == op::LABEL);
    let mut places: Vec<usize> = labels.map(|(place, _)| place).collect();
    places.push(rest.len());
    for bounds in places.windows(2) {
        let (label, body) = rest.get(bounds[0]..bounds[1])?.split_first()?;
        blocks.push(Block {
            label: *label.1.first()?,
            body,
        });
    }
    let reached = reach(&blocks, values)?;
    let stubs = stubs(&blocks, &reached)?;
    let mut live = Live {
        kept: start
            .iter()
            .map(|(opcode, operands)| (*opcode, operands.to_vec()))
            .collect(),
        removed: Vec::new(),
    };
    for block in &blocks {
        if reached.blocks.contains(&block.label) {
            keep(block, &reached, &mut live.kept);
            continue;
        }
        let results = block
            .body
            .iter()
            .filter_map(|(opcode, operands)| result(*opcode, operands));
        live.removed.extend(results);
        match stubs.get(&block.label) {
            Some(stub) => live.kept.extend([(op::LABEL, vec![block.label]), stub.clone()]),
            None => live.removed.push(block.label),
        }
    }
    live.kept.push((op::FUNCTION_END, Vec::new()));
    Some(live)
}

/// Follows the branches. Blocks come after those that lead to them, but for the heads of loops.
fn reach(blocks: &[Block], values: &mut Values) -> Option<Reached> {
    let places: HashMap<u32, usize> = (blocks.iter().enumerate())
        .map(|(place, block)| (block.label, place))
        .collect();
    let mut reached = Reached::default();
    reached.blocks.insert(blocks.first()?.label);
    for (place, block) in blocks.iter().enumerate() {
        if !reached.blocks.contains(&block.label) {
            continue;
        }
        for (opcode, operands) in block.body {
            match (*opcode, *operands) {
                (op::PHI, [_, id, pairs @ ..]) => {
                    let known = phi(block.label, pairs, &reached, |from| {
                        places.get(&from).is_some_and(|from| *from < place)
                    });
                    // All values that are left are known, and equal.
                    if let Some([value, others @ ..]) = known.as_deref()
                        && others
                            .iter()
                            .all(|other| values.get(*other) == values.get(*value))
                    {
                        values.copy(*id, *value);
                    }
                }
                _ => values.compute(*opcode, operands),
            }
        }
        let (targets, is_chosen) = targets(block, values)?;
        if let ([target], true) = (&targets[..], is_chosen) {
            reached.chosen.insert(block.label, *target);
        }
        for target in targets {
            let is_back = *places.get(&target)? <= place;
            if reached.blocks.insert(target) && is_back {
                return None;
            }
            reached.edges.insert((block.label, target));
        }
    }
    Some(reached)
}

/// The values that a phi may have; `None` if one comes from a later block.
fn phi(label: u32, pairs: &[u32], reached: &Reached, is_earlier: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
    let mut values = Vec::new();
    for pair in pairs.chunks_exact(2) {
        if !is_earlier(pair[1]) {
            return None;
        }
        if reached.edges.contains(&(pair[1], label)) {
            values.push(pair[0]);
        }
    }
    Some(values)
}

/// The blocks that follow a block; true if the block begins a selection whose condition is known.
///
/// A switch keeps all of its cases, because a selection inside of a case may branch out of the switch.
fn targets(block: &Block, values: &Values) -> Option<(Vec<u32>, bool)> {
    let is_end = |opcode| matches!(opcode, op::BRANCH..=op::UNREACHABLE | op::TERMINATE_INVOCATION);
    let (opcode, operands) = block.body.iter().find(|(opcode, _)| is_end(*opcode))?;
    let targets = match (*opcode, *operands) {
        (op::BRANCH, [target]) => vec![*target],
        (op::BRANCH_CONDITIONAL, [condition, yes, no, ..]) => {
            let is_selection = matches!(block.merge(), Some((op::SELECTION_MERGE, _)));
            match values.get(*condition).filter(|_| is_selection) {
                Some(value) => return Some((vec![if value == 1 { *yes } else { *no }], true)),
                None => vec![*yes, *no],
            }
        }
        (op::SWITCH, [_, default, cases @ ..]) => {
            let mut targets = vec![*default];
            targets.extend(cases.chunks_exact(2).map(|case| case[1]));
            targets
        }
        _ => Vec::new(),
    };
    Some((targets, false))
}

/// Blocks that are not reached, but that a kept instruction names as merge block or as end of a loop, with their branches.
fn stubs(blocks: &[Block], reached: &Reached) -> Option<HashMap<u32, Instruction>> {
    let mut stubs = HashMap::new();
    for block in blocks {
        if !reached.blocks.contains(&block.label) || reached.chosen.contains_key(&block.label) {
            continue;
        }
        let (merge, end) = match block.merge() {
            Some((op::SELECTION_MERGE, [merge, ..])) => (*merge, None),
            Some((op::LOOP_MERGE, [merge, end, ..])) => (*merge, Some(*end)),
            _ => continue,
        };
        if !reached.blocks.contains(&merge) {
            stubs.entry(merge).or_insert((op::UNREACHABLE, Vec::new()));
        }
        if let Some(end) = end
            && !reached.blocks.contains(&end)
        {
            if block.has_phi() {
                return None;
            }
            stubs.insert(end, (op::BRANCH, vec![block.label]));
        }
    }
    Some(stubs)
}

/// Adds a block that is reached, without branches to blocks that are not.
fn keep(block: &Block, reached: &Reached, kept: &mut Vec<Instruction>) {
    kept.push((op::LABEL, vec![block.label]));
    let chosen = reached.chosen.get(&block.label);
    for (opcode, operands) in block.body {
        match (*opcode, *operands, chosen) {
            (op::SELECTION_MERGE, _, Some(_)) => {}
            (op::BRANCH_CONDITIONAL, _, Some(target)) => kept.push((op::BRANCH, vec![*target])),
            (op::PHI, [kind, id, pairs @ ..], _) => {
                let mut operands = vec![*kind, *id];
                for pair in pairs.chunks_exact(2) {
                    if reached.edges.contains(&(pair[1], block.label)) {
                        operands.extend(pair);
                    }
                }
                kept.push((op::PHI, operands));
            }
            _ => kept.push((*opcode, operands.to_vec())),
        }
    }
}
