//! Protocol handler: lists and calls the tools of a server.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::state::State;
use crate::tools;

/// The handler of a connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) state: Arc<State>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("podqueue", env!("CARGO_PKG_VERSION"));
        let hosted = match self.state.services.hosted() {
            Some(_) => "",
            None => " The hosted service is not set up.",
        };
        let instructions = format!(
            "Jobs on hosted GPUs. run submits a job and waits a little; wait continues. The same \
             call again never submits a job twice, so repeat a call that timed out; another `key` \
             runs the input once more. Each reply names the tool to call next.{hosted}{}",
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
