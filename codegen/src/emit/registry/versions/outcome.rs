//! Results with several outcomes, at every revision.

use super::super::super::object::field;
use super::super::super::table::Table;
use super::super::super::{Emitter, cfg};
use crate::model::{Kind, MessageKind, Ty};

/// The outcome that older revisions have as the only one.
pub(super) struct PlainOutcome {
    /// The variant of the result.
    pub(super) variant: String,
    /// The type of the variant.
    pub(super) result: String,
    /// The index of the first revision with several outcomes.
    pub(super) since: usize,
}

impl Emitter<'_> {
    /// Returns the variant of a result that older revisions use for the same request. An older
    /// revision may have a single outcome where a newer one has several.
    pub(super) fn plain_outcome(&self, at: usize, name: &str) -> Option<PlainOutcome> {
        let model = &self.family.models[at];
        let Kind::Union(union) = &model.get(name)?.kind else {
            return None;
        };
        let result = |message: &crate::model::Message| match &message.kind {
            MessageKind::Request(ty) => Some(ty.clone()),
            MessageKind::Notification => None,
        };
        let answers = |ty: &Ty| self.own_name(at, ty).as_deref() == Some(name);
        let request = model
            .messages
            .iter()
            .find(|message| result(message).is_some_and(|ty| answers(&ty)))?;
        let below = at.checked_sub(1)?;
        let older = &self.family.models[below];
        let before = older
            .messages
            .iter()
            .find(|message| message.name == request.name)?;
        let before = self.own_name(below, &result(before)?)?;
        if matches!(older.get(&before)?.kind, Kind::Union(_)) {
            let plain = self.plain_outcome(below, &before)?;
            let mut variants = union.variants.iter();
            let variant = variants.find(|variant| variant.ident == plain.variant)?;
            let result = self.own_name(at, &variant.ty)?;
            return Some(PlainOutcome { result, ..plain });
        }
        let above = self.above(below, &before)?;
        let mut variants = union.variants.iter();
        let variant = variants.find(|variant| variant.ty == Ty::Named(above.clone()))?;
        Some(PlainOutcome {
            variant: variant.ident.clone(),
            result: above,
            since: at,
        })
    }

    /// Generates the conversion of a result to the plain outcome.
    pub(super) fn completion(&self, at: usize, name: &str) -> String {
        let features = self.family.models[at].get(name).map(|def| &def.features);
        let own = self.path_of(at, name);
        let mut table = Table::new("outcome");
        table.condition(self.revision_cfg(at).as_ref());
        table.condition(features.and_then(|features| cfg(features)).as_ref());
        table.line(&match self.plain_outcome(at, name) {
            None => format!("{own}{}", self.completion_checks(at, name)),
            Some(plain) => {
                let complete = self.path_of(at, &plain.result);
                format!("{own}: {} => {complete}", plain.variant)
            }
        });
        table.finish()
    }

    /// Returns the conditions under which a result is complete: its open enumerations have the
    /// values that its constructor sets.
    fn completion_checks(&self, at: usize, name: &str) -> String {
        let model = &self.family.models[at];
        let members = match model.get(name).map(|def| &def.kind) {
            Some(Kind::Object(object)) => object.members.as_slice(),
            _ => &[],
        };
        let checks = members.iter().filter(|member| member.required);
        checks
            .filter_map(|member| {
                let default = self
                    .hints
                    .default_of(&model.revision, name, &member.json)?
                    .as_str()?;
                let Ty::Named(named) = model.resolve(&member.ty) else {
                    return None;
                };
                let kind = &model.get(named)?.kind;
                let field = field(member);
                matches!(kind, Kind::Enum(values) if values.open)
                    .then(|| format!(", {field} == {default:?}"))
            })
            .collect()
    }
}
