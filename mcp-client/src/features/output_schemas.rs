//! [`OutputSchemas`]: checks structured results against the output schemas of their tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::error::DecodeError;
use mcp_types::json;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::schema_cost::CostError;
use mcp_types::schema_validator::{Invalid, SchemaError, Validator};
use mcp_types::{CallToolResult, Tool};
use serde_json::value::RawValue;

use crate::protocol::error::{BrokenOutput, CallError, OutputError};

/// The maximum number of schemas.
const SCHEMAS: usize = 1_024;
/// The maximum size of one schema in bytes.
const SIZE: usize = 256 << 10;
/// The maximum size of the schemas and names in bytes.
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
    /// Absent until the first result is checked.
    compiled: Option<Compiled>,
}

type Compiled = Result<Arc<Validator>, OutputError>;

impl OutputSchemas {
    fn table(&self) -> MutexGuard<'_, SchemaTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the output schemas of listed tools.
    pub(crate) fn learn(&self, tools: &[Tool]) {
        let mut table = self.table();
        for tool in tools {
            let schema = tool.output_schema.as_ref();
            // A decoded schema can always be encoded.
            table.set(
                &tool.name,
                schema.and_then(|schema| json::to_raw(schema).ok()),
            );
        }
    }

    /// Returns `true` if no schema is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.table().by_tool.is_empty()
    }

    /// Drops all schemas, because the list of tools has changed.
    pub(crate) fn clear(&self) {
        *self.table() = SchemaTable::default();
    }

    /// Checks the result of a call against the output schema of its tool. A result that arrived is not
    /// rejected because the schema is invalid or not supported.
    pub(crate) fn check(&self, tool: &str, result: &CallToolResult) -> Result<(), CallError> {
        let error = match self.check_content(tool, result) {
            Ok(()) => return Ok(()),
            Err(error @ OutputError::Schema { .. }) => {
                let (tool, error) = (PeerText(tool), PeerDisplay(error));
                tracing::warn!(%tool, %error, "the result of a tool is not checked");
                return Ok(());
            }
            Err(error) => error,
        };
        let source = Box::new(BrokenOutput {
            tool: tool.to_owned(),
            error,
            result: result.clone(),
        });
        Err(CallError::Output { source })
    }

    /// Checks the structured content of a result. Tools without a known schema pass.
    fn check_content(&self, tool: &str, result: &CallToolResult) -> Result<(), OutputError> {
        let Some((text, compiled)) = self.table().get(tool) else {
            return Ok(());
        };
        if result.has_failed() {
            return Ok(());
        }
        let content = result.structured_content.as_ref();
        let content = content.ok_or(OutputError::Missing)?;
        let validator = compiled.unwrap_or_else(|| {
            let compiled = compile(&text).map(Arc::new);
            self.table().set_compiled(tool, &text, compiled.clone());
            compiled
        });
        validator?.check(content).map_err(mismatch)
    }
}

/// Compiles a schema.
fn compile(text: &RawValue) -> Result<Validator, OutputError> {
    let unusable = |reason: String| OutputError::Schema { reason };
    if text.get().len() > SIZE {
        return Err(unusable(format!("it has more than {SIZE} bytes")));
    }
    let schema = serde_json::from_str(text.get()).map_err(|error| unusable(error.to_string()))?;
    Validator::new(&schema).map_err(|error| match error {
        SchemaError::Cost(CostError::Costly(_)) => OutputError::Costly,
        SchemaError::Invalid(fault) => unusable(
            DecodeError::data(fault.text)
                .with_path(fault.path)
                .to_string(),
        ),
        error => unusable(error.to_string()),
    })
}

/// Returns the error for a value that does not match its schema.
fn mismatch(invalid: Invalid) -> OutputError {
    match invalid {
        Invalid::Costly => OutputError::Costly,
        Invalid::Unexplained => OutputError::Mismatch { faults: Vec::new() },
        Invalid::Faults { faults, .. } => OutputError::Mismatch {
            faults: faults
                .into_iter()
                .map(|fault| DecodeError::data(fault.text).with_path(fault.path))
                .collect(),
        },
    }
}

/// Returns the bytes of a schema and of the name of its tool, which the table holds twice.
fn size(tool: &str, schema: &RawValue) -> usize {
    schema.get().len() + 2 * tool.len()
}

impl SchemaTable {
    fn get(&self, tool: &str) -> Option<(Arc<RawValue>, Option<Compiled>)> {
        let schema = self.by_tool.get(tool)?;
        Some((Arc::clone(&schema.text), schema.compiled.clone()))
    }

    fn set(&mut self, tool: &str, schema: Option<Box<RawValue>>) {
        let Some(schema) = schema else {
            return self.remove(tool);
        };
        let before = self.by_tool.get(tool);
        if before.is_some_and(|before| before.text.get() == schema.get()) {
            return;
        }
        self.remove(tool);
        self.bytes += size(tool, &schema);
        let number = self.next;
        self.next += 1;
        self.order.insert(number, tool.to_owned());
        let schema = Schema {
            text: Arc::from(schema),
            number,
            compiled: None,
        };
        self.by_tool.insert(tool.to_owned(), schema);
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

    /// Stores the compiled schema, unless the tool has another schema by now.
    fn set_compiled(&mut self, tool: &str, text: &Arc<RawValue>, compiled: Compiled) {
        if let Some(schema) = self.by_tool.get_mut(tool)
            && Arc::ptr_eq(&schema.text, text)
        {
            schema.compiled = Some(compiled);
        }
    }
}
