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
        let help = "Open connections of the server's own sockets.";
        text.gauge("connections", help, self.connections);
        let help = "Sessions of older revisions, idle ones included.";
        text.gauge("sessions", help, self.sessions);
        let help = "Open channels of the deprecated transport HTTP+SSE.";
        text.gauge("http_sse_channels", help, self.http_sse_channels);
        let help = "Requests that hold a permit.";
        text.gauge("requests_in_flight", help, self.requests_in_flight);
        let help = "Requests of subscriptions/listen in flight.";
        text.gauge("subscriptions", help, self.subscriptions);
        let help = "Bytes of messages that wait for clients to read them.";
        text.gauge("queued_bytes", help, self.queued_bytes);
        let help = "Connections accepted by the server's own sockets.";
        text.counter("accepted_connections", help, self.accepted_connections);
        let help = "HTTP requests, refused ones included.";
        text.counter("requests", help, self.requests);
        let help = "Bytes of the bodies of HTTP requests.";
        text.counter("request_bytes", help, self.request_bytes);
        let help = "Requests and connections that were refused.";
        text.family("refusals", "counter", help);
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
        let help = "Operations of the stores in progress.";
        self.gauge("store_operations_running", help, store.running);
        let help = "Operations of the stores.";
        self.counter("store_operations", help, store.operations);
        let help = "Operations of the stores that failed or took too long.";
        self.counter("store_failures", help, store.failures);
        let help = "Time of the operations of the stores.";
        self.counter("store_microseconds", help, store.micros);
        let help = "Whether the bus can be read.";
        self.gauge("bus_connected", help, usize::from(store.bus_connected));
        let help = "Changes that wait to be published.";
        self.gauge("bus_waiting", help, store.bus_waiting);
        let help = "Messages that this process published.";
        self.counter("bus_published", help, store.bus_published);
        let help = "Messages of the bus that this process received.";
        self.counter("bus_received", help, store.bus_received);
        let help = "Times that messages of the bus were lost.";
        self.counter("bus_missed", help, store.bus_missed);
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
