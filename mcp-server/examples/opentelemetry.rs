//! Exports the counters of a server to OpenTelemetry:
//! `cargo run -p mcp-server --all-features --example opentelemetry`
//!
//! The instruments are read from [`Server::metrics`] whenever the SDK collects. This program prints
//! what is collected; one that sends it to a collector uses the exporter of `opentelemetry-otlp`
//! in place of [`Printed`].

use std::error::Error;
use std::time::Duration;

use mcp_server::{Http, Operation, Server};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider, Temporality};

/// Creates the instruments of a server. They last as long as the provider of the meter.
pub(crate) fn observe(meter: &Meter, server: &Server) {
    let observed = server.clone();
    let in_flight = meter.u64_observable_gauge("mcp.server.requests_in_flight");
    in_flight
        .with_callback(move |gauge| {
            gauge.observe(observed.metrics().requests_in_flight as u64, &[]);
        })
        .build();
    let observed = server.clone();
    let operations = meter.u64_observable_counter("mcp.server.operations");
    operations
        .with_callback(move |counter| {
            for operation in observed.metrics().operations {
                for (outcome, count) in operation.outcomes().filter(|(_, count)| *count > 0) {
                    let mut labels = attributes(&operation);
                    labels.push(KeyValue::new("outcome", outcome.as_str()));
                    counter.observe(count, &labels);
                }
            }
        })
        .build();
    let observed = server.clone();
    let time = meter.f64_observable_counter("mcp.server.operation.time");
    time.with_unit("s")
        .with_callback(move |counter| {
            for operation in observed.metrics().operations {
                let seconds = operation.total_time.as_secs_f64();
                counter.observe(seconds, &attributes(&operation));
            }
        })
        .build();
    // A histogram cannot be observed, because it is made of single durations. As in Prometheus,
    // there is a counter for each bucket, with its upper bound in seconds.
    let observed = server.clone();
    let buckets = meter.u64_observable_counter("mcp.server.operation.time.bucket");
    buckets
        .with_callback(move |counter| {
            for operation in observed.metrics().operations {
                for (bound, count) in operation.buckets() {
                    let mut labels = attributes(&operation);
                    labels.push(KeyValue::new("le", bound));
                    counter.observe(count, &labels);
                }
            }
        })
        .build();
}

/// Returns the attributes that spans have, too.
fn attributes(operation: &Operation) -> Vec<KeyValue> {
    let mut attributes = vec![KeyValue::new("mcp.method.name", operation.method.clone())];
    let tool = operation.tool.clone();
    attributes.extend(tool.map(|tool| KeyValue::new("gen_ai.tool.name", tool)));
    attributes
}

/// An exporter that passes lines of text to a function: name, attributes and value.
pub(crate) struct Printed(pub(crate) fn(String));

impl PushMetricExporter for Printed {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        for metric in metrics.scope_metrics().flat_map(ScopeMetrics::metrics) {
            let print = |attributes: Vec<&KeyValue>, value: String| {
                let pair = |pair: &KeyValue| format!(" {}={}", pair.key, pair.value);
                let mut pairs: Vec<_> = attributes.into_iter().map(pair).collect();
                pairs.sort_unstable();
                (self.0)(format!("{}{} {value}", metric.name(), pairs.concat()));
            };
            match metric.data() {
                AggregatedMetrics::U64(MetricData::Sum(sum)) => sum
                    .data_points()
                    .for_each(|at| print(at.attributes().collect(), at.value().to_string())),
                AggregatedMetrics::F64(MetricData::Sum(sum)) => sum
                    .data_points()
                    .for_each(|at| print(at.attributes().collect(), at.value().to_string())),
                AggregatedMetrics::U64(MetricData::Gauge(gauge)) => gauge
                    .data_points()
                    .for_each(|at| print(at.attributes().collect(), at.value().to_string())),
                _ => {}
            }
        }
        Ok(())
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("opentelemetry", env!("CARGO_PKG_VERSION"))
        .tool("hello", "Says hello", async || "Hello!")
        .build()?;
    let reader = PeriodicReader::builder(Printed(|line| eprintln!("{line}")));
    let reader = reader.with_interval(Duration::from_secs(10)).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    observe(&provider.meter("mcp-server"), &server);
    let serving = server.serve_http(Http::at("127.0.0.1:8080"))?;
    eprintln!("listening on http://{}/mcp", serving.local_addr());
    serving.await?;
    provider.shutdown()?;
    Ok(())
}
