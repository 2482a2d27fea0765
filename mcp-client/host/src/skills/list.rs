//! The list of skills in pages.

use mcp_client::Paged;
use mcp_extensions::skills::entry::Skill;
use mcp_extensions::skills::messages::{self, ListSkillsParams, ListSkillsResult};
use mcp_types::{Cursor, Request, Sender};

/// Requests the skills of a server, in pages.
#[derive(Clone, Copy, Debug)]
pub struct ListSkillsRequest;

impl Request for ListSkillsRequest {
    const METHOD: &'static str = messages::ListSkillsRequest::METHOD;
    const SENDER: Sender = messages::ListSkillsRequest::SENDER;
    type Params = ListSkillsParams;
    type Result = ListSkillsResult;
}

impl Paged for ListSkillsRequest {
    type Item = Skill;
    const ITEMS: &'static str = "skills";

    fn start_at(_: Self::Params, from: Cursor) -> Self::Params {
        ListSkillsParams::at(from)
    }

    fn split(page: Self::Result) -> (Vec<Skill>, Option<Cursor>) {
        (page.skills, page.next_cursor)
    }
}
