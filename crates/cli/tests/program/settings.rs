//! Tests of settings: profiles, variables, keys and URLs.

use std::fs;
use std::path::Path;

use podqueue_local::Fault;

use crate::canaries::COMMANDS;
use crate::support::{Fixture, KEY, bare, ran, ran_with_stdin};

fn write_settings(fixture: &Fixture, of_key: &str) {
    let text = format!(
        "default_profile = \"here\"\n\n[profile.here]\nbase_url = \"{}\"\n{of_key}\n\n\
         [profile.there]\nbase_url = \"https://there.example\"\n",
        fixture.local.base_url()
    );
    fs::write(fixture.home.path().join("config.toml"), text).unwrap();
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
async fn a_missing_key_leads_to_a_hint() {
    let fixture = Fixture::start().await;
    let ran = ran(&mut bare(fixture.home.path(), &RUN)).await;
    ran.fails(4, "no API key is set");
    assert!(ran.stderr.contains("PODQUEUE_API_KEY") && ran.stderr.contains("config.toml"));
}

#[tokio::test]
async fn a_missing_url_leads_to_a_hint_with_the_variable() {
    let fixture = Fixture::start().await;
    let mut program = bare(fixture.home.path(), &RUN);
    let ran = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
    ran.fails(2, "PODQUEUE_BASE_URL");
    assert!(!ran.stderr.contains("builder"), "{}", ran.stderr);
}

#[tokio::test]
async fn the_key_comes_from_a_command() {
    let fixture = Fixture::start().await;
    write_settings(&fixture, &format!("key_command = \"printf '{KEY}\\\\nmore'\""));
    ran(&mut bare(fixture.home.path(), &RUN)).await.assert(0, "{}\n");
    write_settings(&fixture, "key_command = \"echo nobody sees this; exit 3\"");
    let failed = ran(&mut bare(fixture.home.path(), &RUN)).await;
    failed.fails(4, "key_command failed: exit status: 3");
    assert!(!failed.stderr.contains("nobody sees"), "{}", failed.stderr);
    write_settings(&fixture, "key_command = \"true\"");
    ran(&mut bare(fixture.home.path(), &RUN)).await.fails(4, "has no API key");
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_file_must_be_private() {
    let fixture = Fixture::start().await;
    write_settings(&fixture, "key_file = \"here.key\"");
    let key = fixture.home.path().join("here.key");
    write_key(&key, 0o600);
    ran(&mut bare(fixture.home.path(), &RUN)).await.assert(0, "{}\n");
    for mode in [0o640, 0o604, 0o620] {
        write_key(&key, mode);
        let refused = ran(&mut bare(fixture.home.path(), &RUN)).await;
        refused.fails(4, "other users can read the key file");
        assert!(refused.stderr.contains("chmod 600"), "{}", refused.stderr);
    }
    fs::remove_file(&key).unwrap();
    ran(&mut bare(fixture.home.path(), &RUN)).await.fails(4, "failed to read the key file");
    // The hint must not suggest to change the mode of a folder.
    fs::create_dir(&key).unwrap();
    let folder = ran(&mut bare(fixture.home.path(), &RUN)).await;
    folder.fails(4, "failed to read the key file");
    assert!(!folder.stderr.contains("chmod"), "{}", folder.stderr);
}

#[tokio::test]
async fn an_invalid_key_is_refused_with_its_source() {
    let fixture = Fixture::start().await;
    write_settings(&fixture, "key_file = \"here.key\"");
    let path = fixture.home.path().join("here.key");
    write_key(&path, 0o600);
    for bad in ["k\u{e9}y", "two words", "\0"] {
        fs::write(&path, bad).unwrap();
        for arguments in [&RUN[..], &["doctor", "echo"]] {
            let ran = ran(&mut bare(fixture.home.path(), arguments)).await;
            assert_eq!(ran.code, 4, "{ran:?}");
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains("here.key has no valid API key"), "{said}");
            assert!(!said.contains(bad), "{said}");
        }
    }
    // Some editors add a byte order mark.
    fs::write(&path, format!("\u{feff}{KEY}\r\n")).unwrap();
    ran(&mut bare(fixture.home.path(), &RUN)).await.assert(0, "{}\n");
    let mut program = fixture.program(&RUN);
    ran(program.env("PODQUEUE_API_KEY", "two words"))
        .await
        .fails(4, "the variable PODQUEUE_API_KEY");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn endless_settings_are_refused() {
    let fixture = Fixture::start().await;
    let mut program = bare(fixture.home.path(), &RUN);
    ran(program.env("PODQUEUE_CONFIG", "/dev/zero")).await.fails(2, "it has more than 128 MiB");
}

/// Also without an endpoint.
#[tokio::test]
async fn a_wrong_key_or_url_leads_to_a_hint_at_doctor() {
    let fixture = Fixture::start().await;
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let redirect = || Fault::redirect(301, "https://elsewhere.example");
    for arguments in [
        &["run", "echo", "{}"][..],
        &["wait", "echo", "j"],
        &["openai", "echo", "v1/x"],
        &["pod", "get", "p"],
        &["template", "delete", "t", "--yes"],
        &["secret", "delete", "s", "--yes"],
        &["graphql", "-"],
    ] {
        let of_endpoint = arguments[1] == "echo";
        let hint = if of_endpoint { "podqueue doctor echo\n" } else { "podqueue doctor\n" };
        let hint = format!("hint: to find out why: {hint}");
        let said = |ran: crate::support::Ran| {
            assert_eq!(ran.stderr.matches(&hint).count(), 1, "{arguments:?}: {}", ran.stderr);
            assert_eq!(ran.stderr.matches("hint: ").count(), 1, "{arguments:?}: {}", ran.stderr);
        };
        let mut wrong = fixture.program(arguments);
        said(ran_with_stdin(wrong.env("PODQUEUE_API_KEY", "wrong"), "{ a }").await);
        let mut unreachable = fixture.program(arguments);
        for interface in ["BASE", "REST", "GRAPHQL"] {
            unreachable.env(format!("PODQUEUE_{interface}_URL"), format!("http://{gone}"));
        }
        if arguments[0] != "wait" {
            said(ran_with_stdin(&mut unreachable, "{ a }").await);
        }
        for fault in [redirect(), Fault::response(403, "{}")] {
            fixture.local.add_fault(fault);
            said(ran_with_stdin(&mut fixture.program(arguments), "{ a }").await);
            fixture.local.clear_faults();
        }
    }
}

#[tokio::test]
async fn a_profile_is_used_as_a_whole() {
    let fixture = Fixture::start().await;
    write_settings(&fixture, &format!("key_command = \"echo {KEY}\""));
    let base_url = |fixture: &Fixture, command: &mut tokio::process::Command| {
        command.env("PODQUEUE_BASE_URL", fixture.local.base_url());
    };
    // With a URL from a variable, no profile's key is used.
    let mut program = bare(fixture.home.path(), &RUN);
    base_url(&fixture, &mut program);
    ran(&mut program).await.fails(4, "no API key is set");
    // Both at once are ambiguous, unless an argument decides.
    let mut program = bare(fixture.home.path(), &RUN);
    base_url(&fixture, &mut program);
    ran(program.env("PODQUEUE_PROFILE", "here")).await.fails(2, "are both set");
    let mut program = bare(fixture.home.path(), &["run", "echo", "{}", "--profile", "here"]);
    base_url(&fixture, &mut program);
    ran(&mut program).await.assert(0, "{}\n");
    // A profile without a key takes that of the variable.
    let mut program = bare(fixture.home.path(), &["config", "--profile", "there"]);
    let config = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
    assert!(config.stdout.contains("https://there.example"), "{}", config.stdout);
    assert!(config.stdout.contains("the variable PODQUEUE_API_KEY"), "{}", config.stdout);
    let missing = ["config", "--profile", "nowhere"];
    ran(&mut bare(fixture.home.path(), &missing)).await.fails(2, "it has: here, there");
    let mut program = bare(fixture.home.path(), &missing);
    ran(program.env("PODQUEUE_CONFIG", "gone.toml")).await.fails(2, "the file does not exist");
}

#[tokio::test]
async fn a_malformed_file_is_reported_with_its_line_and_column() {
    let fixture = Fixture::start().await;
    let path = fixture.home.path().join("config.toml");
    fs::write(&path, format!("[profile.here]\n  api_key = \"{KEY}\"\n")).unwrap();
    let failed = ran(&mut bare(fixture.home.path(), &RUN)).await;
    failed.fails(2, "config.toml:2:3: unknown field `api_key`");
    fs::write(&path, format!("[profile.here]\nkey_file = {KEY}\n")).unwrap();
    ran(&mut bare(fixture.home.path(), &RUN)).await.fails(2, "config.toml:2:");
}

#[tokio::test]
async fn a_password_in_a_url_is_not_shown() {
    let fixture = Fixture::start().await;
    for command in [["config", "--quiet"], ["doctor", "echo"]] {
        let mut program = bare(fixture.home.path(), &command);
        let url = "https://me:s3cret@queue.example/v2?api_key=s3cret";
        let shown = ran(program.env("PODQUEUE_BASE_URL", url).env("PODQUEUE_API_KEY", KEY)).await;
        assert!(!format!("{shown:?}").contains("s3cret"), "{shown:?}");
    }
}

#[tokio::test]
async fn config_where_prints_the_path_of_the_file() {
    let fixture = Fixture::start().await;
    let path = fixture.home.path().join("config.toml");
    let shown = ran(&mut bare(fixture.home.path(), &["config", "--where"])).await;
    shown.assert(0, &format!("{}\n", path.display()));
    let mut program = bare(fixture.home.path(), &["config", "--where"]);
    program.env_remove("PODQUEUE_CONFIG").env("XDG_CONFIG_HOME", "/etc/somewhere");
    if cfg!(target_os = "linux") {
        ran(&mut program).await.assert(0, "/etc/somewhere/podqueue/config.toml\n");
    }
}

#[tokio::test]
async fn library_settings_are_translated_into_hints() {
    let fixture = Fixture::start().await;
    let mut plain = fixture.program(&["run", "echo", "{}"]);
    let plain = ran(plain.env("PODQUEUE_BASE_URL", "http://queue.example")).await;
    plain.fails(2, "hint: to permit it: `allow_plain_http = true` in a profile");
    fixture.local.add_fault(Fault::response(407, "{}"));
    let hint = "hint: check the user and password of the proxy, in HTTPS_PROXY";
    fixture.run(&["health", "echo"]).await.fails(1, hint);
    let large = fixture.home.path().join("large.json");
    fs::write(&large, format!("{{\"a\": \"{}\"}}", "x".repeat(10 * 1024 * 1024))).unwrap();
    fixture.run(&["run", "echo", "@large.json"]).await.fails(2, "hint: put large data elsewhere");
    // Failures and warnings of a batch are translated separately.
    fs::write(fixture.home.path().join("in.jsonl"), "{}\n").unwrap();
    let batch = fixture.run(&["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"]).await;
    assert_ne!(batch.code, 0, "{batch:?}");
}

/// The program with the variables of the service, and another home.
fn with_home(fixture: &Fixture, arguments: &[&str], home: Home<'_>) -> tokio::process::Command {
    let mut program = fixture.program(arguments);
    program.env_remove("PODQUEUE_CONFIG").env_remove("HOME");
    // Without HOME, the system knows the home of the user who runs the tests.
    program.env("XDG_STATE_HOME", fixture.home.path());
    match home {
        Home::None => {}
        Home::At(path) => _ = program.env("HOME", path),
        Home::Settings(path) => _ = program.env("HOME", "/").env("XDG_CONFIG_HOME", path),
    }
    program
}

#[derive(Clone, Copy, Debug)]
enum Home<'a> {
    None,
    At(&'a str),
    Settings(&'a str),
}

#[tokio::test]
async fn every_command_works_without_a_home() {
    let fixture = Fixture::start().await;
    let home = fixture.home.path();
    fs::write(home.join("file"), "").unwrap();
    fs::create_dir(home.join("odd")).unwrap();
    fs::write(home.join("odd/.config"), "").unwrap();
    let [file, odd] = ["file", "odd"].map(|name| home.join(name).display().to_string());
    fixture.local.add_fault(Fault::response(400, "{}"));
    let homes = [
        Home::None,
        Home::At(""),
        Home::At("/nonexistent"),
        Home::At("relative"),
        Home::At(&file),
        Home::At(&odd),
        Home::Settings("relative"),
        Home::Settings(&file),
    ];
    let commands = COMMANDS.iter().filter(|(name, _)| *name != "batch");
    for (_, arguments) in commands {
        let expected = ran_with_stdin(&mut fixture.program(arguments), "{ a }").await;
        for home in [Home::None, Home::At(&odd)] {
            let mut program = with_home(&fixture, arguments, home);
            let ran = ran_with_stdin(&mut program, "{ a }").await;
            assert_eq!(ran.code, expected.code, "{home:?} {arguments:?}: {}", ran.stderr);
        }
    }
    // This command reads the settings file.
    for home in homes {
        let mut program = with_home(&fixture, &RUN, home);
        let program = program.env_remove("PODQUEUE_BASE_URL").env_remove("PODQUEUE_REST_URL");
        let ran = ran(program.env_remove("PODQUEUE_GRAPHQL_URL")).await;
        ran.fails(2, "hint: set PODQUEUE_BASE_URL");
    }
}

#[tokio::test]
async fn a_dry_run_needs_a_temporary_folder() {
    let fixture = Fixture::start().await;
    fs::write(fixture.home.path().join("in.jsonl"), "{}\n").unwrap();
    let mut program = fixture.program(&["batch", "run", "in.jsonl", "--dry-run"]);
    let ran = ran(program.env("TMPDIR", "/nonexistent")).await;
    if cfg!(unix) {
        ran.fails(1, "hint: set TMPDIR to a folder that can be written");
    }
}

#[tokio::test]
async fn local_calls_bypass_the_proxy() {
    use tokio::io::AsyncReadExt;

    let fixture = Fixture::start().await;
    let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let receiver = format!("{}/hooks", fixture.local.base_url());
    for arguments in [&RUN[..], &["trigger", "failed", "--to", &receiver, "--pause", "0s"]] {
        let mut program = fixture.program(arguments);
        let ran = ran(program.env("http_proxy", &url).env("https_proxy", &url)).await;
        // The local service responds, if not as a receiver.
        assert!(ran.code == 0 || ran.stdout.contains("attempt 3  404"), "{ran:?}");
    }
    // A call to another host uses the proxy.
    let mut program = bare(fixture.home.path(), &RUN);
    program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_BASE_URL", "https://queue.invalid");
    let _child = program.env("https_proxy", &url).spawn().unwrap();
    let (mut called, _) = proxy.accept().await.unwrap();
    let mut head = [0; 26];
    called.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"CONNECT queue.invalid:443 ");
}

#[tokio::test]
async fn the_local_service_exits_with_2_for_invalid_arguments_only() {
    let fixture = Fixture::start().await;
    fs::write(fixture.home.path().join("empty"), "").unwrap();
    let taken = fixture.local.address().to_string();
    let any = "127.0.0.1:0";
    for (code, arguments) in [
        (2, &["--api-key", " "][..]),
        (2, &["--api-key-file", "no-such"]),
        (2, &["--api-key-file", "empty"]),
        (2, &["--api-key", "two\nlines"]),
        (2, &["--endpoint", "a=true", "--worker", "a=true"]),
        (2, &["--worker-env-prefix", "A-B"]),
        (2, &["--listen", "nowhere"]),
        (1, &["--listen", &taken]),
    ] {
        let listen: &[&str] = if arguments[0] == "--listen" { &[] } else { &["--listen", any] };
        fixture.run(&[&["local"], listen, arguments].concat()).await.fails(code, "error: ");
    }
    fixture.run(&["local", "--listen", &taken]).await.fails(1, "127.0.0.1:0 picks a free port");
}

#[tokio::test]
async fn unreadable_settings_are_a_usage_error_with_a_hint() {
    let fixture = Fixture::start().await;
    fs::create_dir(fixture.home.path().join("config.toml")).unwrap();
    let mut program = bare(fixture.home.path(), &RUN);
    let ran = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
    ran.fails(2, "config.toml: Is a directory");
    assert!(ran.stderr.contains("hint: make it a file that you can read, or set PODQUEUE_CONFIG"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_relative_folder_for_settings_is_ignored() {
    let fixture = Fixture::start().await;
    let mut program = with_home(&fixture, &["config", "--where"], Home::Settings("relative"));
    ran(&mut program).await.assert(0, "/.config/podqueue/config.toml\n");
}

/// As in a container, where the user has no home.
#[cfg(unix)]
#[tokio::test]
async fn without_a_home_the_variables_suffice() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let fixture = Fixture::start().await;
    let program = fixture.home.path().join("podqueue");
    // By another process: a program cannot be executed while this process has it open for writing.
    let mut copy = std::process::Command::new("cp");
    let copied = copy.arg(env!("CARGO_BIN_EXE_podqueue")).arg(&program).status().unwrap();
    assert!(copied.success());
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(fixture.home.path(), open).unwrap();
    let run = async |arguments: &[&str], is_set: bool| {
        let mut command = tokio::process::Command::new(&program);
        command.args(arguments).env_clear().current_dir("/").uid(54_321).gid(54_321);
        if is_set {
            command.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_BASE_URL", fixture.local.base_url());
        }
        let stdio = std::process::Stdio::piped;
        command.stdin(std::process::Stdio::null()).stdout(stdio()).stderr(stdio());
        ran(&mut command).await
    };
    run(&RUN, true).await.assert(0, "{}\n");
    run(&["doctor", "echo"], true).await.assert_code(0);
    let config = run(&["config", "--json"], true).await;
    assert!(config.stdout.contains("\"file\":null"), "{config:?}");
    run(&RUN, false).await.fails(4, "hint: set PODQUEUE_API_KEY\n");
    let needed: [&[&str]; 2] = [&["config", "--where"], &["config", "--profile", "work"]];
    for arguments in needed {
        run(arguments, true).await.fails(2, "hint: set PODQUEUE_CONFIG to the path");
    }
}
