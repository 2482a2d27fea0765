//! [`Paths`]: where health, readiness and metrics are served.

/// The paths that an [`HttpConfig`](crate::HttpConfig) names; none by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    pub(crate) health: Option<String>,
    pub(crate) readiness: Option<String>,
    pub(crate) metrics: Option<String>,
}
