//! How a gateway describes itself: what its upstreams can do together, and what they say.

use std::sync::Arc;

use mcp_server::types::json::{self, Map, Object};
use mcp_server::types::peer_text::PeerText;
use mcp_server::types::{
    Implementation, PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability,
};
use mcp_wire::capability::{LOGGING, with_member};

use crate::routing::tasks::TASKS;
use crate::shared::Behind;
use crate::upstream::lists::SKILLS;

/// The extension for apps.
const APPS: &str = "io.modelcontextprotocol/ui";

/// The extensions that pass a gateway of several upstreams.
const EXTENSIONS: [&str; 3] = [TASKS, SKILLS, APPS];

/// The maximum number of characters of the instructions of an upstream, beside others. Nothing that one
/// upstream says of itself may make the description too large for the clients of the others.
const INSTRUCTIONS: usize = 16 << 10;

/// The maximum size of the names and settings of the extensions of an upstream, beside others.
const SETTINGS: usize = 16 << 10;

/// Returns what the upstreams can do together. What is not known yet may be everything.
pub(crate) fn capabilities(upstreams: &[Arc<Behind>], is_changing: bool) -> ServerCapabilities {
    let mut all: ServerCapabilities = with_member(LOGGING, &Object::new());
    let (mut extensions, mut experimental) = (Map::new(), Map::new());
    let is_single = upstreams.len() == 1 && !is_changing;
    let known = upstreams.iter().map(|behind| {
        let mut known = behind.pool.capabilities();
        if let Some(known) = &mut known
            && !behind.pool.upstream.is_presented_to_all()
        {
            // Their names and settings may say what the upstream is for.
            (known.extensions, known.experimental) = (None, None);
        }
        known
    });
    for known in known.chain(is_changing.then_some(None)) {
        let has = |has: fn(&ServerCapabilities) -> bool| known.as_ref().is_none_or(has);
        if has(|known| known.tools.is_some()) {
            all.tools = Some(ToolsCapability::new().list_changed(true));
        }
        if has(|known| known.prompts.is_some()) {
            all.prompts = Some(PromptsCapability::new().list_changed(true));
        }
        if has(|known| known.resources.is_some()) {
            let resources = ResourcesCapability::new().list_changed(true);
            all.resources = Some(resources.subscribe(true));
        }
        if has(|known| known.completions.is_some()) {
            all.completions = Some(Object::new());
        }
        let Some(known) = known else {
            for name in EXTENSIONS {
                add(&mut extensions, name, &Object::new());
            }
            continue;
        };
        let mut room = if is_single { usize::MAX } else { SETTINGS };
        let mut has_room = |name: &str, settings: &Object| {
            let bytes = name.len() + json::to_string(settings).map_or(0, |text| text.len());
            let left = room.checked_sub(bytes);
            room = left.unwrap_or(room);
            left.is_some()
        };
        for (name, settings) in known.extensions.iter().flat_map(Map::iter) {
            // Nothing says which upstream a method of another one is for.
            if (is_single || EXTENSIONS.contains(&name)) && has_room(name, settings) {
                add(&mut extensions, name, settings);
            }
        }
        for (name, settings) in known.experimental.iter().flat_map(Map::iter) {
            if has_room(name, settings) {
                add(&mut experimental, name, settings);
            }
        }
    }
    all.extensions = Some(extensions).filter(|all| !all.is_empty());
    all.experimental = Some(experimental).filter(|all| !all.is_empty());
    all
}

/// Adds the settings of a server to those of others.
fn add(all: &mut Map<Object>, name: &str, settings: &Object) {
    let mut merged = all.get(name).cloned().unwrap_or_default();
    for (name, value) in settings {
        if !merged.contains_key(name) {
            merged.insert(name, value.clone());
        }
    }
    all.insert(name, merged);
}

/// Returns the description of a server that is the only one, with what the program has set for the
/// gateway.
pub(crate) fn info(upstreams: &[Arc<Behind>], own: Implementation) -> Implementation {
    let only = match upstreams {
        [only] if only.pool.upstream.is_presented_to_all() => only,
        _ => return own,
    };
    let Some(mut info) = only.pool.info() else {
        return own;
    };
    info.title = own.title.or(info.title);
    info.description = own.description.or(info.description);
    info.website_url = own.website_url.or(info.website_url);
    info.icons = own.icons.or(info.icons);
    info
}

/// Returns the instructions of all upstreams: of several, each below its name, with its title and
/// website. All clients get them, so those of an upstream that only some may know of are left out.
pub(crate) fn instructions(upstreams: &[Arc<Behind>]) -> String {
    let open = upstreams.iter();
    let mut open = open.filter(|behind| behind.pool.upstream.is_presented_to_all());
    if upstreams.len() == 1 {
        let only = open.next().and_then(|only| only.pool.instructions());
        return only.unwrap_or_default();
    }
    let parts = open.filter_map(|behind| {
        let text = behind.pool.instructions();
        let info = behind.pool.info();
        let title = info.as_ref().and_then(|info| info.title.clone());
        let website = info.and_then(|info| info.website_url);
        let about = [title, website].into_iter().flatten();
        let about = about.map(|text| PeerText(&text).to_string());
        let about = about.collect::<Vec<_>>().join(", ");
        let text =
            text.map(|text| below_heading(&text.chars().take(INSTRUCTIONS).collect::<String>()));
        let parts = [Some(about).filter(|about| !about.is_empty()), text];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return None;
        }
        let name = &*behind.pool.upstream.name;
        let heading = match behind.names.prefix() {
            Some(prefix) if prefix != name => format!("# {name} (`{prefix}_`)"),
            _ => format!("# {name}"),
        };
        Some(format!("{heading}\n\n{}", parts.join("\n\n")))
    });
    parts.collect::<Vec<String>>().join("\n\n")
}

/// Adds a level to the headings of a text in Markdown. Those of the first level are the names of servers,
/// whose instructions a text of another server must not imitate.
fn below_heading(text: &str) -> String {
    let mut below = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive(['\n', '\r']) {
        let content = line.trim_start_matches(' ');
        let underline = content.trim_end();
        if content.starts_with('#') {
            below.push_str(line.strip_suffix(content).unwrap_or_default());
            below.push('#');
            below.push_str(content);
        } else if !underline.is_empty() && underline.bytes().all(|byte| byte == b'=') {
            // It makes a heading of the line above.
            below.push_str(&line.replace('=', "-"));
        } else {
            below.push_str(line);
        }
    }
    below
}
