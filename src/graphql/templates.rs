//! Templates by name: create, update, delete.

use podqueue_runtime::Idempotency;
use serde::{Deserialize, Serialize};

use super::delete::delete;
use super::new_template::{NewTemplate, TemplateInput};
use super::not_found::Deleted;
use super::template::Template;
use super::{DeleteTemplate, Graphql, ModifyTemplate, Operation, SaveTemplate};
use crate::error::{Error, Result};
use crate::request::Request;

/// Creates, updates and deletes templates ([GraphQL](crate#the-interface)); returned by
/// [`Client::templates`](crate::Client::templates).
#[derive(Clone, Debug)]
pub struct Templates {
    graphql: Graphql,
}

impl Templates {
    pub(crate) fn new(graphql: Graphql) -> Self {
        Self { graphql }
    }

    /// Creates a template.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), before anything is sent,
    ///   if the template is invalid;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if the name is taken;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no readable response
    ///   arrived: it may have been created, so the call is not retried.
    pub fn create(&self, template: NewTemplate) -> Request<Template> {
        let graphql = self.graphql.clone();
        Request::new(move |timeout| async move {
            template.check("create template")?;
            let variables = Input { input: WithId { id: None, template: template.input() } };
            let saved: Saved = graphql
                .send::<SaveTemplate, _>(&variables, Idempotency::NonIdempotent, timeout)
                .await?;
            saved
                .template(SaveTemplate::NAME)
                .map_err(|error| error.unreadable(Idempotency::NonIdempotent))
        })
    }

    /// Updates the template with that id: its required fields are replaced, and what else is not
    /// set is left to the service. Updates are idempotent, so they are retried after a transient
    /// failure.
    ///
    /// # Errors
    ///
    /// Those of [`create`](Self::create), except `OutcomeUnknown`.
    pub fn update(&self, id: impl AsRef<str>, template: NewTemplate) -> Request<Template> {
        let (graphql, id) = (self.graphql.clone(), id.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if id.is_empty() {
                return Err(Error::refused("update template", "id", "must not be empty"));
            }
            template.check("update template")?;
            let variables = Input { input: WithId { id: Some(&id), template: template.input() } };
            let saved: Saved = graphql
                .send::<ModifyTemplate, _>(&variables, Idempotency::Idempotent, timeout)
                .await?;
            saved.template(ModifyTemplate::NAME)
        })
    }

    /// Deletes the template with that name. It must not be used by a Pod or an endpoint, and the
    /// service may refuse for up to two minutes after it was last used.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if it is in use or does not exist;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if the response does not
    ///   confirm the deletion, or if an attempt that may have deleted it was followed by a refusal
    ///   that is not a clear "not found". Deleting it again does no harm.
    pub fn delete(&self, name: impl AsRef<str>) -> Request<()> {
        let (graphql, name) = (self.graphql.clone(), name.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if name.is_empty() {
                return Err(Error::refused("delete template", "templateName", "must not be empty"));
            }
            let deleted = Deleted { thing: "template", field: "deleteTemplate", id: &name };
            let variables = ByName { template_name: &name };
            delete::<DeleteTemplate>(&graphql, &variables, deleted, timeout).await
        })
    }
}

#[derive(Serialize)]
struct Input<'a> {
    input: WithId<'a>,
}

#[derive(Serialize)]
struct WithId<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    template: &'a TemplateInput,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ByName<'a> {
    template_name: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    save_template: Option<Template>,
}

impl Saved {
    fn template(self, operation: &'static str) -> Result<Template> {
        self.save_template.ok_or_else(|| super::missing_result(operation, "saveTemplate"))
    }
}
