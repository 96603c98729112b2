//! Protocol handler: the tools and resources of a server.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::resources;
use crate::state::State;
use crate::tools;

/// The handler of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) state: Arc<State>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        // Resources are those of batches.
        let capabilities = match self.state.files.is_empty() {
            true => capabilities.build(),
            false => capabilities.enable_resources().build(),
        };
        let implementation = Implementation::new("podqueue", env!("CARGO_PKG_VERSION"));
        let hosted = match self.state.services.hosted() {
            Some(_) => "",
            None => " The hosted service is not set up.",
        };
        let files = match self.state.files.is_empty() {
            true => " Batches are not permitted to use files (--files DIR).".to_owned(),
            false => {
                let folders = crate::reply::cut(&self.state.files.describe(), 600);
                format!(" Files of batches are below {folders} (--files).")
            }
        };
        let instructions = format!(
            "Jobs on hosted GPUs. run submits a job and waits a little; wait continues. The same \
             call again never submits a job twice, so repeat a call that timed out; another `key` \
             runs the input once more. Each reply names the tool to call next.{hosted}{}{files}",
            self.state.permissions.describe()
        );
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(&self.state)))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.state, cursor.as_deref()).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.state, &request.uri).await.map(Into::into)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list(&self.state).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = tools::call(&self.state, &request.name, arguments).await;
        Ok(result.unwrap_or_else(|failure| failure.result()).into())
    }
}
