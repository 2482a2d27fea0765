//! [`Names`]: the names of a store's tables, functions, channels and locks.

/// The maximum length of the name of a schema.
const SCHEMA_LENGTH: usize = 40;
/// The maximum length of a prefix. With the schema and a point, it has to fit into the name of a
/// channel, which is at most 63 bytes.
const PREFIX_LENGTH: usize = 16;

/// The names of a store's tables, functions, channels and locks.
#[derive(Clone)]
pub(crate) struct Names {
    schema: String,
    prefix: String,
}

impl Names {
    /// Creates the names. Fails with the kind of the invalid name.
    pub(crate) fn new(schema: &str, prefix: &str) -> Result<Self, &'static str> {
        if !is_identifier(schema, SCHEMA_LENGTH) || schema.to_lowercase().starts_with("pg_") {
            return Err("schema");
        }
        if !prefix.is_empty() && !is_identifier(prefix, PREFIX_LENGTH) {
            return Err("table prefix");
        }
        Ok(Self {
            schema: schema.to_owned(),
            prefix: prefix.to_owned(),
        })
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the name of a channel.
    pub(crate) fn channel(&self, name: &str) -> String {
        format!("{}.{}{name}", self.schema, self.prefix)
    }

    /// Completes the names in SQL: `"@name"` is a table, sequence or function, and `'@name'` the
    /// text of a channel or a lock.
    pub(crate) fn sql(&self, text: &str) -> String {
        let Self { schema, prefix } = self;
        text.replace("\"@", &format!("\"{schema}\".\"{prefix}"))
            .replace("'@", &format!("'{schema}.{prefix}"))
    }
}

/// Returns `true` if a name needs no escapes in SQL. Upper case is allowed, because all names are
/// quoted.
fn is_identifier(name: &str, most: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() <= most
        && name.bytes().all(is_word)
        && name
            .bytes()
            .next()
            .is_some_and(|byte| !byte.is_ascii_digit())
}
