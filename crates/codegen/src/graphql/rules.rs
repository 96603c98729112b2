//! The rules that queries are held to: GraphQL's own, and one that the validation leaves out.

use graphql_tools::ast::{OperationVisitor, OperationVisitorContext};
use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::query::Value;
use graphql_tools::validation::rules::{
    ValidationRule, ValidationVisitor, default_rules_validation_plan,
};
use graphql_tools::validation::utils::{ValidationError, ValidationErrorContext};
use graphql_tools::validation::validate::ValidationPlan;

use super::built_in::SCALARS;

/// All rules for one file.
pub(crate) fn all() -> ValidationPlan {
    let mut plan = default_rules_validation_plan();
    // It knows of one file only, and fragments serve in all files.
    plan.rules.retain(|rule| rule.error_code() != "NoUnusedFragments");
    plan.add_rule(Box::new(ObjectsForInputs));
    plan
}

/// The rule of this name alone.
pub(crate) fn only(name: &str) -> ValidationPlan {
    let mut plan = all();
    plan.rules.retain(|rule| rule.error_code() == name);
    plan
}

/// An object literal stands for an input object or a scalar of the schema's own, and for nothing
/// else.
struct ObjectsForInputs;

impl ValidationRule for ObjectsForInputs {
    fn error_code(&self) -> &'static str {
        "ObjectsForInputs"
    }

    fn visitor<'doc>(&self) -> ValidationVisitor<'doc> {
        Box::new(Self)
    }
}

impl<'doc> OperationVisitor<'doc, ValidationErrorContext> for ObjectsForInputs {
    fn enter_object_value(
        &mut self,
        context: &mut OperationVisitorContext<'doc>,
        errors: &mut ValidationErrorContext,
        object: &[(String, Value)],
    ) {
        let name = match context.current_input_type() {
            Some(TypeDefinition::Scalar(it)) if SCALARS.contains(&it.name.as_str()) => &it.name,
            Some(TypeDefinition::Enum(it)) => &it.name,
            _ => return,
        };
        let object = Value::Object(object.to_vec());
        errors.report_error(ValidationError {
            error_code: self.error_code(),
            message: format!("Expected value of type \"{name}\", found {object}."),
            locations: Vec::new(),
        });
    }
}
