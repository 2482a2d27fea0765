//! [`Progress`]: a bar on the terminal while a call goes on.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_client::types::ProgressNotificationParams;

use crate::clean;

/// Characters of the bar.
const WIDTH: u32 = 30;

/// Characters of the words beside it.
const WORDS: usize = 40;

/// A bar that goes away when this is dropped.
pub(crate) struct Progress {
    shown: Option<Arc<AtomicBool>>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        Self {
            shown: terminal.then(Arc::default),
        }
    }

    /// What shows the bar, where there is a terminal.
    pub(crate) fn heard(
        &self,
    ) -> Option<impl Fn(ProgressNotificationParams) + Send + Sync + 'static> {
        let shown = Arc::clone(self.shown.as_ref()?);
        Some(move |params: ProgressNotificationParams| {
            shown.store(true, Ordering::Relaxed);
            // A bar that cannot be seen is none.
            let _ = write!(io::stderr(), "\r\x1b[K{}", bar(&params));
            let _ = io::stderr().flush();
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.load(Ordering::Relaxed))
        {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn bar(params: &ProgressNotificationParams) -> String {
    let message = params.message.as_deref().unwrap_or_default();
    // Only so much of it is shown, however long it is.
    let message: String = message.chars().take(WORDS).collect();
    let message = clean::line(&message).replace('\t', " ");
    let message: String = message.chars().take(WORDS).collect();
    let total = params
        .total
        .as_ref()
        .and_then(mcp_client::types::json::Number::as_f64);
    let done = params.progress.as_f64().unwrap_or_default();
    match total {
        Some(total) if total > 0.0 => {
            let part = (done / total).clamp(0.0, 1.0);
            let filled = |at| f64::from(at) <= part * f64::from(WIDTH);
            let bar = (1..=WIDTH).map(|at| if filled(at) { '#' } else { '-' });
            let bar: String = bar.collect();
            format!("[{bar}] {:3.0}% {message}", part * 100.0)
        }
        _ => format!("{done} {message}"),
    }
}
