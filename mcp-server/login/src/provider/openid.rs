//! [`OpenId`]: providers with OpenID Connect, of which the issuer says everything (OpenID Connect
//! Core 1.0 and Discovery 1.0).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_oauth::jwt::{self, Jwk, Verified};
use mcp_types::json::{self, Object, Value};
use serde::Deserialize;

use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::provider::id_token::{ALGORITHMS, ExpectedToken, find_key};
use crate::provider::net::Net;
use crate::provider::tokens::{ProviderClient, ProviderTokens, SecretPlace, TokenResponse};
use crate::secret::Secret;
use crate::user::User;

/// The time for which metadata and keys are used.
const CACHE_TIME: Duration = Duration::from_secs(60 * 60);
/// The minimum time between two attempts to load the keys because a token names an unknown one.
const KEY_INTERVAL: Duration = Duration::from_secs(10);
/// The maximum number of keys of an issuer.
const KEYS: usize = 100;

/// A provider with OpenID Connect.
pub(crate) struct OpenId {
    pub(crate) issuer: String,
    pub(crate) client: ProviderClient,
    pub(crate) groups_claim: String,
    pub(crate) organization_claim: Option<String>,
    /// Whether it is Microsoft, whose metadata name other issuers, see [`OpenId::is_issuer`].
    pub(crate) is_microsoft: bool,
    metadata: Cached<Metadata>,
    keys: Cached<Vec<Jwk>>,
}

/// The metadata of an issuer, as far as they matter here.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// A value that was loaded a while ago.
struct Cached<T>(Mutex<Option<(Instant, Arc<T>)>>);

impl<T> Cached<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the value if it is not older than this.
    fn get(&self, age: Duration) -> Option<Arc<T>> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, value) = cached.as_ref()?;
        (at.elapsed() <= age).then(|| Arc::clone(value))
    }

    fn set(&self, value: T) -> Arc<T> {
        let value = Arc::new(value);
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((Instant::now(), Arc::clone(&value)));
        value
    }
}

impl Metadata {
    fn secret_place(&self) -> SecretPlace {
        // The form if possible: in the header, providers decode special characters differently. Without
        // the member, it is the header (RFC 8414, section 2).
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        let mut methods = methods.into_iter().flatten();
        if methods.any(|method| method == "client_secret_post") {
            SecretPlace::Form
        } else {
            SecretPlace::Header
        }
    }
}

impl OpenId {
    pub(crate) fn new(issuer: String, client: ProviderClient) -> Self {
        Self {
            issuer,
            client,
            groups_claim: "groups".to_owned(),
            organization_claim: None,
            is_microsoft: false,
            metadata: Cached::new(),
            keys: Cached::new(),
        }
    }

    pub(crate) async fn authorization_url(
        &self,
        net: &Net,
        attempt: &LoginAttempt<'_>,
    ) -> Result<String, ProviderError> {
        let metadata = self.metadata(net).await?;
        let endpoint = &metadata.authorization_endpoint;
        Ok(self
            .client
            .authorization_url(endpoint, attempt, Some(attempt.nonce)))
    }

    pub(crate) async fn complete(
        &self,
        net: &Net,
        attempt: &LoginAttempt<'_>,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        let metadata = self.metadata(net).await?;
        // Before the code is sent to anybody (RFC 9207, section 2.4).
        let is_expected = match issuer {
            Some(issuer) => self.is_issuer(issuer),
            None => !metadata.authorization_response_iss_parameter_supported,
        };
        if !is_expected {
            return Err(ProviderError::MixUp);
        }
        let endpoint = &metadata.token_endpoint;
        let place = metadata.secret_place();
        let response = self
            .client
            .exchange(net, endpoint, place, attempt, code)
            .await?;
        let TokenResponse {
            mut tokens,
            id_token,
        } = response;
        let id_token = id_token.ok_or(ProviderError::Missing("id_token"))?;
        let Verified { header, mut claims } = self.verify(net, &metadata, &id_token).await?;
        let expected = ExpectedToken {
            issuer: &metadata.issuer,
            client_id: &self.client.id,
            nonce: attempt.nonce,
            access_token: tokens.access.expose(),
            algorithm: header.alg,
        };
        expected.check(&claims).map_err(ProviderError::IdToken)?;
        tokens.subject = subject_of(&claims);
        self.add_user_info(net, &metadata, &tokens, &mut claims)
            .await?;
        Ok((self.user(claims), tokens))
    }

    pub(crate) async fn refresh(
        &self,
        net: &Net,
        tokens: &ProviderTokens,
    ) -> Result<ProviderTokens, ProviderError> {
        let metadata = self.metadata(net).await?;
        let (endpoint, place) = (&metadata.token_endpoint, metadata.secret_place());
        let response = self.client.refresh(net, endpoint, place, tokens).await?;
        // Another user may have got the token (OpenID Connect Core 1.0, section 12.2).
        if let (Some(id_token), Some(_)) = (&response.id_token, &tokens.subject) {
            let claims = self.verify(net, &metadata, id_token).await?.claims;
            if subject_of(&claims) != tokens.subject {
                return Err(ProviderError::IdToken("it is that of another user"));
            }
        }
        Ok(response.tokens)
    }

    async fn metadata(&self, net: &Net) -> Result<Arc<Metadata>, ProviderError> {
        if let Some(metadata) = self.metadata.get(CACHE_TIME) {
            return Ok(metadata);
        }
        let base = self.issuer.trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let document = net
            .get("metadata", &url, None)
            .await?
            .document("metadata")?;
        let metadata: Metadata =
            json::from_value(document).map_err(|_| ProviderError::Json("metadata"))?;
        if !self.is_issuer(&metadata.issuer) {
            return Err(ProviderError::Issuer);
        }
        net.check_for_browser(&metadata.authorization_endpoint)?;
        Ok(self.metadata.set(metadata))
    }

    /// Returns `true` if metadata with this issuer are those of the provider. The issuer of Microsoft
    /// contains the id of the tenant, also if the tenant was named by its domain, or a placeholder if
    /// several tenants are allowed.
    fn is_issuer(&self, issuer: &str) -> bool {
        if !self.is_microsoft {
            return issuer == self.issuer;
        }
        let host = self.issuer.split('/').take(3).collect::<Vec<_>>().join("/");
        let rest = issuer
            .strip_prefix(&*host)
            .and_then(|rest| rest.strip_prefix('/'));
        let tenant = rest.and_then(|rest| rest.strip_suffix("/v2.0"));
        tenant.is_some_and(|tenant| !tenant.is_empty() && !tenant.contains('/'))
    }

    /// Verifies the signature of an ID token, with keys that are loaded again if it names an unknown one.
    async fn verify(
        &self,
        net: &Net,
        metadata: &Metadata,
        id_token: &Secret,
    ) -> Result<Verified<Object>, ProviderError> {
        let token = id_token.expose();
        let header = jwt::header(token)?;
        let mut keys = self.keys.get(CACHE_TIME);
        let key_of = |keys: &Option<Arc<Vec<Jwk>>>| {
            keys.as_ref()
                .and_then(|keys| find_key(keys, &header).cloned())
        };
        let mut key = key_of(&keys);
        if key.is_none() && self.keys.get(KEY_INTERVAL).is_none() {
            keys = Some(self.load_keys(net, &metadata.jwks_uri).await?);
            key = key_of(&keys);
        }
        let key = key.ok_or(ProviderError::IdToken("the issuer has no such key"))?;
        Ok(jwt::verify(token, &key, &ALGORITHMS)?)
    }

    async fn load_keys(&self, net: &Net, url: &str) -> Result<Arc<Vec<Jwk>>, ProviderError> {
        let set = net.get("keys", url, None).await?.document("keys")?;
        let members = set.get("keys").and_then(Value::as_array);
        let members = members.ok_or(ProviderError::Json("keys"))?;
        // Keys of unknown kinds are left out (RFC 7517, section 5).
        let keys = members.iter().take(KEYS);
        let keys = keys.filter_map(|key| json::from_value_ref(key).ok());
        Ok(self.keys.set(keys.collect()))
    }

    /// Adds the claims that the issuer returns only at the endpoint for them.
    async fn add_user_info(
        &self,
        net: &Net,
        metadata: &Metadata,
        tokens: &ProviderTokens,
        claims: &mut Object,
    ) -> Result<(), ProviderError> {
        let Some(url) = &metadata.userinfo_endpoint else {
            return Ok(());
        };
        if claims.contains_key("email") && claim(claims, &self.groups_claim).is_some() {
            return Ok(());
        }
        let what = "the user";
        let document = net
            .get(what, url, Some(&tokens.access))
            .await?
            .document(what)?;
        let Value::Object(more) = document else {
            return Err(ProviderError::Json(what));
        };
        // The response could be that of another user (OpenID Connect Core 1.0, section 5.3.2).
        if more.get("sub") != claims.get("sub") {
            return Err(ProviderError::User(
                "`sub` of the user is not that of the ID token",
            ));
        }
        // Whether an address is verified says the document that has the address.
        let has_email = claims.contains_key("email");
        for (name, value) in more {
            let is_of_other = has_email && name == "email_verified";
            if !claims.contains_key(&name) && !is_of_other {
                claims.insert(name, value);
            }
        }
        Ok(())
    }

    /// Returns the user whom verified claims describe.
    fn user(&self, claims: Object) -> User {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        // Microsoft has a claim of its own, which says that the domain of the address was verified.
        let name = if self.is_microsoft {
            "xms_edov"
        } else {
            "email_verified"
        };
        let is_verified = match claims.get(name) {
            Some(Value::Bool(value)) => *value,
            // Some providers send a string.
            Some(Value::String(text)) => text == "true" || self.is_microsoft && text == "1",
            _ => false,
        };
        let groups = match claim(&claims, &self.groups_claim) {
            Some(Value::Array(groups)) => groups
                .iter()
                .filter_map(|group| group.as_str().map(str::to_owned))
                .collect(),
            Some(Value::String(group)) => vec![group.clone()],
            _ => Vec::new(),
        };
        let organization = self.organization_claim.as_deref();
        let organization = organization.and_then(|name| claim(&claims, name));
        let organization = organization.and_then(Value::as_str).unwrap_or_default();
        let mut user = User::new(text("sub"))
            .login(text("preferred_username"))
            .name(text("name"))
            .email(text("email"), is_verified)
            .groups(groups)
            .organization(organization);
        user.claims = claims;
        user
    }
}

fn subject_of(claims: &Object) -> Option<String> {
    let subject = claims.get("sub").and_then(Value::as_str);
    subject.map(str::to_owned)
}

/// Returns a claim, by its name or by a JSON pointer.
fn claim<'a>(claims: &'a Object, name: &str) -> Option<&'a Value> {
    let Some(path) = name.strip_prefix('/') else {
        return claims.get(name);
    };
    match path.split_once('/') {
        None => claims.get(path),
        Some((first, rest)) => claims.get(first)?.pointer(&format!("/{rest}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openid(issuer: &str) -> OpenId {
        OpenId::new(issuer.to_owned(), ProviderClient::new("id", "secret"))
    }

    fn claims(text: &str) -> Object {
        json::from_str(text).expect("an object")
    }

    #[test]
    fn issuer_of_microsoft_may_have_another_tenant() {
        let mut microsoft = openid("https://login.example/common/v2.0");
        assert!(!microsoft.is_issuer("https://login.example/1-2/v2.0"));
        microsoft.is_microsoft = true;
        assert!(microsoft.is_issuer("https://login.example/1-2/v2.0"));
        assert!(microsoft.is_issuer("https://login.example/{tenantid}/v2.0"));
        for other in [
            "https://evil.example/1-2/v2.0",
            "https://login.example.evil.example/1-2/v2.0",
            "https://login.example/1-2/x/v2.0",
            "https://login.example/1-2",
        ] {
            assert!(!microsoft.is_issuer(other), "{other}");
        }
    }

    #[test]
    fn secret_is_sent_in_the_form_if_the_provider_accepts_it_there() {
        for (methods, expected) in [
            ("null", SecretPlace::Header),
            (r#"["client_secret_basic"]"#, SecretPlace::Header),
            (r#"["client_secret_post"]"#, SecretPlace::Form),
            (
                r#"["client_secret_basic","client_secret_post"]"#,
                SecretPlace::Form,
            ),
        ] {
            let text = format!(
                r#"{{"issuer":"","authorization_endpoint":"","token_endpoint":"","jwks_uri":"",
                "token_endpoint_auth_methods_supported":{methods}}}"#
            );
            let metadata: Metadata = json::from_str(&text).expect("metadata");
            assert_eq!(metadata.secret_place(), expected, "{methods}");
        }
    }

    #[test]
    fn address_is_verified_only_if_the_provider_says_so() {
        let openid = openid("https://a.example");
        let mut microsoft = self::openid("https://login.example/common/v2.0");
        microsoft.is_microsoft = true;
        for (claim, of_openid, of_microsoft) in [
            (r#""email_verified":true"#, true, false),
            (r#""email_verified":"true""#, true, false),
            (r#""email_verified":false"#, false, false),
            (r#""email_verified":"yes""#, false, false),
            (r#""email_verified":"1""#, false, false),
            (r#""email_verified":1"#, false, false),
            (r#""email_verified":null"#, false, false),
            (r#""xms_edov":true"#, false, true),
            (r#""xms_edov":"true""#, false, true),
            (r#""xms_edov":"1""#, false, true),
            (r#""xms_edov":false,"email_verified":true"#, true, false),
            (r#""xms_edov":"0""#, false, false),
            (r#""sub":"1""#, false, false),
        ] {
            let user = |provider: &OpenId, email: &str| {
                let text = format!(r#"{{"email":"{email}",{claim}}}"#);
                provider.user(claims(&text)).email_verified
            };
            assert_eq!(user(&openid, "a@b.example"), of_openid, "{claim}");
            assert_eq!(user(&microsoft, "a@b.example"), of_microsoft, "{claim}");
            assert!(!user(&openid, "") && !user(&microsoft, ""), "{claim}");
        }
    }

    #[test]
    fn groups_are_found_by_a_name_or_a_pointer() {
        let text =
            r#"{"realm_access":{"roles":["a","b",1]},"/x":"y","https://a.example/team":"T"}"#;
        let mut openid = openid("https://a.example");
        openid.groups_claim = "/realm_access/roles".to_owned();
        openid.organization_claim = Some("https://a.example/team".to_owned());
        let user = openid.user(claims(text));
        assert_eq!(
            (user.groups, &*user.organization),
            (vec!["a".into(), "b".into()], "T")
        );
    }
}
