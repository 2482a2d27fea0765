//! [`Terminal`]: the user, as far as there is one to be asked.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

use crate::clean;

/// One question after the other.
#[derive(Clone)]
pub(crate) struct Terminal {
    turn: Arc<Semaphore>,
}

/// A turn to ask.
pub(crate) struct Turn<'a> {
    _turn: tokio::sync::SemaphorePermit<'a>,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let turn = Arc::new(Semaphore::new(1));
        Self { turn }
    }

    /// Waits for a turn; `None` where there is nobody to be asked.
    pub(crate) async fn turn(&self) -> Option<Turn<'_>> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let turn = self.turn.acquire().await.ok()?;
        Some(Turn { _turn: turn })
    }
}

impl Turn<'_> {
    /// Asks; `None` where the input has ended.
    pub(crate) async fn ask(&self, question: &str) -> Option<String> {
        // Nobody reads it where this fails, and then there is no answer either.
        let _ = write!(io::stderr(), "{} ", clean::line(question));
        let (sender, answer) = oneshot::channel();
        // A read from a terminal cannot be given up; the thread ends with the program.
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            let line = read.ok().filter(|&read| read > 0).map(|_| line);
            // Nobody waits for it if the call was given up.
            let _ = sender.send(line);
        });
        Some(answer.await.ok()??.trim().to_owned())
    }
}
