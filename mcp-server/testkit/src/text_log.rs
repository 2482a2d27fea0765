//! A subscriber that collects the log as a program writes it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Level};

#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects the output of this thread, at all levels, until it is dropped.
pub struct TextLog {
    text: Text,
    _guard: DefaultGuard,
    /// With a single subscriber, `tracing` caches the interest of the thread that first reaches an
    /// event: a concurrent test without a subscriber would disable it for all.
    _second: Dispatch,
}

impl TextLog {
    /// Begins to collect.
    pub fn begin() -> Self {
        let text = Text::default();
        let writer = text.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(Level::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        Self {
            text,
            _guard: tracing::subscriber::set_default(subscriber),
            _second: Dispatch::new(tracing_subscriber::registry()),
        }
    }

    /// Returns the text so far.
    pub fn text(&self) -> String {
        let bytes = self.text.0.lock().expect("no panic").clone();
        String::from_utf8(bytes).expect("UTF-8")
    }
}
