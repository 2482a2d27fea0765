//! How a call uses the cache: it looks its result up, asks the server whether a stale one is still
//! current, and stores the response.

use std::any::Any;

use mcp_types::Request;
use mcp_types::json::Value;
use mcp_types::revision::Versioned;
use serde_json::value::RawValue;

use super::prepared::{Answers, PreparedCall};
use crate::features::cache::key::VERSION;
use crate::features::cache::{CacheMiss, Caller, Lookup, Revalidated, StaleResult};
use crate::protocol::error::CallError;
use crate::protocol::params::{ParamValue, Params};

impl<R> PreparedCall<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    /// Looks the result up in the cache.
    pub(super) fn look_up(&self, params: &Params<'_>) -> Lookup {
        let client = self.connection().request_meta.of(self.revision);
        match (&self.features().cache, client) {
            (Some(cache), Some(client)) => {
                let caller = Caller {
                    revision: self.revision,
                    client,
                    call: &self.meta,
                    revalidation: cache.revalidation(self.connection()),
                };
                cache.look_up(R::METHOD, params, caller, self.fresh)
            }
            _ => Lookup::Uncacheable,
        }
    }

    /// Asks the server with the params of the call and the known version. A call of the method that
    /// asks thereby gets its response; for `resources/read`, the contents in the response have
    /// another form, and need not be complete.
    pub(super) async fn revalidate(
        &self,
        params: &Params<'_>,
        stale: StaleResult,
        miss: CacheMiss,
    ) -> Result<Revalidated, CallError> {
        let Some(cache) = &self.features().cache else {
            return Ok(Revalidated::Unknown(miss));
        };
        let method = stale.revalidation.method();
        let version = Value::from(&*stale.version);
        let params = params.clone();
        let params = params.with(VERSION, ParamValue::Value(&version));
        match self.send(method, &params, &Answers::default()).await {
            Err(CallError::Refused { source, .. }) if stale.revalidation.is_current(&source) => {
                cache.renew(&stale, &miss);
                Ok(Revalidated::Current(stale.result))
            }
            received => {
                if let Err(CallError::Refused { .. }) = received {
                    cache.remove(&stale, &miss);
                }
                if R::METHOD == method {
                    return Ok(Revalidated::Received(received, miss));
                }
                match received {
                    Ok(_) | Err(CallError::Refused { .. }) => Ok(Revalidated::Unknown(miss)),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Stores a result in the cache.
    pub(super) fn store(&self, miss: Option<CacheMiss>, text: &RawValue, result: &dyn Any) {
        if let (Some(miss), Some(cache)) = (miss, &self.features().cache) {
            cache.insert(&miss, text.get(), result);
        }
    }
}
