//! [`ToolDef`] as an item of the list of tools.

use mcp_types::{Cursor, ListToolsResult, Tool};

use super::ToolDef;
use crate::features::access::Access;
use crate::features::catalog::{CacheHints, Definition, ListItem};
use crate::features::definition_error::{DefinitionError, check_icons, check_name};
use crate::features::tools::hosts;
use crate::protocol::changes::Change;

impl Definition for ToolDef {
    const KIND: &'static str = "tool";

    fn key(&self) -> &str {
        &self.tool.name
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        check_icons(self.tool.icons.as_ref())?;
        self.complete()
    }

    fn set_extra_arguments_default(&mut self, ignore: bool) {
        self.extra_arguments.of_server = Some(ignore);
    }

    fn check_name(&self) -> Result<(), DefinitionError> {
        check_name(&self.tool.name)
    }

    fn warn(&self) {
        hosts::warn(&self.tool);
    }

    fn prefix(&mut self, prefix: &str) {
        self.tool.name.insert_str(0, prefix);
    }

    fn change() -> Change {
        Change::Tools
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn access_mut(&mut self) -> &mut Access {
        &mut self.access
    }
}

impl ListItem for ToolDef {
    type Item = Tool;
    type Page = ListToolsResult;

    fn item(&self) -> Tool {
        self.tool.clone()
    }

    fn page(items: Vec<Tool>, hints: &CacheHints, next: Option<Cursor>) -> ListToolsResult {
        let mut page = ListToolsResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}
