//! The examples of the documentation: ours, and those drawn from the schema.

use super::{Project, Report};
use crate::emit::{Example, Examples};
use crate::model::{self, Family, Ty, is_valid};

impl Project {
    /// Returns the examples by revision and type. Messages of the draft need no examples.
    ///
    /// A key `Type` applies to the newest revision that has the type, and `<revision>/Type` to a
    /// revision. Each message of the newest revision has an example: if ours is missing or not
    /// valid any more, it is drawn from the schema.
    pub(super) fn examples(&self, family: &Family, report: &mut Report) -> Examples {
        let mut examples = Examples::new();
        for (key, value) in &self.examples {
            let draft = family.draft().map(|at| &family.models[at]);
            let mut newest_first = family.revisions().iter().rev().chain(draft);
            let found = match key.split_once('/') {
                None => newest_first
                    .find(|model| model.get(key).is_some())
                    .map(|model| (model, key.as_str())),
                Some((revision, name)) => newest_first
                    .find(|model| model.revision == revision && model.get(name).is_some())
                    .map(|model| (model, name)),
            };
            let Some((model, name)) = found else {
                report.unused_examples.push(key.clone());
                continue;
            };
            if is_valid(model, &Ty::Named(name.to_owned()), value) {
                let place = (model.revision.clone(), name.to_owned());
                let own = key.contains('/');
                let example = Example {
                    value: value.clone(),
                    drawn: false,
                };
                if own || !examples.contains_key(&place) {
                    examples.insert(place, example);
                }
            } else {
                report.drawn_examples.push(key.clone());
            }
        }
        let Some(newest) = family.models.get(family.newest()) else {
            return examples;
        };
        for message in &newest.messages {
            let place = (newest.revision.clone(), message.name.clone());
            if examples.contains_key(&place) {
                continue;
            }
            if !report.drawn_examples.contains(&message.name) {
                report.drawn_examples.push(message.name.clone());
            }
            if let Some(value) = model::example(newest, &self.hints, &message.name) {
                let drawn = true;
                examples.insert(place, Example { value, drawn });
            }
        }
        self.add_params(family, &mut examples);
        examples
    }

    /// Adds the examples of params that the examples of their messages contain.
    fn add_params(&self, family: &Family, examples: &mut Examples) {
        for model in family.revisions() {
            for message in &model.messages {
                let place = |name: &str| (model.revision.clone(), name.to_owned());
                let (Some((ty @ Ty::Named(params), _)), Some(example)) =
                    (&message.params, examples.get(&place(&message.name)))
                else {
                    continue;
                };
                let drawn = example.drawn;
                let value = example.value.get(&self.hints.messages.params).cloned();
                let Some(value) = value.filter(|value| is_valid(model, ty, value)) else {
                    continue;
                };
                let example = Example { value, drawn };
                examples.entry(place(params)).or_insert(example);
            }
        }
    }
}
