//! The page manager of sparse grids through random sequences of requests, against a plain model and a simulated
//! memory: the same blocks are active, every one has memory of its own at every moment, no memory is lost, and what
//! was written to a block is what it holds.
//!
//! SASTRUGI_PAGES_CASES and SASTRUGI_PAGES_SEED ask for more of the long test's sequences, or others.

mod memory;
mod model;

use memory::Memory;
use model::Model;
use sastrugi::grid::{Addressing, Changes, Layout, PageManager, Policy, WhenFull};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

fn scene(random: &mut Random) -> (Layout, Policy, Addressing) {
    let cells = random.one_of(&[
        [64, 64, 64],
        [40, 24, 16],
        [200, 9, 8],
        [8, 8, 8],
        [50, 50, 3],
        [17, 80, 33],
    ]);
    let layout = Layout::choose(cells, &[4], 4096, Some(random.one_of(&[[8, 8, 8], [4, 8, 4]]))).unwrap();
    let blocks = layout.block_count();
    let granule = random.one_of(&[1, 1, 2, 4, 16]);
    let policy = Policy {
        keep: random.one_of(&[0, 0, 1, 2, 5]),
        persistent: random.below(8) == 0,
        budget_blocks: random.one_of(&[blocks * 4, blocks, blocks / 2, blocks / 4, 3]),
        when_full: random.one_of(&[WhenFull::Stop, WhenFull::Drop]),
        granule,
        chunk_bytes: layout.block_bytes * u64::from(granule) * random.one_of(&[1, 3, 8, 1000]),
    };
    (
        layout,
        policy,
        random.one_of(&[Addressing::Direct, Addressing::Table]),
    )
}

/// The requests of the next update: a window that wanders, scattered blocks, all, none, or the last ones again.
fn requests(random: &mut Random, last: &[u32], numbers: u64) -> Vec<u32> {
    let words = numbers.div_ceil(32) as usize;
    let mut bits = vec![0; words];
    let mut set = |number: u64| bits[(number / 32) as usize] |= 1 << (number % 32);
    match random.below(8) {
        0..=2 => {
            let (first, count) = (random.below(numbers), random.below(numbers / 3 + 2));
            (first..(first + count).min(numbers)).for_each(&mut set);
        }
        3..=4 => (0..random.below(20)).for_each(|_| set(random.below(numbers))),
        5 => bits.fill(if random.below(4) == 0 { u32::MAX } else { 0 }),
        _ => {
            bits.copy_from_slice(last);
            bits[random.below(words as u64) as usize] ^= random.next() as u32 & random.next() as u32;
        }
    }
    if random.below(20) == 0 {
        bits.truncate(words / 2);
    }
    bits
}

/// A way to break the manager's answers, to show that the checks would find a broken manager.
type Sabotage = fn(&mut Changes, &[u32]);

#[derive(Default)]
struct Seen {
    updates: u64,
    full: u64,
    unserved: u64,
    moves: u64,
    free_returns: u64,
    freed_chunks: u64,
}

/// One sequence; the first difference is the error.
fn sequence(seed: u64, sabotage: Option<Sabotage>, seen: &mut Seen) -> Result<(), String> {
    let mut random = Random(seed);
    let (layout, policy, mode) = scene(&mut random);
    let mut manager = PageManager::new(&layout, policy.clone(), mode);
    let mut model = Model::new(&layout, &policy);
    let mut memory = Memory::new(&layout, &manager, mode);
    let mut last = vec![0; layout.numbers().div_ceil(32) as usize];
    for _ in 0..3 + random.below(24) {
        let mut bits = requests(&mut random, &last, layout.numbers());
        let expected = model.update(&bits);
        let found = manager.update(&bits);
        bits.resize(last.len(), 0);
        last = bits;
        seen.updates += 1;
        let mut changes = match (found, expected) {
            (Ok(changes), Ok(unserved)) if changes.unserved == unserved => changes,
            (Err(full), Err(wanted)) => {
                let given = (full.wanted, full.budget, full.active);
                let right = (wanted, policy.budget_blocks, model.active().len() as u64);
                if given != right {
                    return Err(format!(
                        "{given:?} wanted, budget and active instead of {right:?}"
                    ));
                }
                seen.full += 1;
                continue;
            }
            (found, expected) => return Err(format!("{found:?} where the model has {expected:?}")),
        };
        seen.unserved += changes.unserved;
        let lost = changes.binds.iter().any(|bind| bind.memory.is_none());
        seen.moves += u64::from(lost && changes.binds.iter().any(|bind| bind.memory.is_some()));
        seen.freed_chunks += changes.freed_chunks.len() as u64;
        seen.free_returns += u64::from(
            mode == Addressing::Direct && !changes.activated.is_empty() && changes.binds.is_empty(),
        );
        if let Some(sabotage) = sabotage {
            sabotage(&mut changes, manager.active());
        }
        if manager.active() != model.active() {
            return Err(format!("active {:?}, not {:?}", manager.active(), model.active()));
        }
        memory.update(&changes, &manager, random.next())?;
        if random.below(10) == 0 {
            let state = manager.state();
            let (restored, changes) = PageManager::restore(&layout, policy.clone(), mode, &state)?;
            let mut empty = memory.empty();
            empty.apply(&changes, &restored, random.next())?;
            memory.same_places(&empty)?;
            // The sequence goes on with the restored one.
            manager = restored;
        }
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| {
        value.parse().unwrap_or_else(|_| panic!("{name}={value}"))
    })
}

#[test]
fn random_sequences_match_the_model() {
    sequences(1, 200);
}

#[test]
#[ignore = "long: 10,000 sequences"]
fn many_random_sequences_match_the_model() {
    sequences(
        setting("SASTRUGI_PAGES_SEED", 2),
        setting("SASTRUGI_PAGES_CASES", 10_000),
    );
}

fn sequences(seed: u64, count: u64) {
    let first = seed << 32;
    let mut seen = Seen::default();
    for seed in first..first + count {
        sequence(seed, None, &mut seen).unwrap_or_else(|error| panic!("sequence {seed}: {error}"));
    }
    let Seen {
        updates,
        full,
        unserved,
        moves,
        free_returns,
        freed_chunks,
    } = seen;
    println!(
        "{updates} updates, {full} of them beyond the budget; {unserved} requests refused, {moves} updates moved \
         memory, {free_returns} activated blocks without a bind; {freed_chunks} chunks freed"
    );
    let cases = [updates, full, unserved, moves, free_returns, freed_chunks];
    assert!(cases.iter().all(|count| *count > 0));
}

/// Number of 120 sequences that a sabotaged manager fails, and the first message.
fn failures(sabotage: Sabotage) -> (usize, String) {
    let results = (0..120).map(|seed| sequence(seed, Some(sabotage), &mut Seen::default()));
    let errors: Vec<String> = results.filter_map(Result::err).collect();
    (errors.len(), errors.first().cloned().unwrap_or_default())
}

#[test]
fn control_model_detects_broken_managers() {
    let broken: [(&str, Sabotage, &str); 8] = [
        (
            "a bind is lost",
            |c, _| c.binds.truncate(c.binds.len().saturating_sub(1)),
            "",
        ),
        (
            "an unbind is lost",
            |c, _| c.binds.retain(|bind| bind.memory.is_some()),
            "twice",
        ),
        (
            "a bind goes to the next slot",
            |c, _| {
                if let Some((_, slot)) = c.binds.iter_mut().find_map(|bind| bind.memory.as_mut()) {
                    *slot += 1;
                }
            },
            "",
        ),
        (
            "a page that was just given up is used",
            |c, _| {
                if let ([.., given_up], [(block, page), ..]) = (&*c.deactivated, &mut *c.activated) {
                    (*block, *page) = (*block, *given_up);
                }
            },
            "",
        ),
        (
            "an activated block is not named",
            |c, _| c.activated.truncate(c.activated.len().saturating_sub(1)),
            "",
        ),
        (
            "a block that stays is freed",
            |c, active| c.deactivated.extend(active.first()),
            "",
        ),
        (
            "a chunk is not announced",
            |c, _| c.new_chunks.clear(),
            "no memory",
        ),
        (
            "a chunk in use is freed",
            |c, _| {
                let used = c.binds.iter().find_map(|bind| bind.memory);
                c.freed_chunks.extend(used.map(|(chunk, _)| chunk));
            },
            "",
        ),
    ];
    for (what, sabotage, why) in broken {
        let (count, first) = failures(sabotage);
        assert!(
            count >= 8 && first.contains(why),
            "{what}: {count} failures, the first: {first}"
        );
    }
}

#[test]
fn control_model_detects_early_memory_reuse() {
    // Commands before an update still write to the blocks that it frees. Where a block that it activates gets that
    // memory, they spoil it.
    let layout = Layout::choose([64, 8, 8], &[4], 4096, Some([8, 8, 8])).unwrap();
    let policy = Policy {
        keep: 0,
        persistent: false,
        budget_blocks: 8,
        when_full: WhenFull::Stop,
        granule: 1,
        chunk_bytes: 1 << 20,
    };
    let mut manager = PageManager::new(&layout, policy, Addressing::Table);
    let mut memory = Memory::new(&layout, &manager, Addressing::Table);
    let changes = manager.update(&[0b11]).unwrap();
    memory.update(&changes, &manager, 1).unwrap();
    let mut changes = manager.update(&[0b110]).unwrap();
    memory.clone().update(&changes, &manager, 2).unwrap();
    changes.activated[0].1 = 0;
    let error = memory.update(&changes, &manager, 2).unwrap_err();
    assert!(error.contains("block 2"), "{error}");
}
