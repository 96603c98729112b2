//! Where the program points.

use std::fs;
use std::path::Path;

use crate::support::{KEY, Site, bare, ran};

fn write_settings(site: &Site, of_key: &str) {
    let text = format!(
        "default_profile = \"here\"\n\n[profile.here]\nbase_url = \"{}\"\n{of_key}\n\n\
         [profile.there]\nbase_url = \"https://there.example\"\n",
        site.local.base_url()
    );
    fs::write(site.home.path().join("config.toml"), text).unwrap();
}

fn write_key(path: &Path, mode: u32) {
    fs::write(path, format!("{KEY}\nnot the key\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let _ = mode;
}

const RUN: [&str; 3] = ["run", "echo", "{}"];

#[tokio::test]
async fn without_a_key_the_hint_says_where_to_put_it() {
    let site = Site::start().await;
    let ran = ran(&mut bare(site.home.path(), &RUN)).await;
    ran.fails(4, "no API key is set");
    assert!(ran.stderr.contains("PODQUEUE_API_KEY") && ran.stderr.contains("config.toml"));
}

#[tokio::test]
async fn without_a_url_the_hint_names_the_variable() {
    let site = Site::start().await;
    let mut program = bare(site.home.path(), &RUN);
    ran(program.env("PODQUEUE_API_KEY", KEY)).await.fails(2, "PODQUEUE_BASE_URL");
}

#[tokio::test]
async fn the_key_comes_from_a_command() {
    let site = Site::start().await;
    write_settings(&site, &format!("key_command = \"printf '{KEY}\\\\nmore'\""));
    ran(&mut bare(site.home.path(), &RUN)).await.assert(0, "{}\n");
    write_settings(&site, "key_command = \"echo nobody sees this; exit 3\"");
    let failed = ran(&mut bare(site.home.path(), &RUN)).await;
    failed.fails(4, "key_command failed: exit status: 3");
    assert!(!failed.stderr.contains("nobody sees"), "{}", failed.stderr);
    write_settings(&site, "key_command = \"true\"");
    ran(&mut bare(site.home.path(), &RUN)).await.fails(4, "has no API key");
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_file_must_be_private() {
    let site = Site::start().await;
    write_settings(&site, "key_file = \"here.key\"");
    let key = site.home.path().join("here.key");
    write_key(&key, 0o600);
    ran(&mut bare(site.home.path(), &RUN)).await.assert(0, "{}\n");
    for mode in [0o640, 0o604, 0o620] {
        write_key(&key, mode);
        let refused = ran(&mut bare(site.home.path(), &RUN)).await;
        refused.fails(4, "others can read the key file");
        assert!(refused.stderr.contains("chmod 600"), "{}", refused.stderr);
    }
    fs::remove_file(&key).unwrap();
    ran(&mut bare(site.home.path(), &RUN)).await.fails(4, "failed to read the key file");
}

#[tokio::test]
async fn a_profile_is_taken_as_a_whole() {
    let site = Site::start().await;
    write_settings(&site, &format!("key_command = \"echo {KEY}\""));
    let base_url = |site: &Site, command: &mut tokio::process::Command| {
        command.env("PODQUEUE_BASE_URL", site.local.base_url());
    };
    // With a URL from a variable, no profile's key is used.
    let mut program = bare(site.home.path(), &RUN);
    base_url(&site, &mut program);
    ran(&mut program).await.fails(4, "no API key is set");
    // Both at once are ambiguous, unless an argument decides.
    let mut program = bare(site.home.path(), &RUN);
    base_url(&site, &mut program);
    ran(program.env("PODQUEUE_PROFILE", "here")).await.fails(2, "are both set");
    let mut program = bare(site.home.path(), &["run", "echo", "{}", "--profile", "here"]);
    base_url(&site, &mut program);
    ran(&mut program).await.assert(0, "{}\n");
    // A profile without a key takes that of the variable.
    let mut program = bare(site.home.path(), &["config", "--profile", "there"]);
    let config = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
    assert!(config.stdout.contains("https://there.example"), "{}", config.stdout);
    assert!(config.stdout.contains("the variable PODQUEUE_API_KEY"), "{}", config.stdout);
    let missing = ["config", "--profile", "nowhere"];
    ran(&mut bare(site.home.path(), &missing)).await.fails(2, "it has: here, there");
}

#[tokio::test]
async fn a_malformed_file_is_reported_with_its_line_and_column() {
    let site = Site::start().await;
    let path = site.home.path().join("config.toml");
    fs::write(&path, format!("[profile.here]\n  api_key = \"{KEY}\"\n")).unwrap();
    let failed = ran(&mut bare(site.home.path(), &RUN)).await;
    failed.fails(2, "config.toml:2:3: unknown field `api_key`");
    fs::write(&path, format!("[profile.here]\nkey_file = {KEY}\n")).unwrap();
    ran(&mut bare(site.home.path(), &RUN)).await.fails(2, "config.toml:2:");
}

#[tokio::test]
async fn a_password_in_a_url_is_not_shown() {
    let site = Site::start().await;
    for command in [["config", "--quiet"], ["doctor", "echo"]] {
        let mut program = bare(site.home.path(), &command);
        let url = "https://me:s3cret@queue.example/v2?api_key=s3cret";
        let shown = ran(program.env("PODQUEUE_BASE_URL", url).env("PODQUEUE_API_KEY", KEY)).await;
        assert!(!format!("{shown:?}").contains("s3cret"), "{shown:?}");
    }
}

#[tokio::test]
async fn where_prints_the_path_of_the_file() {
    let site = Site::start().await;
    let path = site.home.path().join("config.toml");
    let shown = ran(&mut bare(site.home.path(), &["config", "--where"])).await;
    shown.assert(0, &format!("{}\n", path.display()));
    let mut program = bare(site.home.path(), &["config", "--where"]);
    program.env_remove("PODQUEUE_CONFIG").env("XDG_CONFIG_HOME", "/etc/somewhere");
    if cfg!(target_os = "linux") {
        ran(&mut program).await.assert(0, "/etc/somewhere/podqueue/config.toml\n");
    }
}
