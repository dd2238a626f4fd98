//! Real MPI: `cargo nextest run --workspace --features mpi --test program -E 'test(/^ranks/)'`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use sastrugi::{Mpi, Ranks};

use super::{Said, TINY, is_refused, said, start};

const PATIENCE: Duration = Duration::from_secs(60);

/// The case that a rank takes part in, as the test that starts it names it.
const CASE: &str = "SASTRUGI_MPI_CASE";

/// True if a launcher is here; otherwise the test counts as skipped.
fn can_launch() -> bool {
    let found = Command::new("mpirun").arg("--version").output().is_ok();
    if !found {
        crate::skip("mpirun is not here");
    }
    found && crate::device::is_here()
}

/// Bytes that depend on sender, receiver and exchange.
fn content(from: usize, to: usize, number: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|at| (from * 71 + to * 31 + number * 13 + at * 7) as u8)
        .collect()
}

/// Sends to and receives from every other rank. `length` is that of the message from the first to the second.
fn exchange(ranks: &Ranks, number: usize, length: impl Fn(usize, usize) -> usize) -> Result<(), String> {
    let me = ranks.rank();
    let others: Vec<usize> = (0..ranks.count()).filter(|other| *other != me).collect();
    let sent: Vec<_> = (others.iter())
        .map(|to| content(me, *to, number, length(me, *to)))
        .collect();
    let sends: Vec<_> = others
        .iter()
        .zip(&sent)
        .map(|(to, bytes)| (*to, &bytes[..]))
        .collect();
    let mut received: Vec<_> = others.iter().map(|from| vec![0; length(*from, me)]).collect();
    let mut receives: Vec<_> = (others.iter().zip(&mut received))
        .map(|(from, bytes)| (*from, &mut bytes[..]))
        .collect();
    let done = ranks.exchange("of a test", number as u64, &sends, &mut receives, PATIENCE);
    done.map_err(|failure| failure.to_string())?;
    for (from, bytes) in others.iter().zip(received) {
        assert!(
            bytes == content(*from, me, number, bytes.len()),
            "{from} to {me}, exchange {number}"
        );
    }
    Ok(())
}

/// One of three ranks; the tests below start it.
#[test]
#[ignore = "long: a rank, which other tests start by mpirun"]
fn rank_of_mpi() {
    let Ok(case) = std::env::var(CASE) else { return };
    let mpi = Mpi::start().unwrap();
    let (ranks, me) = (mpi.ranks().clone(), mpi.ranks().rank());
    assert_eq!(ranks.count(), 3);
    match &case[..] {
        "sizes" => {
            for (number, length) in [0, 1, 7, 12_345, 10 << 20, 3].into_iter().enumerate() {
                exchange(&ranks, number, |from, to| length + from * to).unwrap();
            }
            let texts = ranks
                .gather("of texts", &vec![me as u8; me * 5], PATIENCE)
                .unwrap();
            assert!(
                texts
                    .iter()
                    .enumerate()
                    .all(|(rank, text)| *text == vec![rank as u8; rank * 5])
            );
            // Another thread may call MPI, too.
            std::thread::spawn(move || exchange(&ranks, 9, |_, _| 1 << 16).unwrap())
                .join()
                .unwrap();
        }
        "fails" if me == 2 => ranks.fail("the device was lost"),
        "panics" if me == 2 => panic!("a panic of rank 2"),
        "fails" | "panics" => {
            let failure = exchange(&ranks, 0, |_, _| 10 << 20).unwrap_err();
            let cause = if case == "fails" {
                "the device was lost"
            } else {
                "it ended early"
            };
            assert!(
                failure.starts_with("rank 2 on ") && failure.ends_with(cause),
                "{failure}"
            );
        }
        // Each rank sends as many bytes as it expects.
        "lengths" => {
            let other = (me + 1) % 3;
            let own = vec![1; 1000 + me];
            let mut received = vec![0; 1000 + me];
            let mut receives = [((me + 2) % 3, &mut received[..])];
            let failure = ranks.exchange("of a test", 0, &[(other, &own)], &mut receives, PATIENCE);
            let failure = failure.unwrap_err().to_string();
            let expected = format!(
                "to rank {me}, which expects {}, in the exchange of a test",
                1000 + me
            );
            assert!(failure.contains(&expected), "{failure}");
        }
        other => panic!("no case {other}"),
    }
    println!("rank {me} is right");
    mpi.finish(0, PATIENCE);
}

/// Starts three ranks of a case.
fn ranks(case: &str) -> Said {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", "3"]);
    command.arg(program).args([
        "--exact",
        "ranks::mpi::rank_of_mpi",
        "--ignored",
        "--nocapture",
        "--test-threads",
        "1",
    ]);
    said(command.env(CASE, case))
}

#[test]
fn messages_of_all_sizes_arrive_over_mpi_where_possible() {
    if can_launch() {
        let said = ranks("sizes");
        assert!(
            said.code == 0 && said.stdout.matches("is right").count() == 3,
            "{}{}",
            said.stdout,
            said.stderr
        );
    }
}

#[test]
fn failures_reach_all_ranks_over_mpi_where_possible() {
    if can_launch() {
        for (case, right) in [("fails", 3), ("lengths", 3), ("panics", 2)] {
            let said = ranks(case);
            assert_eq!(
                said.code == 0,
                right == 3,
                "{case}: {}{}",
                said.stdout,
                said.stderr
            );
            assert_eq!(
                said.stdout.matches("is right").count(),
                right,
                "{case}: {}{}",
                said.stdout,
                said.stderr
            );
        }
    }
}

/// A run of the small pipeline into a directory.
fn run(out: &Path, options: &[&str]) -> Command {
    let mut command = start();
    command
        .args(["run", TINY, "--hash", "--out"])
        .arg(out)
        .args(options);
    // Ranks share the cores.
    command.env("LP_NUM_THREADS", "1");
    command
}

const TWO: [&str; 4] = ["--ranks", "2", "--whole", "climb"];

/// The files of a run that do not depend on times.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path())));
    let wanted = named.filter(|(name, _)| name != "manifest.json");
    wanted
        .filter_map(|(name, bytes)| Some((name, bytes.ok()?)))
        .collect()
}

#[test]
fn ranks_of_mpi_have_the_bits_of_one_where_possible() {
    if !can_launch() {
        return;
    }
    let (one, several) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let alone = said(&mut run(one.path(), &[]));
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    let balanced = [&TWO[..], &["--balance"]].concat();
    let whole = ["--ranks", "3", "--whole", "all", "--cut", "1,3,1"];
    for options in [&TWO[..], &balanced, &whole] {
        let ranked = said(run(several.path(), options).arg("--force"));
        assert_eq!(ranked.code, 0, "{}", ranked.stderr);
        assert_eq!(
            ranked.stderr.matches("done: frames").count(),
            1,
            "{}",
            ranked.stderr
        );
        let (expected, found) = (files(one.path()), files(several.path()));
        assert!(expected.contains_key("hashes.csv"));
        assert_eq!(
            expected.keys().collect::<Vec<_>>(),
            found.keys().collect::<Vec<_>>()
        );
        for (name, bytes) in &expected {
            assert!(found[name] == *bytes, "{name} differs");
        }
    }
}

#[test]
fn options_that_ranks_do_not_support_are_refused() {
    let out = tempfile::tempdir().unwrap();
    for options in [
        &["--stage", "spread=a.comp"][..],
        &["--devices", "all"],
        &["--shard", "1/2"],
        &["--continue"],
    ] {
        is_refused(
            run(out.path(), &TWO).args(options),
            &[options[0], "does not work with several ranks"],
        );
    }
    is_refused(
        run(out.path(), &TWO).args(["--sweep", "run.seed=1,2"]),
        &["one simulation, not 2"],
    );
    is_refused(
        &mut run(out.path(), &["--ranks", "2"]),
        &["`climb` cannot be cut"],
    );
    assert!(fs::read_dir(out.path()).unwrap().next().is_none());
}

#[test]
fn a_launcher_that_is_missing_is_named() {
    let out = tempfile::tempdir().unwrap();
    let said = said(run(out.path(), &TWO).env("SASTRUGI_MPIRUN", "no-such-launcher"));
    assert_eq!(said.code, 1);
    assert!(
        said.stderr.contains("cannot start `no-such-launcher`"),
        "{}",
        said.stderr
    );
    // This one starts processes that do not know each other.
    let said = said_of_env(out.path());
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert!(
        said.stderr.contains("know nothing of each other"),
        "{}",
        said.stderr
    );
}

/// A run whose launcher is a shell that drops the arguments of a launcher, and starts one process.
fn said_of_env(out: &Path) -> Said {
    let script = out.join("launcher");
    fs::write(&script, "#!/bin/sh\nshift 2\nexec \"$@\"\n").unwrap();
    said(run(&out.join("run"), &TWO).env("SASTRUGI_MPIRUN", format!("sh {}", script.display())))
}

/// A run of two ranks that does not end by itself, after its third frame.
fn endless(out: &Path) -> Child {
    let mut command = run(out, &TWO);
    command
        .args(["--frames", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !out.join("view.0003.png").exists() {
        assert!(Instant::now() < deadline, "the third frame within a minute");
        sleep(Duration::from_millis(10));
    }
    child
}

fn manifest(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn interrupted_ranks_end_after_the_same_frame_where_possible() {
    if !can_launch() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let child = endless(out.path());
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert_eq!(
        stderr.matches("interrupted: complete frames").count(),
        1,
        "{stderr}"
    );
    assert_eq!(manifest(out.path())["state"], "interrupted");
}

#[test]
fn a_killed_rank_ends_the_others_where_possible() {
    if !can_launch() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let child = endless(out.path());
    // The rank is a grandchild: the launcher is between.
    let children = |of: u32| {
        let output = Command::new("pgrep")
            .args(["-P", &of.to_string()])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| line.parse().unwrap())
            .collect::<Vec<u32>>()
    };
    let ranks: Vec<u32> = children(child.id()).into_iter().flat_map(children).collect();
    assert_eq!(ranks.len(), 2);
    let killed = Command::new("kill").args(["-9", &ranks[1].to_string()]).status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && stderr.contains("`mpirun` ended with"),
        "{stderr}"
    );
    let names = files(out.path());
    let whole = names.iter().filter(|(name, _)| name.ends_with(".png"));
    assert!(whole.clone().count() >= 3);
    for (name, bytes) in whole {
        assert!(bytes.ends_with(b"IEND\xaeB`\x82"), "{name} is not whole");
    }
}
