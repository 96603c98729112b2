//! Lists the pets of a shop.

use futures_util::TryStreamExt;
use podqueue_runtime::{Authorization, Service};
use runtime_alone::shop;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Service::builder("https://shop.example/v1")
        .authorization(Authorization::bearer(std::env::var("SHOP_KEY")?))
        .build()?;
    let shop = shop::Api::new(&service);
    let mut pets = shop.list_pets().limit(50).items(); // of all pages
    while let Some(pet) = pets.try_next().await? {
        println!("{:?}: {:?}", pet.name, pet.kind);
    }
    Ok(())
}
