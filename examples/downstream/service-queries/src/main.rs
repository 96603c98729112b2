//! Custom queries, in `queries/`: a type for each operation, sent to podqueue's service.
//!
//! `cargo run -- NAME IMAGE` saves a template at the service that the environment names; see
//! `podqueue::Client::from_env`.

use podqueue::Client;
use service_queries::{KeepServerless, keep_serverless};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(image)) = (arguments.next(), arguments.next()) else {
        return Err("say the name and the image of the template".into());
    };
    let variables = keep_serverless::Variables { name, image, disk_in_gb: None, readme: None };
    let data = Client::from_env()?.graphql().execute::<KeepServerless>(variables).await?;
    let template = data.save_template.ok_or("the service did not answer with the template")?;
    println!("Saved {:?} as {:?}.", template.sizes.name, template.sizes.id);
    Ok(())
}
