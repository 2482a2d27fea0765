//! The skill of the example `everything` of `mcp-server`, served by others.

use mcp_client::CallError;
use mcp_host::skills::{SkillError, SkillsHost};

use crate::checks::{Checks, check, expect};
use crate::peer::{Peer, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("a list of skills", list),
        check("a skill by its URI", by_uri),
        check("frontmatter, and size and digest of each file", load),
        check("a skill that does not exist", unknown),
    ]
}

const SKILL: &str = "skill://pdf-forms/SKILL.md";

fn host(peer: &Peer) -> SkillsHost {
    SkillsHost::new(&peer.client, "peer")
}

async fn list(peer: &Peer) -> Result<()> {
    let skills = host(peer).list()?.all().await?;
    let uris: Vec<_> = skills.items.iter().map(|skill| &*skill.uri).collect();
    expect(uris == [SKILL] && skills.faults.is_empty(), &skills)
}

async fn by_uri(peer: &Peer) -> Result<()> {
    let skill = host(peer).get(SKILL).await?;
    expect(skill.name() == "pdf-forms", skill)
}

async fn load(peer: &Peer) -> Result<()> {
    let host = host(peer);
    let skill = host.get(SKILL).await?;
    let loaded = host.load(&skill).await?;
    expect(loaded.text().contains("# Forms"), loaded.text())?;
    let file = loaded.read("references/FIELDS.md").await?;
    expect(file.starts_with(b"# "), file)
}

async fn unknown(peer: &Peer) -> Result<()> {
    match host(peer).get("skill://unknown/SKILL.md").await {
        Err(SkillError::Call(CallError::Refused { source, .. })) => {
            expect(source.code == -32602, source)
        }
        other => expect(false, other),
    }
}
