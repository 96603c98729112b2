//! A streamed chat through async-openai, whose base URL is that of an endpoint.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionRequestUserMessageArgs, CreateChatCompletionRequestArgs,
};
use futures_util::StreamExt;
use podqueue_local::{HandlerError, LocalJob, LocalService};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", recite().await?);
    Ok(())
}

async fn recite() -> Result<String, Box<dyn std::error::Error>> {
    // In place of the hosted service, with a handler in place of a worker.
    let local = LocalService::builder().endpoint("poet", poet).start().await?;
    let config = OpenAIConfig::new()
        .with_api_key(local.api_key())
        .with_api_base(format!("{}/v2/poet/openai/v1", local.base_url()));

    let message = ChatCompletionRequestUserMessageArgs::default().content("a poem").build()?;
    let request = CreateChatCompletionRequestArgs::default()
        .model("poet")
        .messages([message.into()])
        .stream(true)
        .build()?;
    let mut chunks = Client::with_config(config).chat().create_stream(request).await?;
    let mut poem = String::new();
    while let Some(chunk) = chunks.next().await {
        let content = chunk?.choices.first().and_then(|choice| choice.delta.content.clone());
        poem.push_str(&content.unwrap_or_default());
    }
    Ok(poem)
}

/// Yields a poem word by word, as a text-generation worker does.
async fn poet(job: LocalJob) -> Result<Value, HandlerError> {
    if job.input["openai_route"] != "/v1/chat/completions" {
        return Err("no such route".into());
    }
    for word in ["roses ", "are ", "red"] {
        let choice = json!({ "index": 0, "delta": { "content": word }, "finish_reason": null });
        job.emit(json!({
            "id": job.id,
            "object": "chat.completion.chunk",
            "created": 0,
            "model": job.input["openai_input"]["model"],
            "choices": [choice],
        }))
        .await;
    }
    job.emit(json!("data: [DONE]\n\n")).await;
    Ok(Value::Null)
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_poem_arrives_whole() {
        assert_eq!(super::recite().await.unwrap(), "roses are red");
    }
}
