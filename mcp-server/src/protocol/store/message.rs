//! [`BusMessage`]: what the processes of one endpoint tell each other, and its form as bytes.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::FormatVersion;
use crate::protocol::changes::{Change, ChangeParams};
use crate::util::utf8_bytes;

/// The version of the format. A new member, or a new kind of message, that older releases may
/// ignore keeps the version.
const VERSION: u32 = 1;

/// A message that processes send each other.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum BusMessage {
    /// Lists or resources changed.
    Changes(Vec<AnyChange>),
    /// So much changed that it was not worth listing, or messages were lost: anything may have
    /// changed.
    Everything,
    /// A legacy client responded to a request that another process may have sent.
    Answer {
        /// The id of the session.
        session: String,
        /// The whole message, unchanged.
        #[serde(with = "utf8_bytes")]
        message: Vec<u8>,
    },
    /// A legacy client cancelled a request that another process may be serving.
    Cancel {
        /// The id of the session.
        session: String,
        /// The id of the request.
        request: mcp_types::RequestId,
        /// The reason that the client gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A session ended.
    SessionEnded {
        /// The id of the session.
        session: String,
    },
    /// The state of a session changed. Other processes update their copies.
    SessionChanged {
        /// The id of the session.
        session: String,
        /// The change, as JSON text.
        #[serde(with = "utf8_bytes")]
        value: Vec<u8>,
    },
    /// A client opened the stream for notifications of a session (by GET). Other processes end
    /// theirs, so that no notification is sent twice.
    Listening {
        /// The id of the session.
        session: String,
        /// The id of the stream.
        stream: String,
    },
    /// Something of an extension changed.
    Extension {
        /// The identifier of the extension.
        identifier: String,
        /// What changed, in the form of the extension.
        value: String,
    },
    /// The URLs of a resource were revoked.
    #[cfg(feature = "proposals")]
    UrlsRevoked {
        /// The URI of the resource.
        uri: String,
        /// URLs issued up to this time are revoked, in milliseconds since 1970. It may be in the
        /// future, because clocks differ.
        until: u64,
    },
}

/// A change in a message.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum AnyChange {
    Known(Change),
    /// With the members that the params of the notification have beside the change.
    Detailed {
        change: Change,
        /// The text of an object.
        params: String,
    },
    /// A change of a kind that only newer releases know: anything may have changed.
    #[serde(skip_serializing)]
    Unknown(IgnoredAny),
}

impl From<(Change, ChangeParams)> for AnyChange {
    fn from((change, params): (Change, ChangeParams)) -> Self {
        match params {
            Some(params) => Self::Detailed {
                change,
                params: params.get().to_owned(),
            },
            None => Self::Known(change),
        }
    }
}

/// The format: JSON text.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    version: u32,
    /// The id of the process that sent the message.
    from: String,
    message: T,
}

/// Why bytes are no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BusMessageError {
    /// Another release of this crate wrote the message in a version that this one does not know.
    #[error("version {0} of the format of bus messages is not supported, only version {VERSION}")]
    Version(u32),
    /// The text is not valid, or is not a message that this release knows.
    #[error("not a message of a bus")]
    Text(#[from] serde_json::Error),
}

impl BusMessage {
    /// Encodes the message of the process with this id. Fails if the message of a client is not
    /// UTF-8, which is checked before.
    pub(crate) fn to_bytes(&self, from: &str) -> Result<Vec<u8>, BusMessageError> {
        let message = Envelope {
            version: VERSION,
            from: from.to_owned(),
            message: self,
        };
        Ok(serde_json::to_vec(&message)?)
    }

    /// Decodes a message. Returns it with the id of the process that sent it.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<(Self, String), BusMessageError> {
        let FormatVersion { version } = serde_json::from_slice(bytes)?;
        if version != VERSION {
            return Err(BusMessageError::Version(version));
        }
        let envelope: Envelope<Self> = serde_json::from_slice(bytes)?;
        Ok((envelope.message, envelope.from))
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::RequestId;

    use super::*;

    #[test]
    fn every_message_survives_the_bytes() {
        let session = "id \"\u{e9}\"".to_owned();
        let cancel = |request| BusMessage::Cancel {
            session: session.clone(),
            request,
            reason: Some("\u{e9}".to_owned()),
        };
        let changes = [Change::Tools, Change::Prompts, Change::Resources];
        let mut changes = changes.to_vec();
        changes.push(Change::Resource("a:b".to_owned()));
        let messages = [
            BusMessage::Changes(changes.into_iter().map(AnyChange::Known).collect()),
            BusMessage::Changes(vec![AnyChange::Detailed {
                change: Change::Resource("a:b".to_owned()),
                params: r#"{"a":1}"#.to_owned(),
            }]),
            BusMessage::Everything,
            BusMessage::Answer {
                session: session.clone(),
                message: br#"{"id":1}"#.to_vec(),
            },
            cancel(RequestId::from("a")),
            cancel(RequestId::from(-7)),
            BusMessage::SessionEnded {
                session: session.clone(),
            },
            BusMessage::SessionChanged {
                session: session.clone(),
                value: b"{}".to_vec(),
            },
            BusMessage::Listening {
                session: session.clone(),
                stream: "s".to_owned(),
            },
            BusMessage::Extension {
                identifier: "com.example/a".to_owned(),
                value: "b".to_owned(),
            },
            #[cfg(feature = "proposals")]
            BusMessage::UrlsRevoked {
                uri: "a:b".to_owned(),
                until: u64::MAX,
            },
        ];
        for message in messages {
            let bytes = message.to_bytes("me").expect("encoded");
            let (decoded, from) = BusMessage::from_bytes(&bytes).expect("decoded");
            assert_eq!(from, "me");
            assert_eq!(decoded.to_bytes("me").expect("encoded"), bytes);
        }
    }

    #[test]
    fn members_of_newer_releases_are_ignored_and_other_versions_refused() {
        let newer = br#"{"version":1,"from":"a","added":1,"message":{"SessionEnded":{"session":"s","why":"x"}}}"#;
        assert!(BusMessage::from_bytes(newer).is_ok());
        let change = br#"{"version":1,"from":"a","message":{"Changes":["Tools",{"Later":1}]}}"#;
        let decoded = BusMessage::from_bytes(change).expect("decoded").0;
        assert!(matches!(
            decoded,
            BusMessage::Changes(changes)
                if matches!(changes[..], [AnyChange::Known(Change::Tools), AnyChange::Unknown(_)])
        ));
        let other = br#"{"version":2,"message":{"anything":1}}"#;
        let error = BusMessage::from_bytes(other).err();
        assert!(matches!(error, Some(BusMessageError::Version(2))));
        let unknown = r#"{"version":1,"from":"a","message":{"unknown":1}}"#;
        for text in ["", "1", "{}", unknown] {
            let error = BusMessage::from_bytes(text.as_bytes()).err();
            assert!(matches!(error, Some(BusMessageError::Text(_))), "{text}");
        }
    }
}
