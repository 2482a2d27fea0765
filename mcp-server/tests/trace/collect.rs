//! A subscriber that collects spans and events with their fields.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

/// Field values by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(pub(crate) BTreeMap<&'static str, String>);

impl Fields {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
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

#[derive(Default)]
struct Kept {
    spans: Vec<Fields>,
    errors: Vec<(Fields, Fields)>,
}

/// Collects the output of this thread until it is dropped.
pub(crate) struct Collected {
    kept: Arc<Mutex<Kept>>,
    _guard: DefaultGuard,
}

impl Collected {
    pub(crate) fn begin() -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let layer = Collector(Arc::clone(&kept));
        let guard = tracing::subscriber::set_default(Registry::default().with(layer));
        Self {
            kept,
            _guard: guard,
        }
    }

    /// Returns the spans of requests that have ended since the last call.
    pub(crate) fn spans(&self) -> Vec<Fields> {
        std::mem::take(&mut self.kept.lock().expect("no panic").spans)
    }

    /// Returns the errors since the last call, each with the span around it.
    pub(crate) fn errors(&self) -> Vec<(Fields, Fields)> {
        std::mem::take(&mut self.kept.lock().expect("no panic").errors)
    }
}

struct Collector(Arc<Mutex<Kept>>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, around: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let span = around.span(id).expect("the span is new");
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, around: Context<'_, S>) {
        let span = around.span(id).expect("the value exists");
        let mut extensions = span.extensions_mut();
        values.record(extensions.get_mut::<Fields>().expect("inserted"));
    }

    fn on_event(&self, event: &Event<'_>, around: Context<'_, S>) {
        if *event.metadata().level() != Level::ERROR {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = around.event_span(event);
        let span = span.and_then(|span| span.extensions().get::<Fields>().cloned());
        let mut kept = self.0.lock().expect("no panic");
        kept.errors.push((fields, span.unwrap_or_default()));
    }

    fn on_close(&self, id: Id, around: Context<'_, S>) {
        let span = around.span(&id).expect("the span is closed");
        if span.name() != "mcp.request" {
            return;
        }
        let fields = span.extensions().get::<Fields>().cloned();
        let mut kept = self.0.lock().expect("no panic");
        kept.spans.push(fields.expect("inserted"));
    }
}
