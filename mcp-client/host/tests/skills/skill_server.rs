//! [`SkillServer`]: a server with one skill, and can make false claims about it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mcp_client::types::json::{self, Object};
use mcp_host::skills::IDENTIFIER;
use mcp_server::types::{Request, Sender};
use mcp_server::{HandlerError, Params, ResourceUri, Server, ServerExtension, TemplateDef};
use serde_json::{Value, json};

/// The text of a `SKILL.md`.
pub(crate) const TEXT: &str =
    "---\nname: forms\ndescription: Fills in forms\n---\nSee fields.md.\n";
pub(crate) const URI: &str = "skill://forms/SKILL.md";

struct ListSkills;

impl Request for ListSkills {
    const METHOD: &'static str = "skills/list";
    const SENDER: Sender = Sender::Client;
    type Params = Object;
    type Result = Object;
}

pub(crate) struct GetSkill;

impl Request for GetSkill {
    const METHOD: &'static str = "skills/get";
    const SENDER: Sender = Sender::Client;
    type Params = Object;
    type Result = Object;
}

/// What a server lists and serves, whether it is true or not.
#[derive(Clone, Default)]
pub(crate) struct SkillServer(pub(crate) Arc<Mutex<Claims>>);

#[derive(Default)]
pub(crate) struct Claims {
    pub(crate) entry: Value,
    pub(crate) files: BTreeMap<String, String>,
    /// The URIs that were read.
    reads: Vec<String>,
}

impl SkillServer {
    /// Lists one skill truthfully, with these other files.
    pub(crate) fn honest(text: &str, files: &[(&str, &str)]) -> Self {
        let server = Self::default();
        let mut all = vec![(URI.to_owned(), text.to_owned())];
        all.extend(
            files
                .iter()
                .map(|(path, text)| (format!("skill://forms/{path}"), (*text).to_owned())),
        );
        server.list(&all);
        server.0.lock().unwrap().files = all.into_iter().collect();
        server
    }

    fn list(&self, files: &[(String, String)]) {
        let files: Vec<Value> = files
            .iter()
            .map(|(uri, text)| entry_of(uri, text))
            .collect();
        self.0.lock().unwrap().entry = json!({
            "uri": URI,
            "frontmatter": { "name": "forms", "description": "Fills in forms" },
            "resources": files,
        });
    }

    /// Changes the entry.
    pub(crate) fn claiming(self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.0.lock().unwrap().entry);
        self
    }

    /// Changes the content of a file.
    pub(crate) fn serving(self, uri: &str, text: &str) -> Self {
        self.0
            .lock()
            .unwrap()
            .files
            .insert(uri.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn reads(&self) -> Vec<String> {
        self.0.lock().unwrap().reads.clone()
    }

    pub(crate) fn server(&self) -> Server {
        let (list, get, read) = (self.clone(), self.clone(), self.clone());
        let extension = ServerExtension::new(IDENTIFIER)
            .on(move |_: Params<ListSkills>| {
                let entry = list.0.lock().unwrap().entry.clone();
                async move { object(&json!({ "skills": [entry], "resultType": "complete" })) }
            })
            .on(move |_: Params<GetSkill>| {
                let entry = get.0.lock().unwrap().entry.clone();
                async move { object(&json!({ "skill": entry, "resultType": "complete" })) }
            });
        let files = TemplateDef::new("skill://{+path}", "files").handler(
            move |ResourceUri(uri): ResourceUri| {
                let mut claims = read.0.lock().unwrap();
                claims.reads.push(uri.clone());
                let found = claims.files.get(&uri).cloned();
                async move { found.ok_or_else(|| HandlerError::resource_not_found(uri)) }
            },
        );
        let builder = Server::builder("docs", "1").extension(extension);
        builder.add_resource_template(files).build().expect("built")
    }
}

pub(crate) fn object(value: &Value) -> Object {
    json::from_str(&value.to_string()).expect("an object")
}

/// Returns the truth about a file.
pub(crate) fn entry_of(uri: &str, text: &str) -> Value {
    json!({ "uri": uri, "size": text.len(), "digest": digest(text) })
}

pub(crate) fn digest(text: &str) -> String {
    use std::fmt::Write as _;

    use sha2::{Digest as _, Sha256};

    let mut digest = "sha256:".to_owned();
    for byte in Sha256::digest(text) {
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}
