//! Creates the verifiers of an [`Issuer`] from its settings.

use std::sync::{Arc, Mutex};

use mcp_oauth::jwt::{Algorithm, Jwk, PUBLIC_ALGORITHMS, algorithm_name};
use mcp_types::json::{self, Object};
use tokio::sync::{OnceCell, Semaphore};

use crate::fetch::Fetcher;
use crate::fetch::secure_url::{InsecureUrl, SecureUrl};
use crate::issuer::Issuer;
use crate::oauth_error::OAuthError;
use crate::verifier::AnyVerifier;
use crate::verifier::introspection::{self, IntrospectionVerifier};
use crate::verifier::jwt::JwtVerifier;
use crate::verifier::key_cache::{self, KeyCache};

/// Checks that each token that is not a JWT can be sent to one issuer only.
pub(crate) fn check_introspection(issuers: &[Issuer]) -> Result<(), OAuthError> {
    let asked =
        |issuer: &'_ Issuer| Some((issuer.url.clone(), issuer.introspection.clone()?.prefix));
    let asked: Vec<(String, String)> = issuers.iter().filter_map(asked).collect();
    for (at, (url, prefix)) in asked.iter().enumerate() {
        for (other_url, other) in asked.iter().skip(at + 1) {
            if prefix.starts_with(other.as_str()) || other.starts_with(prefix.as_str()) {
                let (one, other) = (url.clone(), other_url.clone());
                return Err(OAuthError::AmbiguousIntrospection(one, other));
            }
        }
    }
    Ok(())
}

/// Creates the verifiers of an issuer: of JWT, and by introspection.
pub(crate) fn issuer_verifiers(
    issuer: &Issuer,
    fetcher: &Fetcher,
) -> Result<Vec<Box<dyn AnyVerifier>>, OAuthError> {
    let url = identifier("issuer", &issuer.url)?;
    let jwks_uri = issuer.jwks_uri.as_deref();
    let jwks_uri = jwks_uri
        .map(|uri| location("URL of keys", uri))
        .transpose()?;
    let algorithms = match &issuer.algorithms {
        Some(names) => names.iter().map(|name| algorithm(name)).collect(),
        None => Ok(PUBLIC_ALGORITHMS.to_vec()),
    };
    let fixed = issuer.jwks.as_deref().map(|keys| fixed(&issuer.url, keys));
    let keys = KeyCache::new(
        url.clone(),
        fixed.transpose()?,
        jwks_uri,
        fetcher.clone(),
        issuer.key_interval,
    );
    let mut verifiers: Vec<Box<dyn AnyVerifier>> = vec![Box::new(JwtVerifier {
        issuer: issuer.url.clone(),
        algorithms: algorithms?,
        keys,
    })];
    if let Some(settings) = &issuer.introspection {
        let endpoint = settings.endpoint.as_deref();
        let endpoint = endpoint.map(|endpoint| location("URL for introspection", endpoint));
        let authorization = introspection::basic(&settings.client_id, &settings.secret);
        let authorization =
            authorization.ok_or_else(|| OAuthError::Credentials(issuer.url.clone()))?;
        verifiers.push(Box::new(IntrospectionVerifier {
            issuer: url,
            fetcher: fetcher.clone(),
            endpoint: OnceCell::new_with(endpoint.transpose()?),
            authorization,
            prefix: settings.prefix.clone(),
            cache_time: settings.cache_time,
            trusts_audience: settings.trusts_audience,
            active: Mutex::default(),
            inactive: Mutex::default(),
            running: Semaphore::new(introspection::CONCURRENT),
        }));
    }
    Ok(verifiers)
}

/// Parses the keys that the program has set for an issuer.
fn fixed(issuer: &str, keys: &str) -> Result<Vec<Arc<Jwk>>, OAuthError> {
    let failed = |reason: String| OAuthError::Keys {
        issuer: issuer.to_owned(),
        reason,
    };
    let set: Object = json::from_str(keys).map_err(|error| failed(error.to_string()))?;
    key_cache::public_keys(&set).ok_or_else(|| failed(key_cache::EXPECTED.to_owned()))
}

pub(crate) fn identifier(what: &'static str, url: &str) -> Result<SecureUrl, OAuthError> {
    SecureUrl::identifier(url).map_err(|error| invalid(what, url, error))
}

fn location(what: &'static str, url: &str) -> Result<SecureUrl, OAuthError> {
    SecureUrl::parse(url).map_err(|error| invalid(what, url, error))
}

fn invalid(what: &'static str, url: &str, error: InsecureUrl) -> OAuthError {
    OAuthError::Url {
        what,
        url: url.to_owned(),
        reason: error.to_string(),
    }
}

fn algorithm(name: &str) -> Result<Algorithm, OAuthError> {
    let mut known = PUBLIC_ALGORITHMS.into_iter();
    let found = known.find(|known| algorithm_name(*known) == name);
    found.ok_or_else(|| OAuthError::Algorithm(name.to_owned()))
}
