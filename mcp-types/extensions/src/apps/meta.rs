//! The member `ui` of the `_meta` of tools and of resources.

use serde::{Deserialize, Deserializer, Serialize};

use super::domain::{DomainError, DomainFault, MAX_DOMAINS, check_dedicated, check_source};
use super::permissions::UiResourcePermissions;

/// Who may call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum UiToolVisibility {
    /// The language model.
    Model,
    /// The apps of the same server.
    App,
}

/// How a tool belongs to an app: `_meta.ui` of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UiToolMeta {
    /// The URI of the app that shows the results of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_uri: Option<String>,
    /// Who may call the tool; the model and apps if absent.
    #[serde(
        default,
        deserialize_with = "known",
        skip_serializing_if = "Option::is_none"
    )]
    pub visibility: Option<Vec<UiToolVisibility>>,
}

impl UiToolMeta {
    /// Creates the metadata of a tool without an app, which the model and apps may call.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the URI of the app that shows the results, which begins with `ui://`.
    #[must_use]
    pub fn resource_uri(mut self, uri: impl Into<String>) -> Self {
        self.resource_uri = Some(uri.into());
        self
    }

    /// Sets who may call the tool.
    #[must_use]
    pub fn visibility(mut self, visibility: impl Into<Vec<UiToolVisibility>>) -> Self {
        self.visibility = Some(visibility.into());
        self
    }

    /// Returns `true` if the model, or apps, may call the tool.
    #[must_use]
    pub fn is_visible_to(&self, caller: UiToolVisibility) -> bool {
        let visibility = self.visibility.as_ref();
        visibility.is_none_or(|visibility| visibility.contains(&caller))
    }
}

/// Decodes the visibility without the values that this crate does not know.
fn known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<UiToolVisibility>>, D::Error> {
    let names = Option::<Vec<String>>::deserialize(deserializer)?;
    let known = |names: Vec<String>| {
        let names = names.iter().filter_map(|name| match &**name {
            "model" => Some(UiToolVisibility::Model),
            "app" => Some(UiToolVisibility::App),
            _ => None,
        });
        names.collect()
    };
    Ok(names.map(known))
}

/// What an app needs of the host: `_meta.ui` of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UiResourceMeta {
    /// The domains that the app uses; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csp: Option<UiResourceCsp>,
    /// The permissions that the app asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<UiResourcePermissions>,
    /// The dedicated origin of the app. Each host defines the form of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Whether the host should draw a border and a background; it decides if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefers_border: Option<bool>,
}

impl UiResourceMeta {
    /// Creates the metadata of an app that needs nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the domains that the app uses.
    #[must_use]
    pub fn csp(mut self, csp: UiResourceCsp) -> Self {
        self.csp = Some(csp);
        self
    }

    /// Sets the permissions that the app asks for.
    #[must_use]
    pub fn permissions(mut self, permissions: UiResourcePermissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the dedicated origin of the app. The documentation of each host describes the form of
    /// this name.
    #[must_use]
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Sets whether the host should draw a border and a background.
    #[must_use]
    pub fn prefers_border(mut self, prefers: bool) -> Self {
        self.prefers_border = Some(prefers);
        self
    }

    /// Checks all domains.
    ///
    /// # Errors
    ///
    /// The first invalid domain.
    pub fn check(&self) -> Result<(), DomainError> {
        if let Some(domain) = &self.domain {
            check_dedicated(domain).map_err(|fault| error("domain", domain, fault))?;
        }
        let lists = self.csp.iter().flat_map(UiResourceCsp::lists);
        for (member, domains) in lists {
            if let Some(domain) = domains.get(MAX_DOMAINS) {
                return Err(error(member, domain, DomainFault::Number));
            }
            for domain in domains {
                check_source(domain).map_err(|fault| error(member, domain, fault))?;
            }
        }
        Ok(())
    }
}

fn error(member: &'static str, domain: &str, fault: DomainFault) -> DomainError {
    let domain = domain.to_owned();
    DomainError {
        member,
        domain,
        fault,
    }
}

/// The domains that an app uses, each an origin such as `https://api.example.com` or
/// `https://*.example.com`. The host blocks everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct UiResourceCsp {
    /// For requests of scripts.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub connect_domains: Vec<String>,
    /// For scripts, styles, images, fonts and media.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub resource_domains: Vec<String>,
    /// For frames within the app.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub frame_domains: Vec<String>,
    /// For base URLs of the document.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub base_uri_domains: Vec<String>,
}

/// Decodes a list; `null` is an empty one.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

macro_rules! domain_setters {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name<T: Into<String>>(mut self, domains: impl IntoIterator<Item = T>) -> Self {
            self.$name = domains.into_iter().map(Into::into).collect();
            self
        }
    )*};
}

impl UiResourceCsp {
    /// Creates a value that permits no domain.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    domain_setters! {
        /// Sets the domains to which scripts may send requests.
        connect_domains,
        /// Sets the domains of scripts, styles, images, fonts and media.
        resource_domains,
        /// Sets the domains of frames within the app.
        frame_domains,
        /// Sets the domains of base URLs of the document.
        base_uri_domains,
    }

    /// Returns the lists with their names in JSON.
    fn lists(&self) -> [(&'static str, &[String]); 4] {
        [
            ("connectDomains", &self.connect_domains),
            ("resourceDomains", &self.resource_domains),
            ("frameDomains", &self.frame_domains),
            ("baseUriDomains", &self.base_uri_domains),
        ]
    }
}
