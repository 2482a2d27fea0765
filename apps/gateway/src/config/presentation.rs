//! [`Presentation`]: how a gateway presents a server, as its entry says.

use mcp_client::types::json::{Object, Value};
use mcp_server::AccessToken;
use mcp_server::types::peer_text::PeerText;

use super::entry::ServerEntry;
use super::error::{ConfigError, ConfigFault, invalid};

/// In a list of tools, stands for all.
const ALL: &str = "*";

/// How a gateway presents a server: the members `prefix`, `rename`, `tools` and `visibleTo` of its
/// entry, which hosts ignore.
///
/// ```
/// use mcp_gateway::config::ServersConfig;
///
/// let config = ServersConfig::parse(r#"{"mcpServers": {"files": {
///     "command": "files",
///     "prefix": "f",
///     "rename": {"read_file": "read"},
///     "tools": {"allow": ["read_file", "list"], "deny": ["list"]}
/// }}}"#)?;
/// let files = config.get("files").expect("the file has it").presentation()?;
/// assert_eq!(files.prefix.as_deref(), Some("f"));
/// assert!(files.shows("read_file") && !files.shows("list") && !files.shows("write_file"));
/// # Ok::<(), mcp_gateway::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presentation {
    /// The prefix of names and URIs. An empty one means none.
    pub prefix: Option<String>,
    /// Tools and prompts with the names under which they are presented.
    pub rename: Vec<(String, String)>,
    /// The only tools that are presented, by the names that the server uses.
    pub allow: Option<Vec<String>>,
    /// Tools that are not presented.
    pub deny: Vec<String>,
    /// The only groups of users to whom the server is presented, by the claim `groups` of their access
    /// tokens. `None` for everybody.
    pub visible_to: Option<Vec<String>>,
}

impl Presentation {
    /// Returns `true` if a tool is presented, by the name that the server uses.
    #[must_use]
    pub fn shows(&self, tool: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|known| known == tool || known == ALL);
        self.allow.as_deref().is_none_or(is_in) && !is_in(&self.deny)
    }

    /// Returns `true` if the server is presented to the user of an access token. `None` is a client
    /// without one, which is in no group.
    #[must_use]
    pub fn is_visible_to(&self, token: Option<&AccessToken>) -> bool {
        let Some(groups) = &self.visible_to else {
            return true;
        };
        let own = token.and_then(|token| token.claims.get("groups"));
        let mut own = own.and_then(Value::as_array).into_iter().flatten();
        own.any(|own| groups.iter().any(|group| own.as_str() == Some(group)))
    }

    /// Returns the tools that are allowed or denied by their names.
    pub(crate) fn named_tools(&self) -> impl Iterator<Item = String> {
        let named = self.allow.iter().flatten().chain(&self.deny);
        named.filter(|name| *name != ALL).cloned()
    }
}

impl ServerEntry {
    /// Returns how a gateway presents the server: `prefix`, a text; `rename`, an object with new names
    /// by the old ones; `tools`, a list of tools, or an object with the lists `allow` and `deny`, in
    /// which `*` stands for all tools; and `visibleTo`, a list of groups of users.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Invalid`] with the path of the faulty value.
    pub fn presentation(&self) -> Result<Presentation, ConfigError> {
        let at = |name: &str| format!("{}.{name}", self.place());
        let member = |name: &str| self.members().get(name).filter(|value| !value.is_null());
        let mut presentation = Presentation::default();
        if let Some(prefix) = member("prefix") {
            presentation.prefix = Some(text(prefix, &at("prefix"))?);
        }
        if let Some(renamed) = member("rename") {
            for (name, new) in object(renamed, &at("rename"))? {
                let place = at(&format!("rename.{}", PeerText(name)));
                let new = text(new, &place)?;
                if new.is_empty() {
                    return Err(invalid(place, ConfigFault::Empty));
                }
                presentation.rename.push((name.to_owned(), new));
            }
        }
        if let Some(groups) = member("visibleTo") {
            presentation.visible_to = Some(texts(groups, &at("visibleTo"))?);
        }
        match member("tools") {
            None => {}
            Some(Value::Array(_)) => {
                let allow = member("tools").unwrap_or(&Value::Null);
                presentation.allow = Some(texts(allow, &at("tools"))?);
            }
            Some(tools) => {
                let tools = object(tools, &at("tools"))?;
                if let Some(allow) = tools.get("allow") {
                    presentation.allow = Some(texts(allow, &at("tools.allow"))?);
                }
                if let Some(deny) = tools.get("deny") {
                    presentation.deny = texts(deny, &at("tools.deny"))?;
                }
                let is_unknown = |name: &&str| !matches!(*name, "allow" | "deny");
                if let Some(name) = tools.iter().map(|(name, _)| name).find(is_unknown) {
                    let place = at(&format!("tools.{}", PeerText(name)));
                    let fault = ConfigFault::Unsupported("expected `allow` or `deny`");
                    return Err(invalid(place, fault));
                }
            }
        }
        Ok(presentation)
    }
}

fn text(value: &Value, place: &str) -> Result<String, ConfigError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(invalid(place, ConfigFault::expected("text", other))),
    }
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Object, ConfigError> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(invalid(place, ConfigFault::expected("an object", other))),
    }
}

fn texts(value: &Value, place: &str) -> Result<Vec<String>, ConfigError> {
    let Value::Array(list) = value else {
        return Err(invalid(place, ConfigFault::expected("a list", value)));
    };
    let list = list.iter().enumerate();
    list.map(|(at, value)| text(value, &format!("{place}[{at}]")))
        .collect()
}
