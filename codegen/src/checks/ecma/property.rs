//! Properties of Unicode in regular expressions.

/// The general categories of Unicode, and binary properties that the crate has, too.
const PROPERTIES: &str = "
    C Cc Cf Cn Co L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So
    Z Zl Zp Zs Other Control Format Unassigned Private_Use Letter Cased_Letter Lowercase_Letter
    Modifier_Letter Other_Letter Titlecase_Letter Uppercase_Letter Mark Spacing_Mark
    Enclosing_Mark Nonspacing_Mark Number Decimal_Number Letter_Number Other_Number Punctuation
    Connector_Punctuation Dash_Punctuation Close_Punctuation Final_Punctuation
    Initial_Punctuation Other_Punctuation Open_Punctuation Symbol Currency_Symbol
    Modifier_Symbol Math_Symbol Other_Symbol Separator Line_Separator Paragraph_Separator
    Space_Separator Any ASCII Alphabetic Lowercase Uppercase White_Space ID_Start ID_Continue
";

/// Returns `true` for a property of ECMA-262, which has its names in one spelling, that the crate `regex` may
/// have, too.
pub(super) fn is_known(name: &str) -> bool {
    let is_listed = |name: &str| PROPERTIES.split_whitespace().any(|listed| listed == name);
    match name.split_once('=') {
        Some(("General_Category" | "gc", value)) => is_listed(value),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", value)) => {
            value.starts_with(|c: char| c.is_ascii_uppercase())
        }
        Some(_) => false,
        None => is_listed(name),
    }
}
