//! Merged structs: the members of all structs in a union, so that the union is decoded in one pass.

use super::object::field;
use super::table::{Table, inline};
use super::union::Way;
use super::{EmitError, Scope};
use crate::discriminate::{Candidate, Objects};
use crate::model::{Kind, Member, Model, Object, Ty, Union, type_ident};
use std::collections::BTreeSet;

/// The maximum number of members. A larger struct would cost more than it saves.
const MOST_MEMBERS: usize = 16;

/// The struct of a candidate, and how a value of it is stored in the union.
struct Row<'a> {
    ident: String,
    object: &'a Object,
    way: Way<'a>,
}

/// A member of the merged struct.
struct Merged<'a> {
    member: &'a Member,
    /// Whether its type differs between the candidates.
    differs: bool,
}

impl Merged<'_> {
    /// Returns the kind of the member, if it is not a constant.
    fn kind(&self) -> &'static str {
        if self.differs { "later" } else { "some" }
    }
}

impl Scope<'_> {
    /// Returns the name of the merged struct of a union, and its table. Returns `None` if the union has
    /// none: all members but one must have the same type wherever they are declared, and the conditions of
    /// each candidate must follow from its members.
    pub(super) fn merged(
        &self,
        union: &Union,
        objects: &Objects,
    ) -> Result<Option<(String, String)>, EmitError> {
        let Objects::Shape { candidates, .. } = objects else {
            return Ok(None);
        };
        let rows = candidates
            .iter()
            .map(|candidate| self.merged_row(union, candidate));
        let Some(rows) = rows.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let Some(members) = self.merged_members(&rows)? else {
            return Ok(None);
        };
        let ident = format!("{}Members", self.ident());
        let is_taken = |def: &crate::model::TypeDef| type_ident(&def.name) == ident;
        if rows.len() < 2 || self.model.types.iter().any(is_taken) {
            return Ok(None);
        }
        let table = self.merged_table(&ident, &members, &rows)?;
        Ok(Some((ident, table)))
    }

    /// Returns the struct of a candidate if it has no condition that its decoder does not check, and if it
    /// exists with any features.
    fn merged_row<'a>(&'a self, union: &'a Union, candidate: &'a Candidate) -> Option<Row<'a>> {
        let way = self.way(union, candidate);
        let Ty::Named(name) = &way.end().ty else {
            return None;
        };
        let def = self.model.get(name)?;
        let Kind::Object(object) = &def.kind else {
            return None;
        };
        let is_plain = object.open
            && candidate.when.is_empty()
            && candidate.consts.is_empty()
            && def.features.is_empty()
            && way.variants().all(|variant| variant.features.is_empty());
        is_plain.then(|| Row {
            ident: type_ident(name),
            object,
            way,
        })
    }

    /// Returns each member once, in the order in which they appear. Returns `None` if the types of several
    /// members differ between the candidates, or if a member contains a union: that may have a merged struct
    /// itself, and values in values would be decoded more than twice.
    fn merged_members<'a>(&self, rows: &[Row<'a>]) -> Result<Option<Vec<Merged<'a>>>, EmitError> {
        let mut members: Vec<Merged<'a>> = Vec::new();
        for row in rows {
            for member in &row.object.members {
                let mut known = members.iter_mut();
                if let Some(known) = known.find(|known| known.member.json == member.json) {
                    if known.member.ident != member.ident {
                        return Ok(None);
                    }
                    known.differs |= known.member.ty != member.ty;
                    continue;
                }
                let contains = |row: &Row<'_>| {
                    let mut members = row.object.members.iter();
                    members.any(|other| other.json == member.json)
                };
                if member.constant().is_some() && !rows.iter().all(contains) {
                    return Ok(None);
                }
                members.push(Merged {
                    member,
                    differs: false,
                });
            }
        }
        for member in rows.iter().flat_map(|row| &row.object.members) {
            let kind = self.kind(member)?;
            let is_simple = member.constant().is_some() || kind == "required" || kind == "optional";
            if !is_simple
                || member.is_boxed()
                || !member.features.is_empty()
                || contains_union(self.model, &member.ty, &mut BTreeSet::new())
            {
                return Ok(None);
            }
        }
        let is_wrong = |merged: &Merged<'_>| merged.differs && merged.member.constant().is_some();
        let is_small = members.len() <= MOST_MEMBERS
            && members.iter().filter(|merged| merged.differs).count() <= 1
            && !members.iter().any(is_wrong);
        Ok(is_small.then_some(members))
    }

    fn merged_table(
        &self,
        ident: &str,
        members: &[Merged<'_>],
        rows: &[Row<'_>],
    ) -> Result<String, EmitError> {
        let mut table = Table::new("codec::merged_codec");
        table.line(&format!("{ident}: {} = {:?};", self.ident(), self.def.name));
        for (at, merged) in members.iter().enumerate() {
            let member = merged.member;
            let json = &member.json;
            table.line(&if member.constant().is_some() {
                format!("{at} {json:?} {};", self.kind(member)?)
            } else {
                let ty = if merged.differs {
                    "codec::Later<'de>".to_owned()
                } else {
                    inline(&self.rust_type(&member.ty)?)
                };
                format!("{at} {json:?} {} {}: {ty};", merged.kind(), field(member))
            });
        }
        let kind = |name: &str| {
            let merged = members.iter().find(|merged| merged.member.json == name);
            merged.map_or("some", Merged::kind)
        };
        table.open("variants {");
        for row in rows {
            let fields = |required: bool| {
                let members = row.object.members.iter();
                let members =
                    members.filter(|it| it.constant().is_none() && it.required == required);
                let fields = members.map(|it| format!("{} {}", kind(&it.json), field(it)));
                let fields: Vec<String> = fields.collect();
                match fields.join(", ") {
                    none if none.is_empty() => "{}".to_owned(),
                    fields => format!("{{ {fields} }}"),
                }
            };
            table.line(&format!(
                "{} {} {} => {};",
                row.ident,
                fields(true),
                fields(false),
                row.way.steps()
            ));
        }
        table.close("}");
        Ok(table.finish())
    }
}

/// Returns `true` if a value of a type can contain a value of a union. `seen` are the types that were
/// looked at.
fn contains_union<'a>(model: &'a Model, ty: &'a Ty, seen: &mut BTreeSet<&'a str>) -> bool {
    let mut names = Vec::new();
    ty.walk(&mut |name| names.push(name));
    names.into_iter().any(|name| {
        if !seen.insert(name) {
            return false;
        }
        match model.get(name).map(|def| &def.kind) {
            Some(Kind::Union(_)) => true,
            Some(Kind::Object(object)) => {
                let mut members = object.members.iter();
                members.any(|member| contains_union(model, &member.ty, seen))
            }
            Some(Kind::Alias(target)) => contains_union(model, target, seen),
            _ => false,
        }
    })
}
