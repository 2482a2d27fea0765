//! [`OutputSchemas`]: checks structured results against the output schemas of their tools.

mod validator;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::json::Map;
use mcp_types::{CallToolRequest, Request, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::error::{BrokenOutput, CallError, OutputError};
use crate::protocol::lenient;
use validator::Validator;

/// The number of schemas that are remembered.
const SCHEMAS: usize = 1_024;
/// The bytes of the schemas that are remembered.
const BYTES: usize = 4 << 20;

/// The output schemas of tools by name, as they were listed last.
#[derive(Default)]
pub(crate) struct OutputSchemas {
    table: Mutex<SchemaTable>,
}

#[derive(Default)]
struct SchemaTable {
    by_tool: HashMap<String, Schema>,
    /// Names by the number of their schema, so that the oldest is the first.
    order: BTreeMap<u64, String>,
    next: u64,
    bytes: usize,
}

struct Schema {
    text: Arc<RawValue>,
    number: u64,
    /// Made when it is needed for the first time.
    ready: Option<Ready>,
}

type Ready = Result<Arc<Validator>, OutputError>;

impl OutputSchemas {
    fn table(&self) -> MutexGuard<'_, SchemaTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the output schemas of the tools on a page.
    pub(crate) fn learn(&self, page: &str) {
        #[derive(Deserialize)]
        struct Page<'a> {
            #[serde(borrow)]
            tools: Vec<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Tool<'a> {
            name: String,
            #[serde(borrow, default, rename = "outputSchema")]
            output: Option<&'a RawValue>,
        }
        let Ok(page) = serde_json::from_str::<Page<'_>>(page) else {
            return;
        };
        let mut table = self.table();
        for tool in page.tools {
            // Malformed tools are reported when the page is decoded.
            if let Ok(Tool { name, output }) = serde_json::from_str(tool.get()) {
                table.set(name, output);
            }
        }
    }

    /// Forgets all schemas, because the list of tools has changed.
    pub(crate) fn forget(&self) {
        *self.table() = SchemaTable::default();
    }

    /// Checks the result of a call against the output schema of its tool.
    pub(crate) fn hold(
        &self,
        revision: Revision,
        params: &str,
        result: &str,
    ) -> Result<(), CallError> {
        #[derive(Deserialize)]
        struct Called {
            name: String,
        }
        if self.table().by_tool.is_empty() {
            return Ok(());
        }
        let method = CallToolRequest::METHOD;
        let Ok(Called { name: tool }) = serde_json::from_str(params) else {
            return Ok(());
        };
        let Err(error) = self.check(&tool, result) else {
            return Ok(());
        };
        let result = lenient::read(revision, method, result, Revision::decode);
        let result = result.map_err(|source| CallError::Answer { method, source })?;
        let source = Box::new(BrokenOutput {
            tool,
            error,
            result,
        });
        Err(CallError::Output { source })
    }

    /// Checks the structured content of a result. Tools without a known schema pass.
    fn check(&self, tool: &str, result: &str) -> Result<(), OutputError> {
        let Some((text, ready)) = self.table().get(tool) else {
            return Ok(());
        };
        let members: Map<&RawValue> = serde_json::from_str(result).unwrap_or_default();
        if members
            .get("isError")
            .is_some_and(|failed| failed.get() == "true")
        {
            return Ok(());
        }
        let content = members
            .get("structuredContent")
            .ok_or(OutputError::Missing)?;
        let ready = ready.unwrap_or_else(|| {
            let ready = Validator::new(&text).map(Arc::new);
            self.table().made(tool, &text, ready.clone());
            ready
        });
        ready?.check(content)
    }
}

/// Bytes of a schema and of its tool's name, which is there twice.
fn size(tool: &str, schema: &RawValue) -> usize {
    schema.get().len() + 2 * tool.len()
}

impl SchemaTable {
    fn get(&self, tool: &str) -> Option<(Arc<RawValue>, Option<Ready>)> {
        let schema = self.by_tool.get(tool)?;
        Some((Arc::clone(&schema.text), schema.ready.clone()))
    }

    fn set(&mut self, tool: String, schema: Option<&RawValue>) {
        let Some(schema) = schema else {
            return self.remove(&tool);
        };
        let before = self.by_tool.get(&tool);
        if before.is_some_and(|before| before.text.get() == schema.get()) {
            return;
        }
        self.remove(&tool);
        self.bytes += size(&tool, schema);
        let number = self.next;
        self.next += 1;
        self.order.insert(number, tool.clone());
        let schema = Schema {
            text: Arc::from(schema.to_owned()),
            number,
            ready: None,
        };
        self.by_tool.insert(tool, schema);
        while self.order.len() > SCHEMAS || self.bytes > BYTES {
            let Some((_, oldest)) = self.order.pop_first() else {
                return;
            };
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, tool: &str) {
        if let Some(schema) = self.by_tool.remove(tool) {
            self.bytes -= size(tool, &schema.text);
            self.order.remove(&schema.number);
        }
    }

    fn made(&mut self, tool: &str, text: &Arc<RawValue>, ready: Ready) {
        if let Some(schema) = self.by_tool.get_mut(tool)
            && Arc::ptr_eq(&schema.text, text)
        {
            schema.ready = Some(ready);
        }
    }
}
