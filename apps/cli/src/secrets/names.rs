//! [`is_secret_name`]: names that say that their value is a secret.

use mcp_gateway::config;

/// Further endings of names, in lower case and without separators.
pub(super) const FURTHER: [&str; 5] =
    ["encryptionkey", "masterkey", "passcode", "pwd", "sharedkey"];

/// Further names of secrets in the query of a URL.
pub(super) const IN_QUERIES: [&str; 8] = [
    "auth",
    "code",
    "key",
    "pass",
    "sessionid",
    "sig",
    "state",
    "subscriptionkey",
];

/// What may follow the name of a secret that is still one, as in `secretKey` and `passwordHash`.
pub(super) const FORMS: [&str; 9] = [
    "base", "base64", "digest", "hash", "hex", "key", "pem", "salt", "value",
];

/// Endings of names that are not secret, although they end as such ones.
const EXCEPT: [&str; 4] = [
    "continuationtoken",
    "cursortoken",
    "designtoken",
    "stoptoken",
];

/// The variables of shells with the current and the last folder.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// Where a name stands. Data has many names such as `key`, which are no secrets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A member of a message.
    Member,
    /// A header, an option or a variable of the environment.
    Setting,
    /// A parameter in the query of a URL.
    Query,
}

/// Returns `true` if the name says that its value is a secret.
pub(crate) fn is_secret_name(name: &str, place: Place) -> bool {
    if FOLDERS.contains(&name) {
        return false;
    }
    is_member(name)
        || (is_variable(name) && config::is_secret_name(name))
        || match place {
            Place::Member => false,
            Place::Setting => config::is_secret_name(name),
            Place::Query => {
                let plain = plain(name);
                IN_QUERIES.contains(&&*plain) || plain.ends_with("signature")
            }
        }
}

/// Returns `true` for the name of a variable of the environment, such as `OPENAI_KEY`.
fn is_variable(name: &str) -> bool {
    name.contains('_') && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns `true` for names such as `maxTokens`, whose numbers are not secret.
pub(super) fn counts(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("tokens")
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn is_member(name: &str) -> bool {
    // Most names are short, and most long ones are texts in which no name is searched.
    let plain = plain(name);
    let mut rest = plain.as_str();
    // As in `secret_key_base`.
    for _ in 0..3 {
        if ends_as_secret(rest) {
            return true;
        }
        let shorter = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        let shorter = if shorter == rest {
            FORMS.iter().find_map(|form| rest.strip_suffix(form))
        } else {
            Some(shorter)
        };
        match shorter {
            Some(shorter) => rest = shorter,
            None => return false,
        }
    }
    false
}

fn ends_as_secret(plain: &str) -> bool {
    let singular = plain.strip_suffix('s').unwrap_or(plain);
    if EXCEPT.iter().any(|ending| singular.ends_with(ending)) {
        return false;
    }
    config::is_secret_member(plain) || FURTHER.iter().any(|ending| singular.ends_with(ending))
}
