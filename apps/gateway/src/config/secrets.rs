//! What looks like a secret, and texts without it.

/// What names of secrets contain, in lower case and without separators.
///
/// [`is_secret_name`] searches them anywhere in a name, [`is_secret_member`] only at its end.
pub const SECRET_NAMES: [&str; 17] = [
    "accesskey",
    "apikey",
    "authkey",
    "authorization",
    "bearer",
    "clientassertion",
    "codeverifier",
    "cookie",
    "credential",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "signingkey",
    "token",
];

/// Endings of names that are not secret, although they end as such ones.
const EXCEPT: [&str; 3] = ["progresstoken", "pagetoken", "nexttoken"];

/// Words in names of secrets.
const WORDS: [&str; 7] = ["auth", "dsn", "key", "keys", "pass", "pat", "pwd"];

/// The beginnings of keys and tokens of well-known services.
const BEGINNINGS: [&str; 12] = [
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "AIza",
    "eyJ",
];

/// Last words of names that say where a secret is, and contain none.
const PLACES: [&str; 6] = ["dir", "env", "file", "folder", "name", "path"];

/// What is shown instead of a secret.
const HIDDEN: &str = "…";

/// Returns `true` if the name of a header, an option or a variable says that its value is a secret,
/// such as `GITHUB_TOKEN`, `x-api-key` or `--password`.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = || {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.map(str::to_ascii_lowercase)
    };
    let last = words().next_back();
    if last.is_some_and(|last| PLACES.contains(&last.as_str())) {
        return false;
    }
    let joined: String = words().collect();
    SECRET_NAMES.iter().any(|part| joined.contains(part))
        || words().any(|word| WORDS.contains(&word.as_str()))
        || name.ends_with("Key")
}

/// Returns `true` if the name of a member in the data of programs says that its value is a secret.
/// This is narrower than [`is_secret_name`]: data has many names such as `key` and `tokenizer`.
///
/// ```
/// use mcp_gateway::config::is_secret_member;
///
/// assert!(is_secret_member("accessToken") && is_secret_member("API keys"));
/// assert!(!is_secret_member("key") && !is_secret_member("progressToken"));
/// ```
#[must_use]
pub fn is_secret_member(name: &str) -> bool {
    let letters = || {
        let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase())
    };
    let is_plural = letters().next() == Some(b's');
    let ends = |ending: &&str| {
        let mut letters = letters().skip(usize::from(is_plural));
        ending
            .bytes()
            .rev()
            .all(|byte| letters.next() == Some(byte))
    };
    SECRET_NAMES.iter().any(ends) && !EXCEPT.iter().any(ends)
}

/// Returns `true` if a value looks like a secret: a token of a well-known service, or a URL with a
/// password. Most secrets do not look like one.
///
/// ```
/// use mcp_gateway::config::is_secret_value;
///
/// assert!(is_secret_value("postgres://ada:lovelace@localhost/db"));
/// assert!(is_secret_value("Bearer sk-0123456789abcdef"));
/// assert!(!is_secret_value("https://example.com/a@b"));
/// ```
#[must_use]
pub fn is_secret_value(value: &str) -> bool {
    let mut words = value.split_ascii_whitespace();
    let is_token = |word: &str| {
        word.len() >= 16
            && BEGINNINGS
                .iter()
                .any(|beginning| word.starts_with(beginning))
    };
    words.any(is_token) || has_password(value)
}

/// Returns the name and the value in an argument, such as `--token=abc`, `TOKEN=abc`,
/// `Authorization: abc` or `--header=Authorization: abc`.
///
/// ```
/// use mcp_gateway::config::named_value;
///
/// assert_eq!(named_value("--token=abc"), Some(("--token", "abc")));
/// assert_eq!(named_value("Authorization: Bearer abc"), Some(("Authorization", "Bearer abc")));
/// assert_eq!(named_value("localhost:8080"), None);
/// ```
#[must_use]
pub fn named_value(argument: &str) -> Option<(&str, &str)> {
    let argument = argument.strip_prefix("--header=").unwrap_or(argument);
    let is_header = |(name, value): &(&str, &str)| {
        let is_marked = value.starts_with(' ') || name.eq_ignore_ascii_case("authorization");
        is_marked && !name.contains('=')
    };
    let header = argument.split_once(':').filter(is_header);
    let header = header.map(|(name, value)| (name, value.trim_start()));
    header.or_else(|| argument.split_once('='))
}

fn has_password(url: &str) -> bool {
    let authority = url.split_once("://").map(|(_, rest)| rest);
    let authority = authority.and_then(|rest| rest.split(['/', '?', '#']).next());
    let user = authority.and_then(|authority| authority.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':') && !user.contains("${"))
}

/// Returns a URL without its query, its fragment and its user.
pub(super) fn shown_url(url: &str) -> String {
    let end = url.find(['?', '#']);
    let (url, rest) = url.split_at(end.unwrap_or(url.len()));
    let rest = if rest.is_empty() { "" } else { "?…" };
    match url.split_once("://") {
        Some((scheme, after)) => {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            let host = authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}{rest}")
        }
        None => format!("{url}{rest}"),
    }
}

/// Returns the arguments of a program without values that look like secrets.
pub(super) fn shown_arguments<'a>(arguments: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut hide_next = false;
    let mut shown = Vec::new();
    for argument in arguments {
        let is_option = argument.starts_with('-');
        // A token can begin with a hyphen.
        let hidden = hide_next && !argument.starts_with("--");
        hide_next = !hidden && is_option && !argument.contains('=') && is_secret_name(argument);
        shown.push(match named_value(argument) {
            _ if hidden => HIDDEN.to_owned(),
            Some((name, value)) if is_secret_name(name) => {
                let before = argument.strip_suffix(value).unwrap_or_default();
                format!("{before}{HIDDEN}")
            }
            _ if is_secret_value(argument) => HIDDEN.to_owned(),
            _ if argument.contains("://") => shown_url(argument),
            _ => argument.to_owned(),
        });
    }
    shown
}
