//! Announcements of upstreams. All clients get those of the changes that they subscribed to, but
//! what an upstream adds to the params is only for the session or user on whose connection it arrived:
//! it may be about this one.

use mcp_server::middleware::{Direction, Notification};
use mcp_server::types::json::{self, Map};
use mcp_server::types::meta::SUBSCRIPTION_ID;
use serde_json::value::RawValue;

use crate::upstream::owner::Owner;

pub(crate) const META: &str = "_meta";

/// The member of the params that says for whom they are. Clients do not see it.
const FOR: &str = "mcp-gateway/for";

/// The announcements.
const METHODS: [&str; 4] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
];

pub(crate) type Params = Map<Box<RawValue>>;

/// Returns the params of an announcement with a note for whom they are. `None` if they have nothing
/// but what the protocol defines.
pub(crate) fn addressed(params: &RawValue, owner: &Owner) -> Option<Params> {
    let mut params: Params = json::from_str(params.get()).ok()?;
    let has_more = params.keys().any(|name| name != "uri" && name != META)
        || meta(&params).keys().any(|name| name != SUBSCRIPTION_ID);
    if !has_more {
        return None;
    }
    params.insert(FOR, json::to_raw(&owner.mark()).ok()?);
    Some(params)
}

/// Removes from an announcement what is for another client.
pub(crate) fn readdressed(notification: Notification) -> Option<Notification> {
    let is_announced =
        notification.direction() == Direction::ToClient && METHODS.contains(&notification.method());
    let params = notification.params().map(RawValue::get);
    let Some(params) = params.filter(|params| is_announced && params.contains(FOR)) else {
        return Some(notification);
    };
    let mut params: Params = json::from_str(params).ok()?;
    let Some(mark) = params.remove(FOR) else {
        return Some(notification);
    };
    let mark: Option<String> = json::from_str(mark.get()).ok();
    let cx = notification.context();
    let own = [Owner::of(cx), Owner::user(cx)].map(|owner| Some(owner.mark()));
    if !own.contains(&mark) {
        let subscription = meta(&params).remove(SUBSCRIPTION_ID);
        params.retain(|name, _| name == "uri");
        if let Some(id) = subscription {
            let meta = Params::from([(SUBSCRIPTION_ID, id)]);
            params.insert(META, json::to_raw(&meta).ok()?);
        }
    }
    notification.with_params(&params).ok()
}

fn meta(params: &Params) -> Params {
    let meta = params.get(META);
    let meta = meta.and_then(|meta| json::from_str(meta.get()).ok());
    meta.unwrap_or_default()
}
