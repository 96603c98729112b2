use podqueue::{Authorization, Client};

mod gallery {
    podqueue::include_rest!("gallery"); // Api, types::…, one builder per operation
}

#[tokio::main]
async fn main() -> podqueue::Result<()> {
    let client = Client::from_env()?;
    let key = std::env::var("GALLERY_KEY").unwrap_or_default();
    let url = std::env::var("GALLERY_URL").unwrap_or_default();
    let gallery = gallery::Api::at(&client, url, Authorization::bearer(key))?;
    for picture in gallery.list_pictures().tags(["sea"]).limit(10).await? {
        println!("{:?}: {:?}", picture.id, picture.title);
    }
    Ok(())
}
