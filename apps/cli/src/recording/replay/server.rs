//! Plays the server on standard input and output.

use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::player::{Out, Player};
use super::stdin;
use crate::failure::Failure;

/// The number of messages that wait to be written.
const WAITING: usize = 64;

/// The number of messages of the client that are answered at the same time.
const RUNNING: usize = 1000;

/// Answers the messages on standard input until it ends.
pub(crate) async fn serve(player: Arc<Player>, limit: usize) -> Result<(), Failure> {
    let mut lines = stdin::lines(limit);
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut writing = tokio::spawn(write(receiver));
    let mut running = JoinSet::new();
    let read = async {
        while let Some(line) = lines.recv().await {
            let line = line?;
            while running.try_join_next().is_some() {}
            if running.len() >= RUNNING {
                let text = format!("more than {RUNNING} requests are open");
                return Err(std::io::Error::other(text));
            }
            // JSON is not valid with a replacement outside of strings, and is answered as such.
            let line = String::from_utf8_lossy(&line).into_owned();
            if line.trim().is_empty() {
                continue;
            }
            let (player, sender) = (Arc::clone(&player), sender.clone());
            let answer = async move { player.answer(line.trim(), &sender).await };
            running.spawn(answer);
        }
        player.close();
        while running.join_next().await.is_some() {}
        Ok::<(), std::io::Error>(())
    };
    tokio::select! {
        read = read => read?,
        // The client has closed the output.
        _ = &mut writing => return Ok(()),
    }
    drop(sender);
    // It reports no errors of a closed output.
    let _ = writing.await;
    Ok(())
}

async fn write(mut messages: mpsc::Receiver<Out>) {
    let mut out = tokio::io::stdout();
    while let Some(Out {
        text: mut message, ..
    }) = messages.recv().await
    {
        message.push('\n');
        let written = out.write_all(message.as_bytes()).await;
        if written.is_err() || out.flush().await.is_err() {
            return;
        }
    }
}
