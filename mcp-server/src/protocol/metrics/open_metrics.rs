//! [`Metrics`] in the text format of OpenMetrics 1.0.

use std::fmt::{Display, Write as _};

use super::operations::Operation;
use super::{Metrics, StoreMetrics};

impl Metrics {
    /// The media type of [`to_open_metrics`](Self::to_open_metrics).
    pub const OPEN_METRICS: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Returns the snapshot in the text format of OpenMetrics 1.0, which Prometheus reads. All
    /// names begin with `mcp_server_`.
    #[must_use]
    pub fn to_open_metrics(&self) -> String {
        let mut text = MetricsText(String::with_capacity(4 << 10));
        text.gauge(
            "connections",
            "Open connections of the server's own sockets.",
            self.connections,
        );
        text.gauge(
            "sessions",
            "Sessions of older revisions, idle ones included.",
            self.sessions,
        );
        text.gauge(
            "http_sse_channels",
            "Open channels of the deprecated transport HTTP+SSE.",
            self.http_sse_channels,
        );
        text.gauge(
            "requests_in_flight",
            "Requests that hold a permit.",
            self.requests_in_flight,
        );
        text.gauge(
            "subscriptions",
            "Requests of subscriptions/listen in flight.",
            self.subscriptions,
        );
        text.gauge(
            "queued_bytes",
            "Bytes of messages that wait for clients to read them.",
            self.queued_bytes,
        );
        text.counter(
            "accepted_connections",
            "Connections accepted by the server's own sockets.",
            self.accepted_connections,
        );
        text.counter(
            "requests",
            "HTTP requests, refused ones included.",
            self.requests,
        );
        text.counter(
            "request_bytes",
            "Bytes of the bodies of HTTP requests.",
            self.request_bytes,
        );
        text.family(
            "refusals",
            "counter",
            "Requests and connections that were refused.",
        );
        for (cause, count) in self.refusals.iter() {
            text.sample("refusals_total", &format!("{{cause=\"{cause}\"}}"), count);
        }
        text.operations(&self.operations);
        text.store(&self.store);
        text.0.push_str("# EOF\n");
        text.0
    }
}

impl MetricsText {
    fn store(&mut self, store: &StoreMetrics) {
        self.gauge(
            "store_operations_running",
            "Operations of the stores in progress.",
            store.running,
        );
        self.counter(
            "store_operations",
            "Operations of the stores.",
            store.operations,
        );
        self.counter(
            "store_failures",
            "Operations of the stores that failed or took too long.",
            store.failures,
        );
        self.counter(
            "store_microseconds",
            "Time of the operations of the stores.",
            store.micros,
        );
        self.gauge(
            "bus_connected",
            "Whether the bus can be read.",
            usize::from(store.bus_connected),
        );
        self.gauge(
            "bus_waiting",
            "Changes that wait to be published.",
            store.bus_waiting,
        );
        self.counter(
            "bus_published",
            "Messages that this process published.",
            store.bus_published,
        );
        self.counter(
            "bus_received",
            "Messages of the bus that this process received.",
            store.bus_received,
        );
        self.counter(
            "bus_missed",
            "Times that messages of the bus were lost.",
            store.bus_missed,
        );
    }
}

/// The text of metric families. Help texts are not escaped: they contain no backslashes, line
/// breaks or quotes.
struct MetricsText(String);

impl MetricsText {
    fn gauge(&mut self, name: &str, help: &str, value: usize) {
        self.family(name, "gauge", help);
        self.sample(name, "", value as u64);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.sample(&format!("{name}_total"), "", value);
    }

    /// Adds the requests by outcome, and the histogram of their durations.
    fn operations(&mut self, operations: &[Operation]) {
        let counts = "Requests of the protocol by method, tool and outcome.";
        self.family("operations", "counter", counts);
        for operation in operations {
            let labels = labels(operation);
            for (outcome, count) in operation.outcomes() {
                let labels = format!("{{{labels},outcome=\"{}\"}}", outcome.as_str());
                self.sample("operations_total", &labels, count);
            }
        }
        let name = "operation_duration_seconds";
        self.family(name, "histogram", "Time until the responses to requests.");
        for operation in operations {
            let labels = labels(operation);
            for (bound, count) in operation.buckets() {
                let bound = if bound.is_finite() {
                    format!("{bound:?}")
                } else {
                    "+Inf".to_owned()
                };
                let labels = format!("{{{labels},le=\"{bound}\"}}");
                self.sample(&format!("{name}_bucket"), &labels, count);
            }
            let labels = format!("{{{labels}}}");
            self.sample(&format!("{name}_count"), &labels, operation.total());
            let seconds = operation.total_time.as_secs_f64();
            self.sample(&format!("{name}_sum"), &labels, seconds);
        }
    }

    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a `String` does not fail.
        let _ = writeln!(self.0, "# TYPE mcp_server_{name} {kind}");
        let unit = ["bytes", "seconds"];
        let unit = unit.iter().find(|unit| name.ends_with(&format!("_{unit}")));
        if let Some(unit) = unit {
            let _ = writeln!(self.0, "# UNIT mcp_server_{name} {unit}");
        }
        let _ = writeln!(self.0, "# HELP mcp_server_{name} {help}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "mcp_server_{name}{labels} {value}");
    }
}

/// Returns the labels with the method and the tool of an operation; those without a value are
/// empty.
fn labels(operation: &Operation) -> String {
    let method = escaped(&operation.method);
    let tool = escaped(operation.tool.as_deref().unwrap_or_default());
    format!("method=\"{method}\",tool=\"{tool}\"")
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    value.replace('\n', "\\n")
}
