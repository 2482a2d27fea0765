//! `mcp skills`.

use mcp_client::{CallError, Client};
use mcp_host::skills::{
    ListSkillsRequest, LoadedSkill, Skill, SkillError, SkillResource, SkillsHost,
};

use super::lists::{all_and_left_out, empty, object};
use crate::failure::Failure;
use crate::output::{Output, print_error};

/// Lists the skills, and verifies all of their files.
pub(crate) async fn skills(client: &Client, verify: bool, output: Output) -> Result<(), Failure> {
    // This command only prints and verifies skills, so it loads nested ones without asking.
    let host = SkillsHost::new(client, "server").on_consent(|_| async { true });
    let list = match host.list() {
        Err(SkillError::NotAnnounced) => {
            return Err(Failure::Absent("the server offers no skills".to_owned()));
        }
        list => list?,
    };
    let (skills, left_out, mut end) = all_and_left_out(client, list, output.limit).await;
    if end.is_ok() && left_out > 0 && verify {
        end = Err(Failure::Unverified);
    }
    if output.json {
        output.value(&object("skills", &skills))?;
    } else if end.is_ok() && skills.is_empty() && left_out == 0 {
        end = empty::<ListSkillsRequest>(client);
    }
    for skill in &skills {
        if !output.json {
            describe(skill, output)?;
        }
        if !verify || matches!(end, Err(ref error) if !matches!(error, Failure::Unverified)) {
            continue;
        }
        if skill.is_dynamic() {
            print_error(&format!(
                "{}: the content is generated, so it cannot be verified",
                skill.uri
            ));
            end = Err(Failure::Unverified);
            continue;
        }
        let faults = faults(&host, skill).await?;
        if faults.is_empty() && !output.json {
            output.indented("verified")?;
        }
        for fault in faults {
            print_error(&format!("the skill `{}`: {fault}", skill.uri));
            end = Err(Failure::Unverified);
        }
    }
    end
}

fn describe(skill: &Skill, output: Output) -> Result<(), Failure> {
    output.line(&skill.uri)?;
    let files = skill.files();
    let sizes = files.iter().map(SkillResource::byte_count);
    let about = if skill.is_dynamic() {
        "generated".to_owned()
    } else {
        let bytes = sizes.fold(0, u64::saturating_add);
        format!("{} files, {bytes} bytes", files.len())
    };
    output.indented(&format!("{}, {about}", skill.name()))?;
    output.indented(skill.description())?;
    Ok(())
}

/// Loads a skill and reads all of its files. Returns what is not as the server lists it.
///
/// # Errors
///
/// Those of the connection. If the server refuses a file, the others are read nevertheless.
async fn faults(host: &SkillsHost, skill: &Skill) -> Result<Vec<String>, Failure> {
    let loaded: LoadedSkill = match host.load(skill).await {
        Ok(loaded) => loaded,
        Err(error) => return Ok(vec![fault(&skill.uri, error)?]),
    };
    let mut faults = Vec::new();
    for file in skill.files().iter().filter(|file| file.uri != skill.uri) {
        if let Err(error) = loaded.read(&file.uri).await {
            faults.push(fault(&file.uri, error)?);
        }
    }
    Ok(faults)
}

/// Describes why a file cannot be verified.
fn fault(uri: &str, error: SkillError) -> Result<String, Failure> {
    match error {
        SkillError::Call(error @ CallError::Refused { .. }) => {
            Ok(format!("the file `{uri}` cannot be read: {error}"))
        }
        SkillError::Call(error) => {
            print_error(&format!("the file `{uri}` cannot be read"));
            Err(error.into())
        }
        error => Ok(error.to_string()),
    }
}
