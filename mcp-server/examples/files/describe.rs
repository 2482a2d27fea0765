//! Descriptions of files and folders as resources.

use std::time::SystemTime;

use mcp_server::types::json::{Object, Value};
use mcp_server::types::{Annotations, Resource, ResourceType};

use super::facts::Facts;
use super::media;
use super::members;
use super::place::Place;
use super::tree::{Tree, TreeError};

/// Returns the description of a file or folder, without reading it.
pub(crate) fn resource(tree: &Tree, place: &Place, facts: &Facts) -> Result<Resource, TreeError> {
    let name = place
        .name()
        .map_or("/".into(), |name| name.to_string_lossy());
    let mut resource = Resource::new(place.to_uri(facts.is_folder), name);
    let media_type = if facts.is_folder {
        Some(media::FOLDER)
    } else {
        place.name().and_then(media::media_type)
    };
    resource.mime_type = media_type.map(Into::into);
    resource.icons = Some(vec![media::icon(media_type)]);
    if let Some(text) = facts.modified.and_then(rfc3339) {
        resource.annotations = Some(Annotations::new().last_modified(text));
    }
    if facts.is_folder {
        resource.resource_type = Some(ResourceType::Collection);
        resource.kind = Some("directory".into());
        resource.version = Some(members::version(tree, place, facts)?);
    } else {
        resource.resource_type = Some(ResourceType::Document);
        resource.kind = Some("file".into());
        resource.version = Some(facts.version());
        resource.size = i64::try_from(facts.size).ok();
    }
    if let Some(mode) = facts.mode {
        let mode = Value::from(format!("{mode:04o}"));
        resource.metadata = Some(Object::from([("mode", mode)]));
    }
    Ok(resource)
}

/// Formats a time as RFC 3339 in UTC, in whole seconds; `None` before 1970.
fn rfc3339(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last day of a year.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + 400 * era + later;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}
