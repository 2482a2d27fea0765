//! The list of skills in pages.

use mcp_internal::skills::entry::Skill;
use mcp_internal::skills::messages::{ListSkillsParams, ListSkillsRequest};
use mcp_types::Cursor;

use crate::features::lists::Paged;

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
