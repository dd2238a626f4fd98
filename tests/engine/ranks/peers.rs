//! Direct copies between devices, here from one device to itself.

use std::time::Duration;

use sastrugi::gpu::BufferKind;
use sastrugi::run::Peers;

use super::windows::copied;
use super::*;

const TIMEOUT: Duration = Duration::from_secs(60);
const BYTES: u64 = 100_001;

fn content(rank: usize) -> Vec<u8> {
    (0..BYTES).map(|n| (n % 251) as u8 ^ rank as u8).collect()
}

/// Writes bytes to the memory of packed messages, and returns what arrives from the other rank; `None` if nothing is copied
/// directly.
fn swapped(gpu: &Gpu, ranks: &Ranks) -> Option<Vec<u8>> {
    let other = 1 - ranks.rank();
    let peers = Peers::open(gpu, ranks, &[other], [2 * BYTES, BYTES], TIMEOUT).unwrap();
    let [packed, arrived] = peers.buffers()?;
    assert!(peers.has(other));
    let source = gpu.buffer("source", BYTES, BufferKind::Upload).unwrap();
    source.write(0, &content(ranks.rank())).unwrap();
    copied(gpu, |recorder| recorder.copy(&source, 0, packed, BYTES, BYTES));
    let news = |what| {
        let receives = &mut [(other, &mut [][..])];
        ranks
            .exchange(what, 0, &[(other, &[])], receives, TIMEOUT)
            .unwrap();
    };
    news("of packed messages");
    peers.copy(&[(other, BYTES..2 * BYTES, 0)], TIMEOUT).unwrap();
    let target = gpu.buffer("target", BYTES, BufferKind::Download).unwrap();
    copied(gpu, |recorder| recorder.copy(arrived, 0, &target, 0, BYTES));
    // Copies beyond the memory are refused.
    assert!(
        peers
            .copy(&[(other, 1 << 40..(1 << 40) + 1, 0)], TIMEOUT)
            .is_err()
    );
    news("of the end");
    Some(target.bytes().unwrap().to_vec())
}

#[test]
fn ranks_copy_directly_where_possible() {
    let Some(gpu) = common::gpu() else { return };
    let ranks = Ranks::threads(2);
    let [first, second] = thread::scope(|scope| {
        let other = scope.spawn(|| swapped(&gpu, &ranks[1]));
        [swapped(&gpu, &ranks[0]), other.join().unwrap()]
    });
    if first.is_none() && second.is_none() {
        return common::skip("the device shares no memory with CUDA");
    }
    assert_eq!([first, second], [1, 0].map(|rank| Some(content(rank))));
}
