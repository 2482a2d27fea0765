//! `mcp skills`.

use mcp_client::Client;
use mcp_client::skills::{
    ListSkillsRequest, LoadedSkill, Skill, SkillError, SkillResources, SkillsHost,
};

use super::lists::{all, empty, object};
use crate::failure::Failure;
use crate::output::{Output, print_error};

/// Lists the skills, and verifies all of their files.
pub(crate) async fn skills(client: &Client, verify: bool, output: Output) -> Result<(), Failure> {
    // This command only prints and verifies skills, so it loads nested ones without asking.
    let host = client.skills("server").on_consent(|_| async { true });
    let list = match host.list() {
        Err(SkillError::NotAnnounced) => {
            return Err(Failure::Absent("the server offers no skills".to_owned()));
        }
        list => list?,
    };
    let (skills, mut end) = all(client, list, output.limit).await;
    if output.json {
        output.value(&object("skills", &skills))?;
    } else if end.is_ok() && skills.is_empty() {
        end = empty::<ListSkillsRequest>(client);
    }
    for skill in &skills {
        if !output.json {
            describe(skill, output)?;
        }
        if !verify || matches!(end, Err(ref error) if !matches!(error, Failure::Unverified)) {
            continue;
        }
        if skill.resources == SkillResources::Dynamic {
            print_error(&format!(
                "{}: the content is generated, so it cannot be verified",
                skill.uri
            ));
            end = Err(Failure::Unverified);
            continue;
        }
        match verified(&host, skill).await {
            Ok(verified) if output.json => drop(verified),
            Ok(verified) => output.indented(&verified)?,
            Err(SkillError::Call(error)) => return Err(error.into()),
            Err(error) => {
                print_error(&format!("{}: {error}", skill.uri));
                end = Err(Failure::Unverified);
            }
        }
    }
    end
}

fn describe(skill: &Skill, output: Output) -> Result<(), Failure> {
    output.line(&skill.uri)?;
    let bytes: u64 = skill.files().iter().map(|file| file.size).sum();
    let about = match &skill.resources {
        SkillResources::Files(files) => format!("{} files, {bytes} bytes", files.len()),
        SkillResources::Dynamic => "generated".to_owned(),
    };
    output.indented(&format!("{}, {about}", skill.name()))?;
    output.indented(skill.description())?;
    Ok(())
}

/// Loads a skill and reads all of its files. Returns what was verified.
async fn verified(host: &SkillsHost, skill: &Skill) -> Result<String, SkillError> {
    let loaded: LoadedSkill = host.load(skill).await?;
    let others = skill.files().iter().filter(|file| file.uri != skill.uri);
    for file in others {
        loaded.read(&file.uri).await?;
    }
    Ok("verified".to_owned())
}
