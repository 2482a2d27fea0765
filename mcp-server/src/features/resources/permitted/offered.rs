//! [`readable`]: which values a completion offers for a variable of a resource template.

use std::sync::Arc;

use mcp_types::Completion;
use mcp_types::json::Map;
use mcp_types::uri::canonical;

use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::resources::defined::Defined;
use crate::features::resources::permitted::are_listed;
use crate::features::resources::resolved::{CONCURRENT, ResolvedResource};
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::resources::templates::expand::expand;
use crate::protocol::core::Context;

/// The maximum number of values that are checked for one completion.
const CHECKED: usize = 1_000;

/// The maximum size of the variables that are checked for one completion, in bytes. A client chooses
/// the values of the other variables, and each checked value costs their length.
const CHECKED_BYTES: usize = 512 << 10;

/// Returns a completion without the values with which the URI names a resource that the caller may
/// not read, as soon as `most` are left. `settled` are the values of other variables; guards that
/// need one that is missing refuse the value.
pub(crate) async fn readable(
    mut completion: Completion,
    most: usize,
    template: &Arc<TemplateDef>,
    variable: &str,
    mut settled: Map<String>,
    cx: &Context,
    definitions: &ResourceDefinitions,
) -> Completion {
    settled.retain(|name, _| template.has_variable(name));
    let settled_bytes = settled.values().map(String::len).sum::<usize>();
    if settled_bytes > cx.core().limits().uri_bytes {
        // No request may have such a URI, and each value would cost its length.
        return Completion::new([]).total(0).has_more(false);
    }
    let resolve = |value: &String| {
        let mut variables = settled.clone();
        variables.insert(variable, value.clone());
        let uri = canonical(&expand(&template.template.uri_template, &variables)).into_owned();
        let found = definitions.locate(&uri);
        let is_complete = template.has_all(&variables);
        let own = ResolvedResource {
            uri,
            definition: Defined::Template(Arc::clone(template)),
            variables,
        };
        // Without all variables, the URI may be one of another definition only by chance.
        let both = match found {
            Some(found) if is_complete => [Some(found), None],
            found => [found, Some(own)],
        };
        both.map(|found| found.filter(|found| !found.definition.access_rules().is_open()))
    };
    let all = std::mem::take(&mut completion.values);
    let mut restricted = !template.access.is_open();
    let (mut checked, mut bytes) = (0, 0);
    // One more than may be sent: whether more follow must not depend on what the caller may not read.
    for chunk in all.chunks(CONCURRENT) {
        if completion.values.len() > most || checked >= CHECKED || bytes >= CHECKED_BYTES {
            break;
        }
        checked += chunk.len();
        bytes += chunk
            .iter()
            .map(|value| settled_bytes + value.len())
            .sum::<usize>();
        let found: Vec<_> = chunk.iter().flat_map(resolve).collect();
        restricted |= found.iter().any(Option::is_some);
        let listed = are_listed(&found, cx).await;
        let known = chunk.iter().zip(listed.chunks(2));
        let known = known.filter(|(_, listed)| listed.iter().all(|listed| *listed));
        completion
            .values
            .extend(known.map(|(value, _)| value.clone()));
    }
    if restricted {
        // The number of all values would tell how many the caller may not read.
        let unknown = checked < all.len() && completion.values.len() <= most;
        let more = completion.values.len() > most || unknown || completion.has_more == Some(true);
        completion.values.truncate(most);
        completion.total = i64::try_from(completion.values.len())
            .ok()
            .filter(|_| !more);
        completion.has_more = Some(more);
    } else {
        completion.values = all;
    }
    completion
}
