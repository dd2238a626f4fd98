use std::thread;
use std::time::{Duration, Instant};

use super::{Agreed, Failure, Ranks};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs a function on ranks that are threads, and returns its results in order.
fn on_ranks<T: Send>(count: usize, run: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(count).into_iter())
            .map(|ranks| {
                let run = &run;
                scope.spawn(move || run(ranks))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Bytes that depend on the sender, the receiver and the number of the exchange.
fn content(from: usize, to: usize, number: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|at| (from * 71 + to * 31 + number * 13 + at) as u8)
        .collect()
}

#[test]
fn exchanged_messages_arrive_in_order() {
    let lengths = [0, 1, 7, 10_000, 3];
    on_ranks(3, |ranks| {
        let me = ranks.rank();
        let others: Vec<usize> = (0..3).filter(|other| *other != me).collect();
        for (number, length) in lengths.into_iter().enumerate() {
            let sent: Vec<_> = others
                .iter()
                .map(|to| content(me, *to, number, length + to))
                .collect();
            let sends: Vec<_> = others
                .iter()
                .zip(&sent)
                .map(|(to, bytes)| (*to, &bytes[..]))
                .collect();
            let mut received = vec![vec![0; length + me]; 2];
            let mut receives: Vec<_> = others
                .iter()
                .zip(&mut received)
                .map(|(from, bytes)| (*from, &mut bytes[..]))
                .collect();
            ranks
                .exchange("in a test", 5, &sends, &mut receives, TIMEOUT)
                .unwrap();
            for (from, bytes) in others.iter().zip(received) {
                assert_eq!(
                    bytes,
                    content(*from, me, number, length + me),
                    "{from} to {me}, {number}"
                );
            }
        }
    });
}

#[test]
fn gather_returns_the_bytes_of_all_ranks_on_each() {
    for count in [1, 2, 5] {
        let all = on_ranks(count, |ranks| {
            let own = content(ranks.rank(), 0, 0, ranks.rank() * 3);
            ranks.gather("of texts", &own, TIMEOUT).unwrap()
        });
        let expected: Vec<_> = (0..count).map(|rank| content(rank, 0, 0, rank * 3)).collect();
        assert!(all.iter().all(|texts| *texts == expected), "{all:?}");
    }
}

#[test]
fn an_error_of_one_rank_is_an_error_on_all() {
    let results = on_ranks(3, |ranks| {
        let own = if ranks.rank() == 1 {
            Err("no shader")
        } else {
            Ok(ranks.rank())
        };
        let first = ranks.agree("at the start", Ok::<_, String>(7), TIMEOUT);
        assert_eq!(first, Ok(7));
        ranks.agree("at the start", own, TIMEOUT)
    });
    let other = Agreed::Other(Failure::Rank {
        rank: 1,
        host: String::new(),
        cause: "no shader".to_string(),
    });
    assert_eq!(
        results,
        [Err(other.clone()), Err(Agreed::Own("no shader")), Err(other)]
    );
}

#[test]
fn a_failure_reaches_waiting_ranks() {
    let began = Instant::now();
    let results = on_ranks(4, |ranks| {
        match ranks.rank() {
            // Waits for rank 3, which fails, or for rank 2, which ends because of that.
            0 => ranks.exchange("before `b`", 0, &[], &mut [(2, &mut [0; 4])], TIMEOUT),
            3 => {
                thread::sleep(Duration::from_millis(50));
                ranks.fail("the device was lost");
                Ok(())
            }
            _ => ranks.exchange("before `b`", 0, &[], &mut [(0, &mut [0; 4])], TIMEOUT),
        }
        .err()
    });
    assert!(began.elapsed() < TIMEOUT / 2);
    let expected = Failure::Rank {
        rank: 3,
        host: String::new(),
        cause: "the device was lost".to_string(),
    };
    assert_eq!(
        results,
        [
            Some(expected.clone()),
            Some(expected.clone()),
            Some(expected),
            None
        ]
    );
}

#[test]
fn a_rank_that_ends_is_named() {
    let results = on_ranks(2, |ranks| match ranks.rank() {
        0 => ranks.exchange("before `b`", 0, &[], &mut [(1, &mut [0; 4])], TIMEOUT),
        _ => Ok(()),
    });
    let text = results[0].as_ref().unwrap_err().to_string();
    assert_eq!(text, "rank 1 ended, in the exchange before `b`");
}

#[test]
fn a_rank_that_sends_nothing_is_named() {
    let all = Ranks::threads(2);
    let timeout = Duration::from_millis(20);
    let failure = all[0].exchange("before `b` of step 3", 0, &[], &mut [(1, &mut [0; 4])], timeout);
    let text = failure.unwrap_err().to_string();
    assert!(
        text.starts_with("rank 1 did not answer for 0 s, in the exchange before `b` of step 3"),
        "{text}"
    );
}

#[test]
fn a_wrong_length_is_named() {
    let results = on_ranks(2, |ranks| {
        let length = 4 + ranks.rank();
        let other = 1 - ranks.rank();
        ranks.exchange(
            "before `b`",
            0,
            &[(other, &vec![1; length])],
            &mut [(other, &mut vec![0; length])],
            TIMEOUT,
        )
    });
    let text = results[0].as_ref().unwrap_err().to_string();
    assert_eq!(
        text,
        "rank 1 sent 5 bytes to rank 0, which expects 4, in the exchange before `b`"
    );
}

#[test]
fn ranks_that_diverge_are_named() {
    let both = |what: [&str; 2], digests: [u64; 2]| {
        let results = on_ranks(2, |ranks| {
            let (own, other) = (ranks.rank(), 1 - ranks.rank());
            ranks.exchange(
                what[own],
                digests[own],
                &[(other, &[1; 4])],
                &mut [(other, &mut [0; 4])],
                TIMEOUT,
            )
        });
        results[0].as_ref().unwrap_err().to_string()
    };
    assert_eq!(
        both(
            ["before `advance` of step 12", "before `smooth` of step 12"],
            [1, 1]
        ),
        "rank 1 exchanges before `smooth` of step 12, rank 0 before `advance` of step 12: they no longer compute the same"
    );
    let text = both(["before `b`", "before `b`"], [1, 2]);
    assert!(
        text.contains("(number 1, 0000000000000002), rank 0 before `b` (number 1, 0000000000000001)"),
        "{text}"
    );
}

#[test]
fn long_names_of_exchanges_are_cut_off() {
    let what = "ä".repeat(100);
    let results = on_ranks(2, |ranks| {
        let other = 1 - ranks.rank();
        ranks.exchange(
            &what,
            0,
            &[(other, &[1; 4])],
            &mut [(other, &mut [0; 4])],
            TIMEOUT,
        )
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}
