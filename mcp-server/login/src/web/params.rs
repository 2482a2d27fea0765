//! [`Params`]: the parameters of a query or a form.

/// The maximum size of all parameters, in bytes.
const BYTES: usize = 16 << 10;
/// The maximum number of parameters.
const COUNT: usize = 64;

/// The parameters of a query or a form.
pub(crate) struct Params(Vec<(String, String)>);

/// Why parameters are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParamsError {
    #[error("the body is not a form: expected `application/x-www-form-urlencoded`")]
    NoForm,
    #[error("the request has too many or too long parameters")]
    TooMany,
    #[error("the parameter `{0}` is present more than once")]
    Repeated(&'static str),
}

impl Params {
    /// Parses parameters. Those without a value are treated as absent (RFC 6749, section 3.1).
    pub(crate) fn parse(text: &[u8]) -> Result<Self, ParamsError> {
        if text.len() > BYTES {
            return Err(ParamsError::TooMany);
        }
        let mut params = Vec::new();
        for (name, value) in form_urlencoded::parse(text) {
            if params.len() == COUNT {
                return Err(ParamsError::TooMany);
            }
            if !value.is_empty() {
                params.push((name.into_owned(), value.into_owned()));
            }
        }
        Ok(Self(params))
    }

    /// Returns the value of a parameter.
    ///
    /// # Errors
    ///
    /// Fails if the parameter is repeated (RFC 6749, section 3.1): another program might read
    /// another one of the values.
    pub(crate) fn get(&self, name: &'static str) -> Result<Option<&str>, ParamsError> {
        let mut values = self.all(name);
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(ParamsError::Repeated(name)),
        }
    }

    /// Returns all values of a parameter that can be repeated.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(other, _)| other == name);
        named.map(|(_, value)| value.as_str())
    }
}

/// Returns a URL with parameters added to its query. The URL has no fragment.
pub(crate) fn with_query<'a>(
    url: &str,
    params: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(params);
    let separator = match url.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some(_) => "&",
    };
    format!("{url}{separator}{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_parameters_are_rejected_and_empty_ones_are_absent() {
        let params = Params::parse(b"a=1&b=&c=2&c=3&d=%20x%2B").expect("valid");
        assert_eq!(params.get("a"), Ok(Some("1")));
        assert_eq!(params.get("b"), Ok(None));
        assert_eq!(params.get("c"), Err(ParamsError::Repeated("c")));
        assert_eq!(params.get("d"), Ok(Some(" x+")));
        assert_eq!(params.all("c").collect::<Vec<_>>(), ["2", "3"]);
        let many = "a=1&".repeat(COUNT + 1);
        assert!(Params::parse(many.as_bytes()).is_err());
        assert!(Params::parse("x".repeat(BYTES + 1).as_bytes()).is_err());
    }

    #[test]
    fn parameters_are_added_to_a_url() {
        for (url, expected) in [
            ("https://a.example", "https://a.example?a=b+c%26"),
            ("https://a.example/?", "https://a.example/?a=b+c%26"),
            ("https://a.example/?x=1", "https://a.example/?x=1&a=b+c%26"),
            ("app:/cb", "app:/cb?a=b+c%26"),
        ] {
            assert_eq!(with_query(url, [("a", "b c&")]), expected);
        }
    }
}
