//! [`Progress`]: shows the progress of a call.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_client::types::ProgressNotificationParams;
use mcp_client::types::json::Number;

use super::clean;
use crate::output;

/// The width of the bar in characters.
const WIDTH: u32 = 30;

/// The maximum length of the message beside it, in characters.
const WORDS: usize = 40;

/// Shows progress on standard error: as a bar if it is a terminal, as lines with `--verbose`.
pub(crate) struct Progress {
    style: Option<Style>,
}

enum Style {
    /// Whether a bar is visible, which has to be removed in the end.
    Bar(Arc<AtomicBool>),
    Lines,
}

impl Progress {
    pub(crate) fn new(verbose: bool) -> Self {
        let style = if verbose {
            Some(Style::Lines)
        } else if io::stderr().is_terminal() {
            Some(Style::Bar(Arc::default()))
        } else {
            None
        };
        Self { style }
    }

    /// Returns the handler of progress notifications, if they are shown.
    pub(crate) fn handler(&self) -> Option<Handler> {
        Some(match self.style.as_ref()? {
            Style::Bar(visible) => {
                let visible = Arc::clone(visible);
                Box::new(move |params| {
                    visible.store(true, Ordering::Relaxed);
                    // A bar that cannot be written is not needed.
                    let _ = write!(io::stderr(), "\r\x1b[K{}", bar(&params));
                    let _ = io::stderr().flush();
                })
            }
            Style::Lines => Box::new(|params| output::print_message(&line(&params))),
        })
    }
}

type Handler = Box<dyn Fn(ProgressNotificationParams) + Send + Sync>;

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Style::Bar(visible)) = &self.style
            && visible.load(Ordering::Relaxed)
        {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Returns progress as a line.
fn line(params: &ProgressNotificationParams) -> String {
    let number = |number: &Number| number.as_f64().unwrap_or_default();
    let mut line = format!("progress {}", number(&params.progress));
    if let Some(total) = &params.total {
        line.push_str(&format!(" of {}", number(total)));
    }
    if let Some(message) = &params.message {
        line.push_str(&format!(": {message}"));
    }
    line
}

fn bar(params: &ProgressNotificationParams) -> String {
    let message = params.message.as_deref().unwrap_or_default();
    // Cut off first: a server may send a very long message.
    let message: String = message.chars().take(WORDS).collect();
    let message = clean::line(&message).replace('\t', " ");
    let message: String = message.chars().take(WORDS).collect();
    let total = params.total.as_ref().and_then(Number::as_f64);
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
