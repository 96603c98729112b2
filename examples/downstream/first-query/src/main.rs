use podqueue::Client;

podqueue::include_queries!(); // KeepTemplate, keep_template::{Variables, ResponseData}, types::…

#[tokio::main]
async fn main() -> podqueue::Result<()> {
    let input = types::SaveTemplateInput {
        name: "my-notebook".into(),
        image_name: "registry.example/notebook:1".into(),
        container_disk_in_gb: 20,
        volume_in_gb: 50,
        ..Default::default()
    };
    let variables = keep_template::Variables { input };
    let data = Client::from_env()?.graphql().execute::<KeepTemplate>(variables).await?;
    println!("saved as {:?}", data.save_template.and_then(|template| template.id));
    Ok(())
}
