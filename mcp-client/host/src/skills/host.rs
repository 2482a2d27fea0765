//! [`SkillsHost`]: finds and loads the skills of a server.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_extensions::skills::IDENTIFIER;
use mcp_extensions::skills::entry::SkillRules;
use mcp_types::{GetSkillRequest, GetSkillRequestParams, ListSkillsRequestParams, Skill};

use super::consent::{ConsentRequest, Consents};
use super::error::SkillError;
use super::id::SkillId;
use super::list::ListSkillsRequest;
use super::loaded::LoadedSkill;
use mcp_client::Client;
use mcp_client::ClientExtension;
use mcp_client::List;

/// Finds and loads the skills of a server, as a host. Cheap to clone.
///
/// * Nothing is read before it is needed: listing reads no file, loading reads `SKILL.md`, and each
///   other file is read when it is asked for. Only listed files are read.
/// * Every file is compared with the listed size and digest, and the frontmatter in `SKILL.md` with
///   the listed one. Nothing of a file is returned before. This shows that the server is consistent,
///   and not that its skills are harmless: show users which server a skill is from, ignore fields
///   that grant permissions, such as `allowed-tools`, and run nothing without their consent.
/// * A skill is known by its [`SkillId`]: names and URIs are not unique among servers.
#[derive(Clone)]
pub struct SkillsHost {
    client: Client,
    server: Arc<str>,
    ask: Option<Arc<AskConsent>>,
    dynamic: bool,
    consents: Arc<Consents>,
}

type AskConsent =
    dyn Fn(ConsentRequest) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

impl SkillsHost {
    /// Creates the host of the skills of a server. `server` is the host's own label of the server,
    /// which is part of the identity of its skills. Do not use the name by which the server
    /// introduces itself.
    #[must_use]
    pub fn new(client: &Client, server: impl Into<String>) -> Self {
        let server: String = server.into();
        Self {
            client: client.clone(),
            server: server.into(),
            ask: None,
            dynamic: false,
            consents: Arc::default(),
        }
    }

    /// Returns the extension, for [`ClientBuilder::extension`](mcp_client::ClientBuilder::extension). Some
    /// servers offer skills only to clients that announce it.
    pub fn extension() -> ClientExtension {
        ClientExtension::new(IDENTIFIER)
    }

    /// Asks for consent with a function before a skill is loaded: once for each skill and each
    /// version of its files. A skill within the folder of a loaded one needs a consent of its own.
    ///
    /// Without this, the program is expected to have asked before it calls [`load`](Self::load).
    /// Skills within the folder of a loaded skill are then not loaded.
    #[must_use]
    pub fn on_consent<F>(
        mut self,
        ask: impl Fn(ConsentRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.ask = Some(Arc::new(move |request| Box::pin(ask(request))));
        self
    }

    /// Sets whether skills are loaded whose content the server generates (`"dynamic"`): not by
    /// default. Only their frontmatter is verified, any file in their folder may be read, up to
    /// [`MAX_BYTES`](super::MAX_BYTES) in total, and each time they are loaded needs a new consent.
    #[must_use]
    pub fn allow_dynamic(mut self, allow: bool) -> Self {
        self.dynamic = allow;
        self
    }

    /// Returns the identity of a skill.
    #[must_use]
    pub fn id(&self, skill: &Skill) -> SkillId {
        self.id_of(skill.uri.clone())
    }

    fn id_of(&self, uri: String) -> SkillId {
        let server = self.server.to_string();
        SkillId { server, uri }
    }

    /// Lists the skills, page by page. A server may have skills that it does not list.
    ///
    /// # Errors
    ///
    /// [`SkillError::NotAnnounced`]. Errors of requests are elements of the list.
    pub fn list(&self) -> Result<List<ListSkillsRequest>, SkillError> {
        self.check_announced()?;
        let params = ListSkillsRequestParams::new();
        Ok(self.client.request::<ListSkillsRequest>(params).list())
    }

    /// Requests the description of a skill by its URI, whether it is listed or not.
    ///
    /// # Errors
    ///
    /// See [`SkillError`].
    pub async fn get(&self, uri: impl Into<String>) -> Result<Skill, SkillError> {
        self.check_announced()?;
        let params = GetSkillRequestParams::new(uri);
        let uri = params.uri.clone();
        let call = self.client.request::<GetSkillRequest>(params);
        let skill = call.await?.skill;
        if !mcp_types::uri::is_equivalent(&skill.uri, &uri) {
            return Err(SkillError::OtherSkill { uri });
        }
        check_entry(&skill)?;
        Ok(skill)
    }

    /// Loads a skill: checks its description, asks for [consent](Self::on_consent), reads `SKILL.md`
    /// and verifies it.
    ///
    /// # Errors
    ///
    /// See [`SkillError`].
    pub async fn load(&self, skill: &Skill) -> Result<LoadedSkill, SkillError> {
        self.check_announced()?;
        check_entry(skill)?;
        if skill.is_dynamic() && !self.dynamic {
            let uri = skill.uri.clone();
            return Err(SkillError::Dynamic { uri });
        }
        let is_new = self.check_consent(skill).await?;
        let loaded = LoadedSkill::load(self.client.clone(), self.id(skill), skill.clone()).await?;
        // Not before: the user has agreed to a description that may have turned out to be false.
        if is_new {
            self.consents.agree(skill);
        }
        self.consents.set_loaded(skill);
        Ok(loaded)
    }

    /// Returns `true` if the user was asked and has agreed.
    async fn check_consent(&self, skill: &Skill) -> Result<bool, SkillError> {
        let enclosing = self.consents.enclosing(skill);
        let (agreed, has_changed) = self.consents.find(skill);
        let consent = match &self.ask {
            _ if agreed => true,
            None => enclosing.is_none(),
            Some(ask) => {
                let request = ConsentRequest {
                    id: self.id(skill),
                    skill: skill.clone(),
                    enclosing: enclosing.map(|uri| self.id_of(uri)),
                    has_changed,
                };
                ask(request).await
            }
        };
        if consent {
            Ok(!agreed && self.ask.is_some())
        } else {
            let id = self.id(skill);
            Err(SkillError::NoConsent { id })
        }
    }

    fn check_announced(&self) -> Result<(), SkillError> {
        let extensions = self.client.server_capabilities().extensions;
        let announced = extensions.is_some_and(|extensions| extensions.contains_key(IDENTIFIER));
        announced.then_some(()).ok_or(SkillError::NotAnnounced)
    }
}

fn check_entry(skill: &Skill) -> Result<(), SkillError> {
    skill.check().map_err(|source| {
        let uri = skill.uri.clone();
        SkillError::Entry { uri, source }
    })
}

impl fmt::Debug for SkillsHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillsHost")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
