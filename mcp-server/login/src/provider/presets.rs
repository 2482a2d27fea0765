//! Well-known providers: what differs from the defaults.

use mcp_types::json::Value;

use super::{Provider, ProviderKind, ProviderUrls};
use crate::user::User;

impl Provider {
    /// GitHub: an OAuth app or a GitHub App, by its client id and secret.
    ///
    /// The email address is the primary one, and verified if GitHub says so. With
    /// [`.scope("read:org")`](Self::scope), the [groups](field@User::groups) are the user's
    /// organizations, such as `acme`, and teams, such as `acme/admins`: the first 100 of each.
    pub fn github(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self::github_at(
            "https://github.com",
            "https://api.github.com",
            client_id,
            client_secret,
        )
    }

    /// GitHub Enterprise Server, or another server with its API: the URL of the website, and that of
    /// the API, such as `https://github.example.com/api/v3`.
    pub fn github_at(
        website: &str,
        api: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        let (website, api) = (website.trim_end_matches('/'), api.trim_end_matches('/'));
        let urls = ProviderUrls::new(
            format!("{website}/login/oauth/authorize"),
            format!("{website}/login/oauth/access_token"),
        );
        let urls = urls
            .user(format!("{api}/user"))
            .user_with_scope(format!("{api}/user/emails"), "user:email")
            .user_with_scope(format!("{api}/user/orgs?per_page=100"), "read:org")
            .user_with_scope(format!("{api}/user/teams?per_page=100"), "read:org");
        let is_public = website == "https://github.com";
        let key = website.split_once("://").map_or(website, |(_, rest)| rest);
        let key = if is_public { "github" } else { key };
        Self::custom(key, urls, client_id, client_secret, github_user)
            .name("GitHub")
            .scope("read:user")
            .scope("user:email")
    }

    /// Discord. The email address is verified if Discord says so. With
    /// [`.scope("guilds")`](Self::scope), the [groups](field@User::groups) are the ids of the user's
    /// servers.
    pub fn discord(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        let urls = ProviderUrls::new(
            "https://discord.com/oauth2/authorize",
            "https://discord.com/api/oauth2/token",
        );
        let urls = urls
            .user("https://discord.com/api/v10/users/@me")
            .user_with_scope("https://discord.com/api/v10/users/@me/guilds", "guilds");
        Self::custom("discord", urls, client_id, client_secret, discord_user)
            .name("Discord")
            .scope("identify")
            .scope("email")
    }

    /// Google. The [organization](field@User::organization) is the domain of Google Workspace; it is
    /// empty for other accounts. Google returns a refresh token, so that
    /// [`ProviderToken`](crate::ProviderToken) works for longer than an hour, only with
    /// `.param("access_type", "offline").param("prompt", "consent")`.
    pub fn google(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self::openid("https://accounts.google.com", client_id, client_secret)
            .keyed("google", "Google")
            .organization_claim("hd")
    }

    /// Microsoft Entra ID. `tenant` is the id or a domain of a tenant, or `organizations`, `consumers`
    /// or `common`: with these three, anybody with an account of that kind can log in, so decide with
    /// [`allow`](crate::LoginBuilder::allow) about the [organization](field@User::organization), which
    /// is the id of the tenant. Add the scope `offline_access` for a refresh token.
    pub fn microsoft(
        tenant: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        let issuer = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        let mut provider = Self::openid(issuer, client_id, client_secret)
            .keyed("microsoft", "Microsoft")
            .organization_claim("tid");
        if let ProviderKind::OpenId(openid) = &mut provider.kind {
            openid.is_microsoft = true;
        }
        provider
    }

    /// GitLab.com. The [groups](field@User::groups) are those of which the user is a direct member. For
    /// a server of one's own, use [`openid`](Self::openid) with its URL.
    pub fn gitlab(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self::openid("https://gitlab.com", client_id, client_secret)
            .keyed("gitlab", "GitLab")
            .groups_claim("groups_direct")
    }

    /// Slack ("Sign in with Slack"). The [organization](field@User::organization) is the id of the
    /// workspace.
    pub fn slack(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self::openid("https://slack.com", client_id, client_secret)
            .keyed("slack", "Slack")
            .organization_claim("https://slack.com/team_id")
    }

    /// Keycloak, by its URL and a realm. The [groups](field@User::groups) are the roles of the realm,
    /// if the client has them in its ID token.
    pub fn keycloak(
        url: &str,
        realm: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        let issuer = format!("{}/realms/{realm}", url.trim_end_matches('/'));
        Self::openid(issuer, client_id, client_secret).groups_claim("/realm_access/roles")
    }

    fn keyed(mut self, key: &str, name: &str) -> Self {
        key.clone_into(&mut self.key);
        self.name(name)
    }
}

fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn items(documents: &[Value], at: usize) -> impl Iterator<Item = &Value> {
    let list = documents.get(at).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Reads the user, the email addresses, the organizations and the teams.
fn github_user(documents: &[Value]) -> Option<User> {
    let user = documents.first()?;
    let is_true =
        |email: &Value, name: &str| email.get(name).and_then(Value::as_bool) == Some(true);
    let primary = items(documents, 1).find(|email| is_true(email, "primary"));
    let (email, is_verified) = match primary {
        Some(primary) => (text(primary, "email"), is_true(primary, "verified")),
        // The address that the user shows to everybody.
        None => (text(user, "email"), false),
    };
    let organizations = items(documents, 2).map(|organization| text(organization, "login"));
    let teams = items(documents, 3).map(|team| {
        let organization = team.get("organization").map(|owner| text(owner, "login"));
        format!(
            "{}/{}",
            organization.unwrap_or_default(),
            text(team, "slug")
        )
    });
    let groups = organizations.map(str::to_owned).chain(teams);
    Some(
        User::new(user.get("id")?.as_u64()?.to_string())
            .login(text(user, "login"))
            .name(text(user, "name"))
            .email(email, is_verified)
            .groups(groups),
    )
}

fn discord_user(documents: &[Value]) -> Option<User> {
    let user = documents.first()?;
    let is_verified = user.get("verified").and_then(Value::as_bool) == Some(true);
    let guilds = items(documents, 1).map(|guild| text(guild, "id").to_owned());
    Some(
        User::new(user.get("id")?.as_str()?)
            .login(text(user, "username"))
            .name(text(user, "global_name"))
            .email(text(user, "email"), is_verified)
            .groups(guilds),
    )
}

#[cfg(test)]
mod tests {
    use mcp_types::json;

    use super::*;

    fn document(text: &str) -> Value {
        json::from_str(text).expect("JSON")
    }

    #[test]
    fn user_of_github_has_the_primary_address_organizations_and_teams() {
        let user = document(r#"{"id":1,"login":"ada","name":null,"email":"public@a.example"}"#);
        let emails = document(
            r#"[{"email":"old@a.example","primary":false,"verified":true},
            {"email":"ada@a.example","primary":true,"verified":true}]"#,
        );
        let organizations = document(r#"[{"login":"acme"}]"#);
        let teams = document(r#"[{"slug":"admins","organization":{"login":"acme"}}]"#);
        let documents = [user.clone(), emails, organizations, teams];
        let read = github_user(&documents).expect("a user");
        assert_eq!(
            (&*read.id, &*read.login, &*read.email),
            ("1", "ada", "ada@a.example")
        );
        assert!(read.email_verified);
        assert_eq!(read.groups, ["acme", "acme/admins"]);
        // Anybody can show any address.
        let read = github_user(&[user, Value::Null]).expect("a user");
        assert_eq!(
            (&*read.email, read.email_verified),
            ("public@a.example", false)
        );
        assert!(github_user(&[document(r#"{"id":"1"}"#)]).is_none());
    }
}
