//! What the processes of a cluster asked of their store, by their metrics.

use std::ops::Sub;

use anyhow::{Context as _, Result};

use super::http;
use super::processes::Cluster;

/// The counts of all processes together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) operations: u64,
    /// The time of these operations.
    pub(crate) micros: u64,
    /// The messages of the bus.
    pub(crate) published: u64,
}

impl Counts {
    pub(crate) fn read(cluster: &Cluster) -> Result<Self> {
        let mut all = Self::default();
        for at in 0..cluster.count() {
            let text = http::text(&cluster.url_of(at).replace("/mcp", "/metrics"))?;
            let value = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.and_then(|value| value.trim().parse::<u64>().ok())
                    .context("a metric is missing")
            };
            all.operations += value("mcp_server_store_operations_total")?;
            all.micros += value("mcp_server_store_microseconds_total")?;
            all.published += value("mcp_server_bus_published_total")?;
        }
        Ok(all)
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            operations: self.operations - before.operations,
            micros: self.micros - before.micros,
            published: self.published - before.published,
        }
    }
}
