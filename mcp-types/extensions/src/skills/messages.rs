//! The requests of the extension. They have the same form in all revisions.

use mcp_types::json::{self, Object, Writer};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{CacheScope, Cursor, Outcome, Request, Resource, Revision, Sender};
use serde::{Deserialize, Serialize};

use super::entry::Skill;

/// Requests the skills of a server.
#[derive(Clone, Copy, Debug)]
pub struct ListSkillsRequest;

/// Requests one skill.
#[derive(Clone, Copy, Debug)]
pub struct GetSkillRequest;

/// Requests the names in a directory.
#[derive(Clone, Copy, Debug)]
pub struct ReadDirectoryRequest;

/// The params of [`ListSkillsRequest`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListSkillsParams {
    /// Where to continue: [`ListSkillsResult::next_cursor`] of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Object::is_empty")]
    meta: Object,
}

/// The params of [`GetSkillRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetSkillParams {
    /// The URI of the skill's `SKILL.md`.
    pub uri: String,
    #[serde(rename = "_meta", default, skip_serializing_if = "Object::is_empty")]
    meta: Object,
}

/// The params of [`ReadDirectoryRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadDirectoryParams {
    /// The URI of the directory.
    pub uri: String,
    /// Where to continue: [`ReadDirectoryResult::next_cursor`] of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Object::is_empty")]
    meta: Object,
}

/// The only type of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResultType {
    #[default]
    Complete,
}

/// A page of the skills of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListSkillsResult {
    /// The skills.
    pub skills: Vec<Skill>,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// For how long the result may be cached, in milliseconds.
    #[serde(default)]
    pub ttl_ms: i64,
    /// For whom the result may be cached.
    #[serde(default = "private")]
    pub cache_scope: CacheScope,
    #[serde(default)]
    result_type: ResultType,
}

/// One skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetSkillResult {
    /// The skill.
    pub skill: Skill,
    /// For how long the result may be cached, in milliseconds.
    #[serde(default)]
    pub ttl_ms: i64,
    /// For whom the result may be cached.
    #[serde(default = "private")]
    pub cache_scope: CacheScope,
    #[serde(default)]
    result_type: ResultType,
}

/// A page of the names in a directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadDirectoryResult {
    /// The files and directories in it. Directories have the media type `inode/directory`.
    pub resources: Vec<Resource>,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    #[serde(default)]
    result_type: ResultType,
}

fn private() -> CacheScope {
    CacheScope::Private
}

impl ListSkillsParams {
    /// Requests the page at a cursor.
    #[must_use]
    pub fn at(cursor: Cursor) -> Self {
        Self {
            cursor: Some(cursor),
            meta: Object::new(),
        }
    }
}

impl GetSkillParams {
    /// Requests the skill with this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: Object::new(),
        }
    }
}

impl ReadDirectoryParams {
    /// Requests the directory with this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            cursor: None,
            meta: Object::new(),
        }
    }
}

impl ListSkillsResult {
    /// Creates a page.
    #[must_use]
    pub fn new(
        skills: Vec<Skill>,
        next_cursor: Option<Cursor>,
        ttl_ms: i64,
        cache_scope: CacheScope,
    ) -> Self {
        Self {
            skills,
            next_cursor,
            ttl_ms,
            cache_scope,
            result_type: ResultType::Complete,
        }
    }
}

impl GetSkillResult {
    /// Creates a result.
    #[must_use]
    pub fn new(skill: Skill, ttl_ms: i64, cache_scope: CacheScope) -> Self {
        Self {
            skill,
            ttl_ms,
            cache_scope,
            result_type: ResultType::Complete,
        }
    }
}

impl ReadDirectoryResult {
    /// Creates a page.
    #[must_use]
    pub fn new(resources: Vec<Resource>, next_cursor: Option<Cursor>) -> Self {
        Self {
            resources,
            next_cursor,
            result_type: ResultType::Complete,
        }
    }
}

/// Defines a request whose params and result are the same in all revisions.
macro_rules! request {
    ($request:ident, $method:literal, $params:ident, $result:ident) => {
        impl Request for $request {
            const METHOD: &'static str = $method;
            const SENDER: Sender = Sender::Client;
            type Params = $params;
            type Result = $result;
        }

        impl Outcome for $result {
            type Complete = Self;

            fn complete(self) -> Result<Self, Box<Self>> {
                Ok(self)
            }
        }

        request!(@versioned $params);
        request!(@versioned $result);
    };
    (@versioned $type:ident) => {
        impl Versioned for $type {
            fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
                Ok(json::from_str(text)?)
            }

            fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
                Ok(out.write(&self)?)
            }
        }
    };
}

request!(
    ListSkillsRequest,
    "skills/list",
    ListSkillsParams,
    ListSkillsResult
);
request!(
    GetSkillRequest,
    "skills/get",
    GetSkillParams,
    GetSkillResult
);
request!(
    ReadDirectoryRequest,
    "resources/directory/read",
    ReadDirectoryParams,
    ReadDirectoryResult
);
