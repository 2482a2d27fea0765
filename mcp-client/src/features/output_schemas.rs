//! [`OutputSchemas`]: checks structured results against the output schemas of their tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_guard::schema_validator::{Invalid, Validator};
use mcp_types::error::DecodeError;
use mcp_types::json::{self, Value};
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{CallToolResult, Tool};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::protocol::error::{BrokenOutput, CallError, OutputError};

/// The maximum number of schemas.
const SCHEMAS: usize = 1_024;
/// The maximum size of one schema in bytes.
const SIZE: usize = 256 << 10;
/// The maximum size of the schemas and names in bytes.
const BYTES: usize = 4 << 20;
/// The maximum number of parts of all compiled schemas, which take some 600 bytes each. A pattern
/// counts as 2,000, and a single schema may have more.
const PARTS: usize = 200_000;

/// The output schemas of tools by name, as they were listed last.
///
/// A server chooses the schemas, so they are compiled on a blocking thread, one at a time. Results
/// that are not validated within about a millisecond are validated there, too.
pub(crate) struct OutputSchemas {
    table: Mutex<SchemaTable>,
    /// The permit to use a blocking thread.
    thread: Arc<Semaphore>,
}

#[derive(Default)]
struct SchemaTable {
    by_tool: HashMap<String, Schema>,
    /// Names by the number of their schema, so that the oldest is the first.
    order: BTreeMap<u64, String>,
    next: u64,
    bytes: usize,
    /// The parts of the compiled schemas.
    parts: usize,
}

struct Schema {
    text: Arc<RawValue>,
    number: u64,
    /// Absent until the first result is checked.
    compiled: Option<CompiledSchema>,
}

type CompiledSchema = Result<Arc<Validator>, OutputError>;

impl Default for OutputSchemas {
    fn default() -> Self {
        Self {
            table: Mutex::default(),
            thread: Arc::new(Semaphore::new(1)),
        }
    }
}

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

    /// Checks the result of a call against the output schema of its tool. Tools without a known
    /// schema pass.
    pub(crate) async fn check(&self, tool: &str, result: &CallToolResult) -> Result<(), CallError> {
        let Some((text, compiled)) = self.table().get(tool) else {
            return Ok(());
        };
        if result.has_failed() {
            return Ok(());
        }
        let checked = match (&result.structured_content, compiled) {
            (None, _) => Err(OutputError::Missing),
            (_, Some(Err(error))) => Err(error),
            (Some(content), Some(Ok(validator))) if validator.is_quick(content) => {
                validator.check(content).map_err(mismatch)
            }
            (Some(content), compiled) => {
                let validator = compiled.and_then(Result::ok);
                // Boxed to keep the future small.
                Box::pin(self.check_on_thread(tool, text, validator, content.clone())).await
            }
        };
        verdict(tool, checked, result)
    }

    /// Checks a value on a blocking thread. If the call is dropped meanwhile, the thread still ends
    /// in bounded time, and no other is used before.
    async fn check_on_thread(
        &self,
        tool: &str,
        text: Arc<RawValue>,
        validator: Option<Arc<Validator>>,
        content: Value,
    ) -> Result<(), OutputError> {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.thread).acquire_owned().await;
        let schema = Arc::clone(&text);
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let compiled = validator.map_or_else(|| compile(&schema).map(Arc::new), Ok);
            let checked = compiled
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|validator| validator.check(&content).map_err(mismatch));
            (compiled, checked)
        });
        match work.await {
            Ok((compiled, checked)) => {
                self.table().set_compiled(tool, &text, compiled);
                checked
            }
            Err(error) => Err(OutputError::Schema {
                reason: format!("the validation was interrupted: {error}"),
            }),
        }
    }
}

/// Returns the outcome of a check. A result that arrived is not rejected because the schema of its
/// tool is invalid, not supported, or too costly.
fn verdict(
    tool: &str,
    checked: Result<(), OutputError>,
    result: &CallToolResult,
) -> Result<(), CallError> {
    match checked {
        Ok(()) => Ok(()),
        Err(error @ OutputError::Schema { .. }) => {
            let (tool, error) = (PeerText(tool), PeerDisplay(error));
            tracing::warn!(%tool, %error, "the result of a tool is not checked");
            Ok(())
        }
        Err(error) => {
            let source = Box::new(BrokenOutput {
                tool: tool.to_owned(),
                error,
                result: result.clone(),
            });
            Err(CallError::Output { source })
        }
    }
}

/// Compiles a schema.
fn compile(text: &RawValue) -> Result<Validator, OutputError> {
    let unusable = |reason: String| OutputError::Schema { reason };
    if text.get().len() > SIZE {
        return Err(unusable(format!("it has more than {SIZE} bytes")));
    }
    let schema = serde_json::from_str(text.get()).map_err(|error| unusable(error.to_string()))?;
    Validator::new(&schema).map_err(|error| unusable(error.to_string()))
}

/// Returns the error for a value that does not match its schema.
fn mismatch(invalid: Invalid) -> OutputError {
    match invalid {
        Invalid::Costly => OutputError::Schema {
            reason: invalid.to_string(),
        },
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
    fn get(&self, tool: &str) -> Option<(Arc<RawValue>, Option<CompiledSchema>)> {
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
            self.parts -= parts(schema.compiled.as_ref());
            self.order.remove(&schema.number);
        }
    }

    /// Stores the compiled schema, unless the tool has another schema by now. If the compiled
    /// schemas become too large, all others are compiled again when they are used.
    fn set_compiled(&mut self, tool: &str, text: &Arc<RawValue>, compiled: CompiledSchema) {
        let compiled = Some(compiled);
        if self.parts + parts(compiled.as_ref()) > PARTS {
            for schema in self.by_tool.values_mut() {
                schema.compiled = None;
            }
            self.parts = 0;
        }
        if let Some(schema) = self.by_tool.get_mut(tool)
            && Arc::ptr_eq(&schema.text, text)
        {
            self.parts += parts(compiled.as_ref());
            self.parts -= parts(std::mem::replace(&mut schema.compiled, compiled).as_ref());
        }
    }
}

/// Returns the number of parts of a compiled schema.
fn parts(compiled: Option<&CompiledSchema>) -> usize {
    match compiled {
        Some(Ok(validator)) => validator.parts(),
        _ => 0,
    }
}
