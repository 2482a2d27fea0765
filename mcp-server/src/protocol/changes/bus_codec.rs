//! [`BusMessage`] as bytes, for a bus that sends messages to other machines.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::protocol::changes::BusMessage;

/// The version of the format. A new member that older releases may ignore keeps the version.
const VERSION: u32 = 1;

/// The format: JSON text.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    version: u32,
    message: T,
}

/// The version alone, which is read first.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

/// The bytes are no message of a [`Bus`](crate::Bus).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BusMessageError {
    /// Another release of this crate wrote the message in a version that this one does not know.
    #[error("version {0} of the format of bus messages is not supported, only version {VERSION}")]
    Version(u32),
    /// The text is not valid, or is not a message.
    #[error("not a message of a bus: {0}")]
    Text(#[from] serde_json::Error),
}

impl BusMessage {
    /// Encodes the message, so that a bus can send it to other machines. The format is private to
    /// this crate and has a version: see [`from_bytes`](Self::from_bytes).
    ///
    /// # Errors
    ///
    /// [`BusMessageError::Text`] if the bytes of a message are not UTF-8. Messages that this crate
    /// publishes are.
    ///
    /// ```
    /// use mcp_server::{BusMessage, Change};
    ///
    /// let bytes = BusMessage::Change(Change::Tools).to_bytes()?;
    /// let message = BusMessage::from_bytes(&bytes)?;
    /// assert!(matches!(message, BusMessage::Change(Change::Tools)));
    /// # Ok::<(), mcp_server::BusMessageError>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, BusMessageError> {
        let message = Envelope {
            version: VERSION,
            message: self,
        };
        Ok(serde_json::to_vec(&message)?)
    }

    /// Decodes a message that [`to_bytes`](Self::to_bytes) encoded, in this release or another one
    /// with the same version of the format.
    ///
    /// # Errors
    ///
    /// [`BusMessageError::Version`] for the format of another release, which the receiver should
    /// log and skip: during a deployment two releases run side by side. [`BusMessageError::Text`]
    /// if the bytes are not a message.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BusMessageError> {
        let VersionOnly { version } = serde_json::from_slice(bytes)?;
        if version != VERSION {
            return Err(BusMessageError::Version(version));
        }
        let message: Envelope<Self> = serde_json::from_slice(bytes)?;
        Ok(message.message)
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::RequestId;

    use super::*;
    use crate::protocol::changes::Change;

    #[test]
    fn every_message_survives_the_bytes() {
        let session = "id \"\u{e9}\"".to_owned();
        let mut messages = vec![
            BusMessage::Answer {
                session: session.clone(),
                message: br#"{"id":1}"#.to_vec(),
            },
            BusMessage::Cancel {
                session: session.clone(),
                request: RequestId::from("a"),
            },
            BusMessage::Cancel {
                session: session.clone(),
                request: RequestId::from(-7),
            },
            BusMessage::SessionEnded {
                session: session.clone(),
            },
            BusMessage::SessionChanged {
                session: session.clone(),
                value: b"{}".to_vec(),
            },
            BusMessage::Listening {
                session,
                stream: "s".to_owned(),
            },
        ];
        let changes = [Change::Tools, Change::Prompts, Change::Resources];
        messages.extend(changes.map(BusMessage::Change));
        messages.push(BusMessage::Change(Change::Resource("a:b".to_owned())));
        #[cfg(feature = "https-url")]
        messages.push(BusMessage::UrlsRevoked {
            uri: "a:b".to_owned(),
            until: u64::MAX,
        });
        for message in messages {
            let bytes = message.to_bytes().expect("encoded");
            let decoded = BusMessage::from_bytes(&bytes).expect("decoded");
            assert_eq!(decoded.to_bytes().expect("encoded"), bytes);
            assert_eq!(
                std::mem::discriminant(&decoded),
                std::mem::discriminant(&message)
            );
        }
    }

    #[test]
    fn other_versions_and_other_text_are_refused() {
        let newer = br#"{"version":2,"message":{"anything":1}}"#;
        let error = BusMessage::from_bytes(newer).expect_err("a newer version");
        assert!(matches!(error, BusMessageError::Version(2)), "{error}");
        for text in ["", "1", "{}", r#"{"version":1,"message":{"unknown":1}}"#] {
            let error = BusMessage::from_bytes(text.as_bytes()).expect_err(text);
            assert!(matches!(error, BusMessageError::Text(_)), "{error}");
        }
    }
}
