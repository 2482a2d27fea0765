//! Users of the gateway who log in with accounts of a provider.

use std::net::SocketAddr;

use mcp_login::{Login, Provider, User};

use super::secret;
use crate::args::gateway_login::GatewayLogin;
use crate::failure::Failure;

/// The scope of GitHub with which it tells the organizations of a user.
const GITHUB_ORGANIZATIONS: &str = "read:org";

/// Providers whose login names belong to one user at a time. Those of others can be chosen freely.
const LOGIN_NAMES: [&str; 3] = ["github", "gitlab", "discord"];

/// Who may log in.
struct Allowed {
    users: Vec<String>,
    domains: Vec<String>,
    organizations: Vec<String>,
    anyone: bool,
}

impl Allowed {
    fn of(args: &GatewayLogin) -> Self {
        let domain = |domain: &String| domain.trim_start_matches('@').to_ascii_lowercase();
        Self {
            users: args.allow_user.clone(),
            domains: args.allow_domain.iter().map(domain).collect(),
            organizations: args.allow_org.clone(),
            anyone: args.allow_anyone,
        }
    }

    fn is_nobody(&self) -> bool {
        let lists = [&self.users, &self.domains, &self.organizations];
        !self.anyone && lists.iter().all(|list| list.is_empty())
    }

    /// Returns the name of an option with an empty value, such as a variable that is not set.
    fn empty(&self) -> Option<&'static str> {
        let lists = [
            ("--allow-user", &self.users),
            ("--allow-domain", &self.domains),
            ("--allow-org", &self.organizations),
        ];
        let mut lists = lists.into_iter();
        let found = lists.find(|(_, list)| list.iter().any(String::is_empty));
        found.map(|(name, _)| name)
    }

    fn admits(&self, user: &User) -> bool {
        let email = user.email_verified.then(|| user.email.to_ascii_lowercase());
        let is_named = |name: &String| {
            let has_login = LOGIN_NAMES.contains(&&*user.provider);
            has_login && !user.login.is_empty() && name.eq_ignore_ascii_case(&user.login)
                || email
                    .as_ref()
                    .is_some_and(|own| name.eq_ignore_ascii_case(own))
        };
        let domain = email.as_ref().and_then(|own| Some(own.rsplit_once('@')?.1));
        // A private account at Google keeps the address of a company that its owner has left.
        let is_member = |domain: &str| {
            user.provider != "google"
                || domain == "gmail.com"
                || user.organization.eq_ignore_ascii_case(domain)
        };
        let is_of = |known: &String| domain == Some(known) && is_member(known);
        self.anyone
            || self.users.iter().any(is_named)
            || self.domains.iter().any(is_of)
            || self
                .organizations
                .iter()
                .any(|name| user.is_in(name) || !name.is_empty() && *name == user.organization)
    }
}

/// Returns the login for the options, and the host that clients use. `None` without `--login`.
pub(super) fn login(
    args: &GatewayLogin,
    address: SocketAddr,
) -> Result<Option<(Login, String)>, Failure> {
    let Some(name) = args.login.as_deref() else {
        return Ok(None);
    };
    let is_local = name == "local";
    if is_local && !address.ip().is_loopback() {
        return Err(usage(
            "`--login local` has users without passwords: expected `--listen` with a loopback \
             address",
        ));
    }
    let allowed = Allowed::of(args);
    if let Some(empty) = allowed.empty() {
        return Err(usage(&format!("`{empty}` has no value")));
    }
    if allowed.is_nobody() && !is_local {
        return Err(usage(
            "`--login` needs to know who may log in: expected `--allow-user`, `--allow-domain`, \
             `--allow-org` or `--allow-anyone`",
        ));
    }
    let public_url = match &args.public_url {
        Some(url) => url.clone(),
        None if is_local && address.port() != 0 => format!("http://{address}"),
        None => return Err(usage("`--login` needs `--public-url`")),
    };
    let host = host(&public_url);
    let login = Login::builder(provider(name, args)?, &public_url);
    let login = if is_local && allowed.is_nobody() {
        login
    } else {
        login.allow(move |user| allowed.admits(user))
    };
    let resource = format!("{}/mcp", public_url.trim_end_matches('/'));
    let login = login.resource(resource).build();
    let login = login.map_err(|error| usage(&format!("`--login`: {error}")))?;
    Ok(Some((login, host)))
}

/// Returns the host of a URL with its port, as clients send it.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest[..end].to_owned()
}

fn provider(name: &str, args: &GatewayLogin) -> Result<Provider, Failure> {
    if name == "local" {
        let user = |id: &str, name| User::new(id).login(id).name(name);
        let ada = user("ada", "Ada").email("ada@example.com", true);
        let bob = user("bob", "Bob").email("bob@example.org", true);
        return Ok(Provider::local([ada.groups(["acme"]), bob]));
    }
    let id = args.login_client_id.as_deref();
    let id = id.ok_or_else(|| usage("`--login` needs `--login-client-id`"))?;
    let key = args.login_secret_env.as_deref();
    let key = secret(key.ok_or_else(|| usage("`--login` needs `--login-secret-env`"))?)?;
    let provider = match name {
        "github" => Provider::github(id, key),
        "google" => Provider::google(id, key),
        "gitlab" => Provider::gitlab(id, key),
        "slack" => Provider::slack(id, key),
        "discord" => Provider::discord(id, key),
        issuer if issuer.starts_with("https://") || issuer.starts_with("http://") => {
            Provider::openid(issuer, id, key)
        }
        other => match other.split_once(':') {
            Some(("microsoft", tenant)) if !tenant.is_empty() => {
                Provider::microsoft(tenant, id, key)
            }
            _ => {
                return Err(usage(&format!(
                    "no provider `{other}`: expected github, google, microsoft:TENANT, gitlab, \
                     slack, discord, local, or the URL of an OpenID issuer"
                )));
            }
        },
    };
    let organizations = name == "github" && !args.allow_org.is_empty();
    let scopes = organizations.then(|| GITHUB_ORGANIZATIONS.to_owned());
    let scopes = scopes.iter().chain(&args.login_scope);
    Ok(scopes.fold(provider, Provider::scope))
}

fn usage(message: &str) -> Failure {
    Failure::Usage(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(change: impl FnOnce(&mut Allowed)) -> Allowed {
        let mut allowed = Allowed {
            users: Vec::new(),
            domains: Vec::new(),
            organizations: Vec::new(),
            anyone: false,
        };
        change(&mut allowed);
        allowed
    }

    fn user(provider: &str) -> User {
        let mut user = User::new("1").login("ada").email("Ada@Example.com", true);
        provider.clone_into(&mut user.provider);
        user
    }

    #[test]
    fn users_are_admitted_by_what_the_provider_vouches_for() {
        let by_login = allowed(|it| it.users.push("Ada".to_owned()));
        assert!(by_login.admits(&user("github")));
        // Users of other providers choose their names.
        assert!(!by_login.admits(&user("id.example.com")));
        assert!(!by_login.admits(&User::new("Ada")));
        let by_email = allowed(|it| it.users.push("ada@example.com".to_owned()));
        assert!(by_email.admits(&user("id.example.com")));
        assert!(!by_email.admits(&user("x").email("ada@example.com", false)));
        let by_domain = allowed(|it| it.domains.push("example.com".to_owned()));
        assert!(by_domain.admits(&user("x")));
        for email in [
            "ada@sub.example.com",
            "example.com",
            "ada@example.com@evil.example",
        ] {
            assert!(!by_domain.admits(&user("x").email(email, true)), "{email}");
        }
        assert!(!by_domain.admits(&user("x").email("ada@example.com", false)));
        let by_group = allowed(|it| it.organizations.push("acme".to_owned()));
        assert!(!by_group.admits(&user("github")));
        assert!(by_group.admits(&user("github").groups(["acme"])));
        assert!(by_group.admits(&user("google").organization("acme")));
        let empty = allowed(|it| it.users.push(String::new()));
        assert!(!empty.admits(&User::new("1")));
        assert_eq!(empty.empty(), Some("--allow-user"));
        // Who has left the company keeps the address.
        let private = user("google");
        assert!(!by_domain.admits(&private));
        assert!(by_domain.admits(&private.organization("example.com")));
        assert!(allowed(|it| it.anyone = true).admits(&User::new("1")));
        assert!(allowed(|_| {}).is_nobody());
    }

    #[test]
    fn host_is_what_clients_send() {
        assert_eq!(host("https://mcp.example.com"), "mcp.example.com");
        assert_eq!(host("http://127.0.0.1:8080/"), "127.0.0.1:8080");
    }
}
