//! Turns the syntax tree of a TypeScript module into its [`Module`].

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use serde_json::{Number, Value};

use super::Warning;
use super::model::{Declaration, Member, Module, Object, Tags, Type};

/// Reads a module. Syntax errors and everything that is not supported become warnings.
pub(super) fn read(source: &str) -> (Module, Vec<Warning>) {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::ts()).parse();
    let mut reader = Reader {
        source,
        comments: comments(source, &parsed.program.comments),
        module: Module::default(),
        warnings: Vec::new(),
    };
    for error in &parsed.errors {
        let label = error.labels.iter().flatten().next();
        let Some(label) = label else {
            reader.warn(None, &error.message);
            continue;
        };
        reader.warn(Some(label.offset()), &error.message);
    }
    for statement in &parsed.program.body {
        reader.statement(statement);
    }
    if reader.module.declarations.is_empty() && reader.module.constants.is_empty() {
        reader.warn(None, "the source declares no type and no constant");
    }
    (reader.module, reader.warnings)
}

/// Returns the tags of the documentation comments, by the position of what follows the comment.
fn comments(source: &str, comments: &[ast::Comment]) -> BTreeMap<u32, Tags> {
    let jsdoc = comments.iter().filter(|comment| comment.is_jsdoc());
    let tags = jsdoc.filter_map(|comment| {
        let span = comment.content_span();
        let text = source.get(span.start as usize..span.end as usize)?;
        Some((comment.attached_to, tags(text)))
    });
    tags.collect()
}

/// Returns the tags in the text of a documentation comment.
fn tags(text: &str) -> Tags {
    let mut tags = Tags::default();
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
        let (tag, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match tag {
            "@deprecated" => tags.deprecated = true,
            "@category" => tags.category = Some(category(rest)),
            _ => {}
        }
    }
    tags
}

/// Returns the name of a category without the quotes of Markdown.
fn category(text: &str) -> String {
    text.trim()
        .trim_end_matches('*')
        .replace('`', "")
        .trim()
        .to_owned()
}

struct Reader<'s> {
    source: &'s str,
    comments: BTreeMap<u32, Tags>,
    module: Module,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn statement(&mut self, statement: &ast::Statement<'_>) {
        match statement {
            ast::Statement::ExportNamedDeclaration(export) => match &export.declaration {
                Some(declaration) => self.declaration(declaration, export.span.start),
                None => self.unsupported(export.span, "an export without a declaration"),
            },
            ast::Statement::EmptyStatement(_) => {}
            // What is not exported may still be extended.
            other => match other.as_declaration() {
                Some(declaration) => self.declaration(declaration, other.span().start),
                None => self.unsupported(other.span(), "a statement that declares no type"),
            },
        }
    }

    fn declaration(&mut self, declaration: &ast::Declaration<'_>, start: u32) {
        let tags = self.comments.get(&start).cloned().unwrap_or_default();
        let (name, parameters, body) = match declaration {
            ast::Declaration::TSInterfaceDeclaration(interface) => {
                let mut object = self.object(&interface.body.body);
                for base in &interface.extends {
                    let base = self.base(base);
                    object.extends.push(base);
                }
                let name = interface.id.name.as_str();
                (name, &interface.type_parameters, Type::Object(object))
            }
            ast::Declaration::TSTypeAliasDeclaration(alias) => {
                let body = self.of(&alias.type_annotation);
                (alias.id.name.as_str(), &alias.type_parameters, body)
            }
            ast::Declaration::VariableDeclaration(variables) => {
                return self.constants(variables);
            }
            other => return self.unsupported(other.span(), "a declaration of no type"),
        };
        if let Some(parameters) = parameters {
            self.unsupported(parameters.span, "a type with parameters");
        }
        let body = Declaration { tags, body };
        let known = self.module.declarations.insert(name.to_owned(), body);
        if known.is_some() {
            let message = format!("`{name}` is declared twice");
            self.warn(Some(start as usize), &message);
        }
    }

    fn constants(&mut self, variables: &ast::VariableDeclaration<'_>) {
        for variable in &variables.declarations {
            let name = variable.id.get_identifier_name();
            let value = variable.init.as_ref().and_then(constant);
            match (name, value) {
                (Some(name), Some(value)) => {
                    self.module.constants.insert(name.to_string(), value);
                }
                _ => self.unsupported(variable.span, "a constant that is no number or string"),
            }
        }
    }

    fn base(&mut self, base: &ast::TSInterfaceHeritage<'_>) -> Type {
        let arguments = self.arguments(base.type_arguments.as_deref());
        if let ast::Expression::Identifier(name) = &base.expression {
            return Type::Named(name.name.to_string(), arguments);
        }
        self.unsupported_type(base.span, "a base that is no name")
    }

    fn arguments(
        &mut self,
        arguments: Option<&ast::TSTypeParameterInstantiation<'_>>,
    ) -> Vec<Type> {
        let arguments = arguments.into_iter().flat_map(|list| &list.params);
        arguments.map(|argument| self.of(argument)).collect()
    }

    fn of(&mut self, of: &ast::TSType<'_>) -> Type {
        match of {
            ast::TSType::TSStringKeyword(_) => Type::String,
            ast::TSType::TSNumberKeyword(_) => Type::Number,
            ast::TSType::TSBooleanKeyword(_) => Type::Boolean,
            ast::TSType::TSNullKeyword(_) => Type::Null,
            ast::TSType::TSUnknownKeyword(_)
            | ast::TSType::TSAnyKeyword(_)
            | ast::TSType::TSObjectKeyword(_) => Type::Any,
            ast::TSType::TSParenthesizedType(inner) => self.of(&inner.type_annotation),
            ast::TSType::TSArrayType(array) => Type::Array(Box::new(self.of(&array.element_type))),
            ast::TSType::TSUnionType(union) => {
                Type::Union(union.types.iter().map(|one| self.of(one)).collect())
            }
            ast::TSType::TSIntersectionType(all) => {
                Type::Intersection(all.types.iter().map(|one| self.of(one)).collect())
            }
            ast::TSType::TSTypeLiteral(literal) => Type::Object(self.object(&literal.members)),
            ast::TSType::TSTypeReference(reference) => {
                let arguments = self.arguments(reference.type_arguments.as_deref());
                match (&reference.type_name, arguments.as_slice()) {
                    (ast::TSTypeName::IdentifierReference(name), [element])
                        if ["Array", "ReadonlyArray"].contains(&name.name.as_str()) =>
                    {
                        Type::Array(Box::new(element.clone()))
                    }
                    (ast::TSTypeName::IdentifierReference(name), _) => {
                        Type::Named(name.name.to_string(), arguments)
                    }
                    _ => self.unsupported_type(reference.span, "a name with dots"),
                }
            }
            ast::TSType::TSTypeQuery(query) => match &query.expr_name {
                ast::TSTypeQueryExprName::IdentifierReference(name) => {
                    Type::Constant(name.name.to_string())
                }
                _ => self.unsupported_type(query.span, "`typeof` of something without a name"),
            },
            ast::TSType::TSLiteralType(literal) => {
                let value = match &literal.literal {
                    ast::TSLiteral::StringLiteral(text) => Some(text.value.as_str().into()),
                    ast::TSLiteral::BooleanLiteral(truth) => Some(truth.value.into()),
                    ast::TSLiteral::NumericLiteral(of) => number(of.value),
                    ast::TSLiteral::UnaryExpression(of) => negative(of),
                    _ => None,
                };
                match value {
                    Some(value) => Type::Literal(value),
                    None => self.unsupported_type(literal.span, "this literal"),
                }
            }
            other => self.unsupported_type(other.span(), "this type"),
        }
    }

    fn object(&mut self, members: &[ast::TSSignature<'_>]) -> Object {
        let mut object = Object::default();
        for member in members {
            match member {
                ast::TSSignature::TSPropertySignature(property) => {
                    let Some(name) = property.key.static_name() else {
                        self.unsupported(property.span, "a computed name of a member");
                        continue;
                    };
                    let of = match &property.type_annotation {
                        Some(annotation) => self.of(&annotation.type_annotation),
                        None => Type::Any,
                    };
                    let tags = self.comments.get(&property.span.start);
                    let tags = tags.cloned().unwrap_or_default();
                    let name = name.into_owned();
                    object.members.push(Member { name, tags, of });
                }
                ast::TSSignature::TSIndexSignature(index) => {
                    let of = self.of(&index.type_annotation.type_annotation);
                    object.index = Some(Box::new(of));
                }
                other => self.unsupported(other.span(), "a member that is a function"),
            }
        }
        object
    }

    fn unsupported_type(&mut self, span: Span, what: &str) -> Type {
        self.unsupported(span, what);
        Type::Unsupported
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.warn(
            Some(span.start as usize),
            &format!("{what} is not supported and left out"),
        );
    }

    fn warn(&mut self, offset: Option<usize>, message: &str) {
        let before = offset.and_then(|offset| self.source.get(..offset));
        let position = before.map(|before| {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            (line, column)
        });
        self.warnings.push(Warning {
            position,
            message: message.to_owned(),
        });
    }
}

/// Returns the value of a constant.
fn constant(expression: &ast::Expression<'_>) -> Option<Value> {
    match expression {
        ast::Expression::StringLiteral(text) => Some(text.value.as_str().into()),
        ast::Expression::NumericLiteral(of) => number(of.value),
        ast::Expression::UnaryExpression(of) => negative(of),
        // `"2.0" as const`
        ast::Expression::TSAsExpression(inner) => constant(&inner.expression),
        _ => None,
    }
}

fn negative(of: &ast::UnaryExpression<'_>) -> Option<Value> {
    match (of.operator.as_str(), &of.argument) {
        ("-", ast::Expression::NumericLiteral(of)) => number(-of.value),
        _ => None,
    }
}

/// Returns a number, without a fraction if it has none.
fn number(value: f64) -> Option<Value> {
    let text = value.to_string();
    let whole = text.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| Number::from_f64(value)).map(Value::Number)
}
