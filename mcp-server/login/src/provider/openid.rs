//! [`OpenId`]: providers with OpenID Connect, of which the issuer says everything (OpenID Connect
//! Core 1.0 and Discovery 1.0).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_oauth::Secret;
use mcp_oauth::jwt::{self, Jwk, PUBLIC_ALGORITHMS, Verified, find_key};
use mcp_types::json::{self, Object, Value};
use serde::Deserialize;

use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::provider::id_token::ExpectedToken;
use crate::provider::net::Net;
use crate::provider::tokens::{ProviderTokens, TokenResponse};
use crate::provider::urls::ProviderUrls;
use crate::user::User;

/// The time for which metadata and keys are used.
pub(crate) const CACHE_TIME: Duration = Duration::from_secs(60 * 60);
/// The minimum time between two attempts to load the keys because a token names an unknown one.
const KEY_INTERVAL: Duration = Duration::from_secs(10);
/// The maximum number of keys of an issuer.
const KEYS: usize = 100;

/// A provider with OpenID Connect.
pub(crate) struct OpenId {
    pub(crate) issuer: String,
    pub(crate) groups_claim: String,
    pub(crate) organization_claim: Option<String>,
    /// Whether it is Microsoft, whose metadata name other issuers, see [`OpenId::is_issuer`].
    pub(crate) is_microsoft: bool,
    /// What was loaded of the issuer, and when.
    loaded: Mutex<Option<(Instant, Arc<Issuer>)>>,
}

/// What an issuer publishes.
pub(crate) struct Issuer {
    pub(crate) urls: ProviderUrls,
    metadata: Metadata,
    keys: Vec<Jwk>,
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

impl Metadata {
    fn urls(&self) -> ProviderUrls {
        let urls = ProviderUrls::new(&self.authorization_endpoint, &self.token_endpoint);
        // The form if possible: in the header, providers decode special characters differently. Without
        // the member, it is the header (RFC 8414, section 2).
        let mut methods = self.token_endpoint_auth_methods_supported.iter().flatten();
        if methods.any(|method| method == "client_secret_post") {
            return urls;
        }
        urls.secret_in_header()
    }
}

impl OpenId {
    pub(crate) fn new(issuer: String) -> Self {
        Self {
            issuer,
            groups_claim: "groups".to_owned(),
            organization_claim: None,
            is_microsoft: false,
            loaded: Mutex::new(None),
        }
    }

    /// Returns what the issuer publishes, not older than this.
    pub(crate) async fn load(
        &self,
        net: &Net,
        age: Duration,
    ) -> Result<Arc<Issuer>, ProviderError> {
        let loaded = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, issuer)) = &*loaded()
            && at.elapsed() <= age
        {
            return Ok(Arc::clone(issuer));
        }
        let base = self.issuer.trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let metadata = json::from_value(net.get("metadata", &url, None).await?);
        let metadata: Metadata = metadata.map_err(|_| ProviderError::Json("metadata"))?;
        if !self.is_issuer(&metadata.issuer) {
            return Err(ProviderError::Issuer);
        }
        net.check_for_browser(&metadata.authorization_endpoint)?;
        let set = net.get("keys", &metadata.jwks_uri, None).await?;
        let members = set.get("keys").and_then(Value::as_array);
        let members = members.ok_or(ProviderError::Json("keys"))?.iter();
        // Keys of unknown kinds are left out (RFC 7517, section 5).
        let keys = members
            .take(KEYS)
            .filter_map(|key| json::from_value_ref(key).ok());
        let issuer = Arc::new(Issuer {
            urls: metadata.urls(),
            keys: keys.collect(),
            metadata,
        });
        *loaded() = Some((Instant::now(), Arc::clone(&issuer)));
        Ok(issuer)
    }

    /// Checks the parameter `iss` of a redirect, before the code is sent to anybody (RFC 9207, section
    /// 2.4).
    pub(crate) async fn check_redirect(
        &self,
        net: &Net,
        issuer: Option<&str>,
    ) -> Result<(), ProviderError> {
        let metadata = &self.load(net, CACHE_TIME).await?.metadata;
        let is_expected = match issuer {
            Some(issuer) => self.is_issuer(issuer),
            None => !metadata.authorization_response_iss_parameter_supported,
        };
        is_expected.then_some(()).ok_or(ProviderError::MixUp)
    }

    /// Returns the user whom the ID token of a response describes, and the tokens.
    pub(crate) async fn user(
        &self,
        net: &Net,
        client_id: &str,
        attempt: &LoginAttempt,
        response: TokenResponse,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        let TokenResponse {
            mut tokens,
            id_token,
        } = response;
        let id_token = id_token.ok_or(ProviderError::Missing("id_token"))?;
        let Verified { header, mut claims } = self.verify(net, &id_token).await?;
        let metadata = &self.load(net, CACHE_TIME).await?.metadata;
        let expected = ExpectedToken {
            issuer: &metadata.issuer,
            client_id,
            nonce: attempt.nonce.expose(),
            access_token: tokens.access.expose(),
            algorithm: header.alg,
        };
        expected.check(&claims).map_err(ProviderError::IdToken)?;
        tokens.subject = subject_of(&claims);
        if let Some(url) = &metadata.userinfo_endpoint {
            self.add_user_info(net, url, &tokens.access, &mut claims)
                .await?;
        }
        Ok((self.described(claims), tokens))
    }

    /// Checks that renewed tokens do not belong to another user (OpenID Connect Core 1.0, section 12.2).
    pub(crate) async fn check_renewed(
        &self,
        net: &Net,
        renewed: &TokenResponse,
        tokens: &ProviderTokens,
    ) -> Result<(), ProviderError> {
        if let (Some(id_token), Some(_)) = (&renewed.id_token, &tokens.subject)
            && subject_of(&self.verify(net, id_token).await?.claims) != tokens.subject
        {
            return Err(ProviderError::IdToken("it is that of another user"));
        }
        Ok(())
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
        id_token: &Secret,
    ) -> Result<Verified<Object>, ProviderError> {
        let header = jwt::header(id_token.expose())?;
        let mut issuer = self.load(net, CACHE_TIME).await?;
        if find_key(&issuer.keys, header.kid.as_deref(), header.alg).is_none() {
            issuer = self.load(net, KEY_INTERVAL).await?;
        }
        let key = find_key(&issuer.keys, header.kid.as_deref(), header.alg);
        let key = key.ok_or(ProviderError::IdToken("the issuer has no such key"))?;
        Ok(jwt::verify(id_token.expose(), key, &PUBLIC_ALGORITHMS)?)
    }

    /// Adds the claims that the issuer returns only at the endpoint for them.
    async fn add_user_info(
        &self,
        net: &Net,
        url: &str,
        token: &Secret,
        claims: &mut Object,
    ) -> Result<(), ProviderError> {
        if claims.contains_key("email") && claim(claims, &self.groups_claim).is_some() {
            return Ok(());
        }
        let Value::Object(more) = net.get("the user", url, Some(token)).await? else {
            return Err(ProviderError::Json("the user"));
        };
        // The response could be that of another user (OpenID Connect Core 1.0, section 5.3.2).
        if more.get("sub") != claims.get("sub") {
            let text = "`sub` of the user is not that of the ID token";
            return Err(ProviderError::User(text));
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
    fn described(&self, claims: Object) -> User {
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
        OpenId::new(issuer.to_owned())
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
            ("null", true),
            (r#"["client_secret_basic"]"#, true),
            (r#"["client_secret_post"]"#, false),
            (r#"["client_secret_basic","client_secret_post"]"#, false),
        ] {
            let text = format!(
                r#"{{"issuer":"","authorization_endpoint":"","token_endpoint":"","jwks_uri":"",
                "token_endpoint_auth_methods_supported":{methods}}}"#
            );
            let metadata: Metadata = json::from_str(&text).expect("metadata");
            assert_eq!(metadata.urls().secret_in_header, expected, "{methods}");
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
                provider.described(claims(&text)).email_verified
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
        let user = openid.described(claims(text));
        assert_eq!(
            (user.groups, &*user.organization),
            (vec!["a".into(), "b".into()], "T")
        );
    }
}
