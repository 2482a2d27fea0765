//! [`Faults`]: what fails at an upstream, for its clients and for the operator of the gateway.

use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_client::CallError;
use mcp_server::HandlerError;
use mcp_server::types::peer_text::PeerDisplay;

use crate::error::{failed, unavailable};
use crate::fault::{OnReport, UpstreamFault, UpstreamReport};

/// The faults of an upstream.
pub(crate) struct Faults {
    upstream: String,
    on_report: Option<OnReport>,
    /// What failed last, until something succeeds.
    last: Mutex<Option<UpstreamFault>>,
}

impl Faults {
    pub(crate) fn new(upstream: &str, on_report: Option<OnReport>) -> Self {
        Self {
            upstream: upstream.to_owned(),
            on_report,
            last: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Option<UpstreamFault>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what failed last, until something succeeds.
    pub(crate) fn last(&self) -> Option<UpstreamFault> {
        self.state().clone()
    }

    /// Notes that something has succeeded.
    pub(crate) fn clear(&self) {
        let upstream = &*self.upstream;
        if self.state().take().is_some() {
            self.tell(&UpstreamReport::Recovered { upstream });
        }
    }

    /// Reports something to the operator.
    pub(crate) fn tell(&self, report: &UpstreamReport<'_>) {
        if let Some(on_report) = &self.on_report {
            on_report(report);
        }
        tracing::warn!(report = %PeerDisplay(report), "the state of an upstream");
    }

    /// Reports a fault, and returns the error for a client. The same fault is not reported again until
    /// something succeeds.
    pub(crate) fn report(
        &self,
        fault: &UpstreamFault,
        error: Option<&(dyn Error + Send + Sync)>,
    ) -> HandlerError {
        let known = self.state().replace(fault.clone());
        if known.as_ref() != Some(fault) {
            self.tell(&UpstreamReport::Failed {
                upstream: &self.upstream,
                fault,
                error,
            });
        }
        unavailable(&self.upstream, fault)
    }

    /// Reports a failed call, and returns the error for a client: that of the upstream itself, if it
    /// has answered with one.
    pub(crate) fn failed(&self, error: CallError) -> HandlerError {
        let fault = UpstreamFault::of_call(&error);
        let refusal = match fault {
            Some(fault) => self.report(&fault, Some(&error)),
            None => unavailable(&self.upstream, &UpstreamFault::Other),
        };
        failed(error).unwrap_or(refusal)
    }

    /// Returns the error for a client during the pause after a failure.
    pub(crate) fn paused(&self) -> HandlerError {
        let fault = self.last().unwrap_or(UpstreamFault::Unreachable);
        unavailable(&self.upstream, &fault)
    }
}
