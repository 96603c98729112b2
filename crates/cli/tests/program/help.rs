//! Tests of help, completions and the manual.

use std::fs;

use crate::support::{Fixture, bare, ran};

#[tokio::test]
async fn without_arguments_the_first_steps_are_shown() {
    let fixture = Fixture::start().await;
    let shown = ran(&mut bare(fixture.home.path(), &[])).await;
    assert_eq!(shown.code, 0);
    let commands = shown.stdout.lines().filter(|line| line.starts_with("  podqueue ")).count();
    assert_eq!(commands, 6, "{}", shown.stdout);
    assert!(shown.stdout.contains("podqueue --help"), "{}", shown.stdout);
}

#[tokio::test]
async fn help_starts_with_examples_and_ends_with_the_exit_codes() {
    let fixture = Fixture::start().await;
    let help = ran(&mut bare(fixture.home.path(), &["run", "--help"])).await;
    assert!(help.stdout.find("Examples:") < help.stdout.find("Usage:"), "{}", help.stdout);
    let help = ran(&mut bare(fixture.home.path(), &["--help"])).await;
    assert!(help.stdout.contains("124  --timeout has passed"), "{}", help.stdout);
    ran(&mut bare(fixture.home.path(), &["rum"])).await.fails(2, "'run'");
    let version = ran(&mut bare(fixture.home.path(), &["--version"])).await;
    version.assert(0, &format!("podqueue {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn the_manual_has_a_page_for_each_command() {
    let fixture = Fixture::start().await;
    let man = ran(&mut bare(fixture.home.path(), &["man"])).await;
    assert!(man.stdout.contains(".SH \"EXIT STATUS\"") && man.stdout.contains(".SH EXAMPLES"));
    let folder = fixture.home.path().join("man1");
    let written = ran(&mut bare(fixture.home.path(), &["man", folder.to_str().unwrap()])).await;
    assert_eq!(written.code, 0, "{}", written.stderr);
    for page in ["podqueue.1", "podqueue-run.1", "podqueue-template-create.1"] {
        assert!(fs::read_to_string(folder.join(page)).unwrap().contains("EXAMPLES"), "{page}");
    }
    for page in fs::read_dir(&folder).unwrap() {
        assert!(fs::read_to_string(page.unwrap().path()).unwrap().is_ascii());
    }
    let local = fs::read_to_string(folder.join("podqueue-local.1")).unwrap();
    assert!(local.contains("\\[u2026]"), "{local}");
    let file = fixture.home.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = ran(&mut bare(fixture.home.path(), &["man", file.to_str().unwrap()])).await;
    refused.fails(1, &format!("failed to write {}", file.display()));
}

/// The completions by a shell that has loaded the script.
#[cfg(unix)]
async fn completed_by_bash(fixture: &Fixture, words: &[&str]) -> Option<String> {
    let script = ran(&mut bare(fixture.home.path(), &["completions", "bash"])).await.stdout;
    let path = fixture.home.path().join("podqueue.bash");
    fs::write(&path, script).unwrap();
    let ask = format!(
        "source {}; COMP_WORDS=({}); COMP_CWORD={}; _podqueue_or_file podqueue {} {}; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        path.display(),
        words.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let mut bash = tokio::process::Command::new("bash");
    bash.current_dir(&fixture.home).args(["--norc", "-c", &ask]);
    let output = bash.output().await.ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[cfg(unix)]
#[tokio::test]
async fn bash_completes_commands_and_options() {
    let fixture = Fixture::start().await;
    // Skipped without bash.
    let Some(commands) = completed_by_bash(&fixture, &["podqueue", "st"]).await else { return };
    assert_eq!(commands, "status\nstream\n");
    let options = completed_by_bash(&fixture, &["podqueue", "run", "--at"]).await.unwrap();
    assert_eq!(options, "--at-least-once\n");
}

#[cfg(unix)]
#[tokio::test]
async fn bash_completes_the_file_after_an_at_sign() {
    let fixture = Fixture::start().await;
    fs::create_dir(fixture.home.path().join("sub")).unwrap();
    fs::write(fixture.home.path().join("a prompt.json"), "{}").unwrap();
    let run = |word| ["podqueue", "run", "echo", word];
    let Some(files) = completed_by_bash(&fixture, &run("@a")).await else { return };
    assert_eq!(files, "@a\\ prompt.json\n");
    for (word, completed) in
        [("@su", "@sub/\n"), ("text=@a", "text=@a\\ prompt.json\n"), ("@none", "\n")]
    {
        assert_eq!(completed_by_bash(&fixture, &run(word)).await.unwrap(), completed);
    }
}

#[tokio::test]
async fn there_are_completions_for_each_shell() {
    let fixture = Fixture::start().await;
    let without = ran(&mut bare(fixture.home.path(), &["completions"])).await;
    without.fails(2, "name a shell: bash, elvish, fish, powershell, zsh");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ran(&mut bare(fixture.home.path(), &["completions", shell])).await;
        assert!(script.code == 0 && script.stdout.contains("at-least-once"), "{shell}");
    }
}

#[tokio::test]
async fn completions_and_the_manual_are_installed_by_one_command() {
    let fixture = Fixture::start().await;
    let home = fixture.home.path();
    let install = |more: &[&str], shell: &str| {
        let mut command = bare(home, &[&["completions", "--install"], more].concat());
        command.env("SHELL", shell);
        command
    };
    for (shell, file) in [
        ("bash", "bash-completion/completions/podqueue"),
        ("zsh", "zsh/site-functions/_podqueue"),
        ("fish", "fish/vendor_completions.d/podqueue.fish"),
    ] {
        let installed = ran(&mut install(&[], &format!("/usr/bin/{shell}"))).await;
        assert_eq!(installed.code, 0, "{}", installed.stderr);
        let files: Vec<_> = installed.stdout.lines().map(str::to_owned).collect();
        let data = home.join(".local/share");
        assert_eq!(files[0], data.join(file).display().to_string());
        let printed = ran(&mut bare(home, &["completions", shell])).await.stdout;
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), printed, "{shell}");
        assert!(files.contains(&data.join("man/man1/podqueue-run.1").display().to_string()));
        assert!(files.iter().all(|it| fs::exists(it).unwrap()));
        assert_eq!(installed.stderr.contains("fpath+=("), shell == "zsh", "{}", installed.stderr);
    }
    ran(&mut install(&["elvish"], "/bin/bash")).await.fails(2, "no folder from which elvish");
    ran(&mut install(&[], "/bin/unknown")).await.fails(2, "name a shell: bash");
}
