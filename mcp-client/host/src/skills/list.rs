//! The list of skills in pages.

use mcp_client::Paged;
use mcp_types::{Cursor, ListSkillsRequestParams, ListSkillsResult, Request, Sender, Skill};

/// Requests the skills of a server, in pages.
#[derive(Clone, Copy, Debug)]
pub struct ListSkillsRequest;

impl Request for ListSkillsRequest {
    const METHOD: &'static str = mcp_types::ListSkillsRequest::METHOD;
    const SENDER: Sender = mcp_types::ListSkillsRequest::SENDER;
    type Params = ListSkillsRequestParams;
    type Result = ListSkillsResult;
}

impl Paged for ListSkillsRequest {
    type Item = Skill;
    const ITEMS: &'static str = "skills";

    fn start_at(_: Self::Params, from: Cursor) -> Self::Params {
        ListSkillsRequestParams::new().cursor(from)
    }

    fn split(page: Self::Result) -> (Vec<Skill>, Option<Cursor>) {
        (page.skills, page.next_cursor)
    }
}
