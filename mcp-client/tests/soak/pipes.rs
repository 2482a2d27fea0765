//! Child processes that are restarted whenever they are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{ChildProcess, Client, Restart, Stderr};
use tokio::time::sleep;

use super::load::{Score, builder, quiet, round};
use super::random::{Random, seed};
use super::rest::{Before, assert_constant, children, kill, memory, runtime, subject, turn};

const ROUNDS: u64 = 8;
const ROUND: u64 = 2_000;
const WARM: usize = 3;
const GROWTH: u64 = 2 << 20;

async fn connect(revision: Revision) -> Client {
    let restart = Restart::new(usize::MAX, Duration::from_secs(1));
    let restart = restart.delay(Duration::from_millis(1), Duration::from_millis(5));
    let process = ChildProcess::new(subject())
        .stderr(Stderr::Trace)
        .restart(restart);
    let connected = builder().revision(revision).connect(process).await;
    connected.expect("connected")
}

/// Kills one of the processes after some answered calls; sometimes again before the next one is
/// ready.
async fn killing(score: Arc<Score>, killed: Arc<AtomicU64>, seed: u64) {
    let mut random = Random::new(seed);
    loop {
        let until = score.answered() + 20 + random.below(300);
        while score.answered() < until {
            sleep(Duration::from_millis(1)).await;
        }
        for _ in 0..=random.below(6) / 5 {
            let children = children();
            let number = u64::try_from(children.len().max(1)).unwrap_or(1);
            let chosen = usize::try_from(random.below(number)).unwrap_or_default();
            if let Some(pid) = children.get(chosen) {
                kill(*pid);
                killed.fetch_add(1, Ordering::Relaxed);
            }
            sleep(Duration::from_millis(random.below(30))).await;
        }
    }
}

#[test]
fn calls_to_killed_processes_end_and_leave_no_state() {
    let _turn = turn();
    let seed = seed();
    runtime().block_on(async {
        connect(Revision::LATEST).await.close().await;
        let before = Before::measure().await;
        let clients = [
            connect(Revision::LATEST).await,
            connect(Revision::V2025_11_25).await,
        ];
        let score = Arc::<Score>::default();
        let killed = Arc::<AtomicU64>::default();
        let other = tokio::spawn(killing(Arc::clone(&score), Arc::clone(&killed), seed));
        let mut weighed = Vec::new();
        for number in 0..ROUNDS {
            round(&clients, &score, seed + number, ROUND).await;
            weighed.push(memory());
        }
        other.abort();
        // The task may be about to kill one more process.
        let _ = other.await;
        println!(
            "{killed:?} killed; {:?} answered, {:?} failed, {:?} given up, {:?} changes",
            score.answered, score.failed, score.given_up, score.changes
        );
        assert!(killed.load(Ordering::Relaxed) > ROUNDS);
        for client in &clients {
            quiet(client).await;
            client.close().await;
        }
        before.assert_restored().await;
        assert_constant(&weighed, WARM, GROWTH);
    });
}
