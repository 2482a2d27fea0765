//! [`Paths`]: the paths of health, readiness and metrics.

/// The paths that an [`HttpConfig`](crate::HttpConfig) sets. None by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    pub(crate) health: Option<String>,
    pub(crate) readiness: Option<String>,
    pub(crate) metrics: Option<String>,
}
