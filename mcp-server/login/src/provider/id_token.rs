//! ID tokens: which key verifies one, and what its claims have to say (OpenID Connect Core 1.0,
//! section 3.1.3.7).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_oauth::jwt::Algorithm;
use mcp_types::json::{Object, Value};
use ring::digest::{SHA256, SHA384, SHA512, digest};

use crate::clock::now;
use crate::secret::same;

/// The difference between the clocks of servers that is tolerated, in seconds.
const LEEWAY: u64 = 60;

/// What an ID token has to say.
pub(crate) struct ExpectedToken<'a> {
    /// The issuer. The issuer of Microsoft for several tenants contains a placeholder.
    pub(crate) issuer: &'a str,
    pub(crate) client_id: &'a str,
    pub(crate) nonce: &'a str,
    pub(crate) access_token: &'a str,
    pub(crate) algorithm: Algorithm,
}

impl ExpectedToken<'_> {
    /// Checks the claims of a token whose signature is valid. Returns what is wrong.
    pub(crate) fn check(&self, claims: &Object) -> Result<(), &'static str> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let tenant = text("tid").unwrap_or_default();
        if text("iss") != Some(&*self.issuer.replace("{tenantid}", tenant)) {
            return Err("its issuer is another one");
        }
        let is_own = |audience: &Value| audience.as_str() == Some(self.client_id);
        let audiences = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.as_slice(),
            Some(audience) => std::slice::from_ref(audience),
            None => &[],
        };
        if !audiences.iter().any(is_own) {
            return Err("it was issued for another client");
        }
        // Who requested a token for several clients has to be this one.
        match text("azp") {
            Some(party) if party != self.client_id => {
                return Err("it was requested by another client");
            }
            None if !audiences.iter().all(is_own) => {
                return Err("it does not say which client requested it");
            }
            _ => {}
        }
        let time = |name: &str| claims.get(name).and_then(Value::as_f64);
        let now = seconds(now());
        let leeway = seconds(LEEWAY);
        if time("exp").is_none_or(|end| end + leeway <= now) {
            return Err("it has expired");
        }
        for name in ["iat", "nbf"] {
            if time(name).is_some_and(|begin| begin - leeway > now) {
                return Err("it is not valid yet");
            }
        }
        if !text("nonce").is_some_and(|nonce| same(nonce, self.nonce)) {
            return Err("it belongs to another login");
        }
        if let Some(hash) = claims.get("at_hash")
            && hash.as_str() != access_token_hash(self.algorithm, self.access_token).as_deref()
        {
            return Err("it belongs to another access token");
        }
        if text("sub").is_none_or(|subject| subject.is_empty() || subject.len() > 255) {
            return Err("it names no user");
        }
        Ok(())
    }
}

/// Converts a time, which is exact for the next million years.
#[expect(clippy::cast_precision_loss, reason = "times have less than 53 bits")]
fn seconds(time: u64) -> f64 {
    time as f64
}

/// Returns the left half of the digest of an access token (section 3.1.3.6).
fn access_token_hash(algorithm: Algorithm, token: &str) -> Option<String> {
    let digest_algorithm = match algorithm {
        Algorithm::RS256 | Algorithm::ES256 | Algorithm::PS256 => &SHA256,
        Algorithm::RS384 | Algorithm::ES384 | Algorithm::PS384 => &SHA384,
        Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => &SHA512,
        _ => return None,
    };
    let digest = digest(digest_algorithm, token.as_bytes());
    let digest = digest.as_ref();
    digest
        .get(..digest.len() / 2)
        .map(|half| URL_SAFE_NO_PAD.encode(half))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn token_has_to_be_for_this_client_and_login() {
        let end = now() + 100;
        let valid = json!({
            "iss": "https://a.example", "aud": "me", "sub": "1", "nonce": "n", "exp": end,
            "iat": end - 100, "azp": "me",
        });
        let expected = ExpectedToken {
            issuer: "https://a.example",
            client_id: "me",
            nonce: "n",
            access_token: "token",
            algorithm: Algorithm::ES256,
        };
        let check = |changes: serde_json::Value| {
            let mut claims = valid.clone();
            for (name, value) in changes.as_object().expect("an object") {
                claims[name.as_str()] = value.clone();
            }
            let Value::Object(claims) = Value::from(claims) else {
                panic!("an object");
            };
            expected.check(&claims)
        };
        let hash = access_token_hash(Algorithm::ES256, "token");
        for changes in [
            json!({}),
            json!({ "aud": ["me"] }),
            json!({ "aud": ["me", "other"] }),
            json!({ "at_hash": hash }),
            json!({ "exp": now() - 50 }),
        ] {
            assert_eq!(check(changes.clone()), Ok(()), "{changes}");
        }
        for changes in [
            json!({ "iss": "https://a.example/" }),
            json!({ "iss": null }),
            json!({ "aud": "other" }),
            json!({ "aud": [] }),
            json!({ "aud": null }),
            json!({ "aud": ["me", "other"], "azp": null }),
            json!({ "azp": "other" }),
            json!({ "exp": now() - 61 }),
            json!({ "exp": null }),
            json!({ "exp": "never" }),
            json!({ "nbf": now() + 120 }),
            json!({ "nbf": 1e30 }),
            json!({ "nonce": "m" }),
            json!({ "nonce": null }),
            json!({ "at_hash": "x" }),
            json!({ "at_hash": 1 }),
            json!({ "sub": "" }),
            json!({ "sub": 1 }),
        ] {
            assert!(check(changes.clone()).is_err(), "{changes}");
        }
    }
}
