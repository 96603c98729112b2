//! Files: uploads, pages, contents, expiry and deletion.

use std::time::Duration;

use futures_util::TryStreamExt;
use podqueue_batch::serve::api::types::{File, Refused};
use podqueue_runtime::Part;

use crate::serve::support::{ANY_KEY, Served, World, request, upload};

#[tokio::test]
async fn a_file_is_read_listed_and_deleted() {
    let world = World::new().await;
    let served = world.serve().await;
    let content = request("a");
    let file = served.upload(content.clone()).await;
    let id = file.id.clone().unwrap();
    assert!(id.starts_with("file-"), "{id}");
    assert_eq!(file.bytes, Some(content.len() as i64));
    assert_eq!(
        (file.filename.as_deref(), file.purpose.as_deref()),
        (Some("requests.jsonl"), Some("batch"))
    );
    assert_eq!(served.api.retrieve_file(id.as_str()).await.unwrap().created_at, file.created_at);
    assert_eq!(&*served.api.download_file(id.as_str()).await.unwrap(), content.as_bytes());
    let deleted = served.api.delete_file(id.as_str()).await.unwrap();
    assert_eq!((deleted.id, deleted.deleted), (Some(id.clone()), Some(true)));
    for error in [
        served.api.retrieve_file(id.as_str()).await.unwrap_err(),
        served.api.delete_file(id.as_str()).await.unwrap_err(),
    ] {
        assert_eq!(error.status(), Some(404));
    }
    let left = std::fs::read_dir(world.path().join("local/files")).unwrap().count();
    assert_eq!(left, 0, "nothing is left of it");
}

#[tokio::test]
async fn files_are_listed_by_pages() {
    let world = World::new().await;
    let served = world.serve().await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(served.upload(request(&n.to_string())).await.id.unwrap());
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let id = |file: File| file.id.unwrap();
    let ascending = served.api.list_files().limit(2).order("asc").items();
    let listed: Vec<File> = ascending.try_collect().await.unwrap();
    assert_eq!(listed.into_iter().map(id).collect::<Vec<_>>(), ids);
    let first = served.api.list_files().limit(2).purpose("batch").await.unwrap();
    assert_eq!((first.has_more, first.last_id.as_ref()), (Some(true), Some(&ids[3])));
    let rest = served.api.list_files().limit(3).after(first.last_id.unwrap()).await.unwrap();
    assert_eq!((rest.has_more, rest.data.len()), (Some(false), 3));
    let none = served.api.list_files().purpose("batch_output").await.unwrap();
    assert_eq!((none.data.len(), none.first_id), (0, None));
    for limit in [0, 10_001] {
        assert_eq!(served.api.list_files().limit(limit).await.unwrap_err().status(), Some(400));
    }
}

#[tokio::test]
async fn a_file_expires_when_it_is_told_to() {
    let world = World::new().await;
    let served = world.serve().await;
    let part = || Part::file("r.jsonl", request("a").into_bytes());
    let create = || served.api.create_file(part(), "batch").expires_after_anchor("created_at");
    let file = create().expires_after_seconds("3600").await.unwrap();
    assert_eq!(file.expires_at.unwrap() - file.created_at.unwrap(), 3_600);
    let id = file.id.unwrap();
    served.api.retrieve_file(id.as_str()).await.unwrap();
    world.advance(Duration::from_secs(3_601));
    assert_eq!(served.api.retrieve_file(id.as_str()).await.unwrap_err().status(), Some(404));
    assert_eq!(served.api.list_files().await.unwrap().data.len(), 0);
    for seconds in ["3599", "2592001", "-1", "x"] {
        let error = create().expires_after_seconds(seconds).await.unwrap_err();
        let refused: Refused = error.decode().unwrap();
        assert_eq!(refused.error.unwrap().param.as_deref(), Some("expires_after"), "{seconds}");
    }
}

#[tokio::test]
async fn a_file_that_is_too_large_leaves_nothing() {
    let world = World::new().await;
    let served = Served::start(world.builder().max_file_bytes(1_000_000), ANY_KEY).await;
    let fits = upload(&served.api, "x".repeat(1_000_000)).await;
    assert_eq!(fits.bytes, Some(1_000_000));
    // Also one that is much larger than what the connection buffers.
    for length in [1_000_001, 8_000_000] {
        let part = Part::file("r.jsonl", "x".repeat(length).into_bytes());
        let error = served.api.create_file(part, "batch").await.unwrap_err();
        assert_eq!(error.status(), Some(413), "{error}");
    }
    let left = std::fs::read_dir(world.path().join("local/files")).unwrap().count();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn another_purpose_is_refused() {
    let world = World::new().await;
    let served = world.serve().await;
    let part = Part::file("r.jsonl", request("a").into_bytes());
    let error = served.api.create_file(part, "fine-tune").await.unwrap_err();
    let refused: Refused = error.decode().unwrap();
    assert_eq!(refused.error.unwrap().param.as_deref(), Some("purpose"));
    assert_eq!(served.api.list_files().await.unwrap().data.len(), 0);
}
