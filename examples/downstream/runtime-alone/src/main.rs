//! Lists the pets of a shop.

use podqueue_runtime::{Authorization, Service};
use runtime_alone::shop;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Service::builder("https://shop.example/v1")
        .authorization(Authorization::bearer(std::env::var("SHOP_KEY")?))
        .build()?;
    let shop = shop::Api::new(&service);
    for pet in shop.list_pets().limit(50).await? {
        println!("{:?}: {:?}", pet.name, pet.kind);
    }
    Ok(())
}
