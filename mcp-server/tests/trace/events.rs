//! A subscriber that collects events of all levels, and the fields of spans.

use std::sync::{Arc, Mutex, MutexGuard};

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use super::collect::Fields;

/// An event in the log.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) level: Level,
    pub(crate) fields: Fields,
}

impl Logged {
    pub(crate) fn message(&self) -> &str {
        self.fields.get("message").unwrap_or_default()
    }
}

#[derive(Default)]
struct Kept {
    events: Vec<Logged>,
    spans: Vec<Fields>,
}

/// Collects the output of this thread until it is dropped.
pub(crate) struct Log {
    kept: Arc<Mutex<Kept>>,
    _guard: Option<DefaultGuard>,
    /// With a single subscriber, `tracing` caches the interest of the thread that first reaches an
    /// event or span: a thread without a subscriber would disable it for all.
    _second: Dispatch,
}

impl Log {
    pub(crate) fn begin() -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let layer = Keeper(Arc::clone(&kept));
        let guard = tracing::subscriber::set_default(Registry::default().with(layer));
        Self {
            kept,
            _guard: Some(guard),
            _second: Dispatch::new(Registry::default()),
        }
    }

    /// Collects the output of all threads that have no subscriber of their own, for the rest of the
    /// process. Only one test can call this.
    pub(crate) fn of_all_threads() -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let layer = Keeper(Arc::clone(&kept));
        tracing::subscriber::set_global_default(Registry::default().with(layer)).expect("first");
        Self {
            kept,
            _guard: None,
            _second: Dispatch::new(Registry::default()),
        }
    }

    /// Returns all events since the last call.
    pub(crate) fn events(&self) -> Vec<Logged> {
        std::mem::take(&mut self.kept.lock().expect("no panic").events)
    }

    /// Returns the events of a level since the last call.
    pub(crate) fn of(&self, level: Level) -> Vec<Logged> {
        let all = self.events().into_iter();
        all.filter(|event| event.level == level).collect()
    }

    /// Returns the names and values of all fields of events and spans.
    pub(crate) fn texts(&self) -> Vec<(&'static str, String)> {
        let kept = std::mem::take(&mut *self.kept.lock().expect("no panic"));
        let events = kept.events.into_iter().map(|event| event.fields);
        let all = events.chain(kept.spans);
        all.flat_map(|fields| fields.0).collect()
    }
}

struct Keeper(Arc<Mutex<Kept>>);

impl Keeper {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().expect("no panic")
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Keeper {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        self.kept().spans.push(fields);
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        self.kept().spans.push(fields);
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        self.kept().events.push(Logged { level, fields });
    }
}
