//! Templates by name: create, update, delete.

use serde::{Deserialize, Serialize};

use super::gone::Deleted;
use super::new_template::TemplateInput;
use super::{
    DeleteTemplate, Graphql, ModifyTemplate, NewTemplate, Operation, SaveTemplate, Template,
};
use crate::error::{Error, Result};
use crate::request::Request;
use crate::transport::Repeat;

/// Creates, updates and deletes templates ([GraphQL](crate#the-interface)); made by
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
    ///   for a template that the interface forbids;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) where the name is taken;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) where no answer came, or
    ///   none that can be read: it may have been created, and is not created again.
    pub fn create(&self, template: NewTemplate) -> Request<Template> {
        let graphql = self.graphql.clone();
        Request::new(move |timeout| async move {
            template.check("create template")?;
            let variables = Input { input: WithId { id: None, template: template.input() } };
            let saved: Saved =
                graphql.send::<SaveTemplate, _>(&variables, Repeat::Once, timeout).await?;
            saved.template(SaveTemplate::NAME).map_err(|error| Repeat::Once.unreadable(error))
        })
    }

    /// Changes the template of that id: its required fields are given anew, what else is not set is
    /// left to the service. It is safe to repeat, so it is sent again after a
    /// failure that passes.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), without an unknown outcome.
    pub fn update(&self, id: impl AsRef<str>, template: NewTemplate) -> Request<Template> {
        let (graphql, id) = (self.graphql.clone(), id.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if id.is_empty() {
                return Err(Error::refused("update template", "id", "must not be empty"));
            }
            template.check("update template")?;
            let variables = Input { input: WithId { id: Some(&id), template: template.input() } };
            let saved: Saved =
                graphql.send::<ModifyTemplate, _>(&variables, Repeat::Safe, timeout).await?;
            saved.template(ModifyTemplate::NAME)
        })
    }

    /// Deletes the template of that name. No Pod and no endpoint may use it, and the service may
    /// refuse for up to two minutes after it was last used.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) where it is in use or there is none;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) where the response does not
    ///   confirm it, or where an attempt that may have deleted it was followed by a refusal that is
    ///   no clear "not found". Deleting it again does no harm.
    pub fn delete(&self, name: impl AsRef<str>) -> Request<()> {
        let (graphql, name) = (self.graphql.clone(), name.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if name.is_empty() {
                return Err(Error::refused("delete template", "templateName", "must not be empty"));
            }
            let deleted = Deleted { thing: "template", field: "deleteTemplate", id: &name };
            let variables = ByName { template_name: &name };
            graphql.send_delete::<DeleteTemplate>(&variables, deleted, timeout).await
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
        self.save_template.ok_or_else(|| super::execute::nothing_came(operation, "saveTemplate"))
    }
}
