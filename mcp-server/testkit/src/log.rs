//! A subscriber that collects events of all levels, and spans with their fields.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

/// Field values by name.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub BTreeMap<&'static str, String>);

impl Fields {
    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

/// An event in the log.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The level of the event.
    pub level: Level,
    /// Its fields.
    pub fields: Fields,
    /// The fields of the span around it.
    pub span: Fields,
}

impl Logged {
    /// Returns the message.
    pub fn message(&self) -> &str {
        self.fields.get("message").unwrap_or_default()
    }
}

#[derive(Default)]
struct Kept {
    events: Vec<Logged>,
    /// The targets and fields of all spans, as they were recorded.
    recorded: Vec<Fields>,
    /// The spans of requests that have ended.
    requests: Vec<Fields>,
}

/// Collects the output of this thread until it is dropped.
pub struct Log {
    kept: Arc<Mutex<Kept>>,
    _guard: Option<DefaultGuard>,
    /// With a single subscriber, `tracing` caches the interest of the thread that first reaches an
    /// event or span: a thread without a subscriber would disable it for all.
    _second: Dispatch,
}

impl Log {
    /// Begins to collect.
    pub fn begin() -> Self {
        Self::new(|dispatch| Some(tracing::dispatcher::set_default(&dispatch)))
    }

    /// Collects the output of all threads that have no subscriber of their own, for the rest of the
    /// process. Only one test can call this.
    pub fn of_all_threads() -> Self {
        Self::new(|dispatch| {
            tracing::dispatcher::set_global_default(dispatch).expect("first");
            None
        })
    }

    fn new(set: impl FnOnce(Dispatch) -> Option<DefaultGuard>) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let layer = Keeper(Arc::clone(&kept));
        Self {
            kept,
            _guard: set(Dispatch::new(Registry::default().with(layer))),
            _second: Dispatch::new(Registry::default()),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("no panic")
    }

    /// Returns all events since the last call.
    pub fn events(&self) -> Vec<Logged> {
        std::mem::take(&mut self.kept().events)
    }

    /// Returns the events of a level since the last call for events.
    pub fn of(&self, level: Level) -> Vec<Logged> {
        let all = self.events().into_iter();
        all.filter(|event| event.level == level).collect()
    }

    /// Returns the spans of requests that have ended since the last call.
    pub fn requests(&self) -> Vec<Fields> {
        std::mem::take(&mut self.kept().requests)
    }

    /// Returns the names and values of all fields of events and spans, and the targets of spans.
    pub fn texts(&self) -> Vec<(&'static str, String)> {
        let kept = std::mem::take(&mut *self.kept());
        let events = kept.events.into_iter().map(|event| event.fields);
        let all = events.chain(kept.recorded);
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
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, around: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let mut recorded = fields.clone();
        let target = attributes.metadata().target();
        recorded.0.insert("target", target.to_owned());
        self.kept().recorded.push(recorded);
        let span = around.span(id).expect("the span is new");
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, around: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let span = around.span(id).expect("the span exists");
        let mut extensions = span.extensions_mut();
        let all = extensions.get_mut::<Fields>().expect("inserted");
        all.0.extend(fields.0.clone());
        self.kept().recorded.push(fields);
    }

    fn on_event(&self, event: &Event<'_>, around: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = around.event_span(event);
        let span = span.and_then(|span| span.extensions().get::<Fields>().cloned());
        self.kept().events.push(Logged {
            level: *event.metadata().level(),
            fields,
            span: span.unwrap_or_default(),
        });
    }

    fn on_close(&self, id: Id, around: Context<'_, S>) {
        let span = around.span(&id).expect("the span is closed");
        if span.name() == "mcp.request" {
            let fields = span.extensions().get::<Fields>().cloned();
            self.kept().requests.extend(fields);
        }
    }
}
