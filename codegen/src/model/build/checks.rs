//! Keywords that are checked on the value of a member, and are not part of its type.

use super::shape::types_of;
use super::{BuildError, Builder};
use crate::model::Check;
use serde_json::Value;

impl Builder<'_> {
    /// Returns what the value of a member must fulfil beyond its type. `default` is the name of the
    /// member's type.
    pub(super) fn checks(
        &mut self,
        default: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Vec<Check>, BuildError> {
        let mut checks = Vec::new();
        if types_of(schema) != ["array"] {
            return Ok(checks);
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            checks.push(Check::UniqueItems);
        }
        let least = schema.get("minContains").and_then(Value::as_u64);
        let least = least.unwrap_or(1);
        if let Some(contained) = schema.get("contains").filter(|_| least > 0) {
            let place = format!("{pointer}/contains");
            let ty = self.item(&format!("{default}Contained"), contained, &place)?;
            let ty = self.without_null(ty, &place);
            checks.push(Check::Contains { ty, least });
        }
        Ok(checks)
    }
}
