//! The server.

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult,
    Implementation, InputRequest, JsonObject, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::Outcome;

/// The tools that run as tasks, and one that does not.
const TOOLS: [&str; 5] = [
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
];

#[derive(Clone)]
struct Server {
    tasks: TaskManager,
    skills: Arc<SkillCatalog>,
}

impl Server {
    fn new(skills: &str) -> Outcome<Self> {
        Ok(Self {
            tasks: TaskManager::new(),
            skills: Arc::new(SkillCatalog::from_dir(skills)?),
        })
    }
}

pub(crate) async fn stdio(skills: &str) -> Outcome<()> {
    let server = Server::new(skills)?;
    let service = server.serve(rmcp::transport::io::stdio_pipes()).await?;
    service.waiting().await?;
    Ok(())
}

pub(crate) async fn http(skills: &str, port: u16) -> Outcome<()> {
    let server = Server::new(skills)?;
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let service = TowerToHyperService::new(service);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tasks()
            .enable_resources()
            .enable_skills_with_directory_read();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("rmcp", "3.11.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = JsonObject::from_iter([("type".to_owned(), "object".into())]);
        let tool = |name| Tool::new(name, "As in the example `everything`", schema.clone());
        Ok(ListToolsResult::with_all_items(TOOLS.map(tool).to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if request.name == "greet" {
            let name = arguments["name"].as_str().unwrap_or_default();
            return Ok(text(format!("Hello, {name}!")).into());
        }
        let has_tasks = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.supports_tasks());
        if !TOOLS.contains(&&*request.name) || !has_tasks {
            return Err(ErrorData::invalid_params("only as a task", None));
        }
        let options = TaskOptions::new().with_poll_interval_ms(20);
        let task = self.tasks.spawn(options, move |task| {
            Box::pin(async move {
                // `TaskManager` does not end the work of a cancelled task by itself.
                tokio::select! {
                    () = task.cancelled() => Err(TaskExit::Cancelled),
                    done = run(&request.name, &arguments, &task) => done,
                }
            })
        });
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.skills.list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.skills.get_skill(&request.uri)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.skills.read_resource_directory(&request.uri)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.skills.resources()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.skills.read_resource(&request.uri);
        read.map(Into::into)
            .ok_or_else(|| ErrorData::resource_not_found(request.uri, None))
    }
}

/// Does the work of a task.
async fn run(
    name: &str,
    arguments: &Value,
    task: &TaskContext,
) -> Result<CallToolResult, TaskExit> {
    match name {
        "slow_compute" => {
            let seconds = arguments["seconds"].as_f64().unwrap_or_default();
            let label = arguments["label"].as_str().unwrap_or_default();
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            Ok(text(format!("computed {label} in {seconds} s")))
        }
        "confirm_delete" => {
            let filename = arguments["filename"].as_str().unwrap_or_default();
            let answer = task.request_input("confirm", question(filename)?).await?;
            let verb = match answer["content"]["confirm"].as_bool() {
                Some(true) => "deleted",
                _ => "kept",
            };
            Ok(text(format!("{verb} {filename}")))
        }
        "failing_job" => Ok(CallToolResult::error(vec![ContentBlock::text("failed")])),
        _ => Err(ErrorData::internal_error("this job ends with an error", None).into()),
    }
}

fn question(filename: &str) -> Result<InputRequest, ErrorData> {
    let question = json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": format!("Delete {filename}?"),
            "requestedSchema": {
                "type": "object",
                "properties": { "confirm": { "type": "boolean" } },
                "required": ["confirm"],
            },
        },
    });
    serde_json::from_value(question)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
