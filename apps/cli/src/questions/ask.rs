//! [`Answers`]: asks the user, at the terminal or through piped standard input.

use std::future::pending;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::sleep;

use crate::output::clean;

/// The maximum size of an answer, in bytes.
const ANSWER: usize = 1 << 20;

/// Where answers come from. Servers may ask several questions at once, but only one is shown at a
/// time.
#[derive(Clone)]
pub(crate) struct Answers {
    turn: Arc<Semaphore>,
    /// How long to wait for a line of piped input.
    patience: Duration,
}

/// The permission to ask, until it is dropped.
pub(crate) struct AskPermit<'a> {
    _permit: SemaphorePermit<'a>,
    /// `None` if a person types at a terminal, who may think as long as needed.
    patience: Option<Duration>,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The user closed the input at the terminal.
    Closed,
    /// Piped input has ended.
    Ended,
    /// Piped input did not contain a further line in time.
    Late,
    /// The next line has more than 1048576 bytes.
    Long,
    /// Standard input is a terminal, but standard error is not.
    Unseen,
}

impl NoAnswer {
    /// Returns the reason as the end of a sentence; `None` if the user knows it.
    pub(crate) fn reason(self) -> Option<&'static str> {
        match self {
            Self::Closed => None,
            Self::Ended => Some("standard input has no more lines"),
            Self::Late => Some("standard input had no further line in time (see `--timeout`)"),
            Self::Long => Some("the next line of standard input has more than 1048576 bytes"),
            Self::Unseen => Some("standard error is not a terminal, so questions are not visible"),
        }
    }
}

/// Returns `true` for an answer that agrees. An empty one does not.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")
}

impl Answers {
    pub(crate) fn new(patience: Duration) -> Self {
        let turn = Arc::new(Semaphore::new(1));
        Self { turn, patience }
    }

    /// Waits until no other question is open.
    pub(crate) async fn turn(&self) -> Result<AskPermit<'_>, NoAnswer> {
        let at_terminal = io::stdin().is_terminal();
        if at_terminal && !io::stderr().is_terminal() {
            return Err(NoAnswer::Unseen);
        }
        // Fails only if the semaphore is closed, which never happens.
        let permit = self.turn.acquire().await.map_err(|_| NoAnswer::Closed)?;
        Ok(AskPermit {
            _permit: permit,
            patience: (!at_terminal).then_some(self.patience),
        })
    }
}

impl AskPermit<'_> {
    /// Shows a question and reads the next line as its answer.
    pub(crate) async fn ask(&self, question: &str) -> Result<String, NoAnswer> {
        let end = if self.patience.is_some() { "\n" } else { " " };
        // If standard error is closed, the answer is still read.
        let _ = write!(io::stderr(), "{}{end}", clean::line(question));
        let (sender, answer) = oneshot::channel();
        // A read cannot be cancelled; the thread ends with the program.
        std::thread::spawn(move || {
            let mut line = String::new();
            let mut input = io::stdin().lock().take(ANSWER as u64 + 1);
            let read = input.read_line(&mut line);
            let line = read.ok().filter(|&read| read > 0).map(|_| line);
            // Fails if the call was cancelled meanwhile.
            let _ = sender.send(line);
        });
        let late = async {
            match self.patience {
                Some(patience) => sleep(patience).await,
                None => pending().await,
            }
        };
        tokio::select! {
            line = answer => match (line.ok().flatten(), self.patience) {
                (Some(line), _) if line.len() > ANSWER => Err(NoAnswer::Long),
                (Some(line), _) => Ok(line.trim().to_owned()),
                (None, Some(_)) => Err(NoAnswer::Ended),
                (None, None) => Err(NoAnswer::Closed),
            },
            () = late => Err(NoAnswer::Late),
        }
    }
}
