//! Tests on a terminal: colors, progress, confirmations, and a prompt without echo.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use podqueue_local::{Fault, LocalJob, LocalService, Operation, Workers};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcgetpgrp, tcsetwinsize};
use serde_json::json;
use tokio::process::{Child, Command};

use crate::support::{Fixture, KEY};

const RED: &str = "\u{1b}[31m";

/// A terminal with a program in it.
struct Terminal {
    child: Child,
    master: File,
    shown: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Terminal {
    /// Starts a program in a session of its own, whose terminal this is.
    fn start(program: &Command, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let slave = File::options().read(true).write(true).open(name).unwrap();
        let program = program.as_std();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]).arg(program.get_program()).args(program.get_args());
        command.env_clear();
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        for (name, value) in program.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let stdio = || Stdio::from(slave.try_clone().unwrap());
        command.stdin(stdio()).stdout(stdio()).stderr(stdio()).kill_on_drop(true);
        let child = command.env("TERM", "xterm-256color").spawn().unwrap();
        let master = File::from(master);
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut reader, screen) = (master.try_clone().unwrap(), Arc::clone(&shown));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // An error means that no process has the terminal open any more.
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                screen.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        Self { child, master, shown, reader }
    }

    fn types(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }

    async fn shows(&self, text: &str) {
        for _ in 0..12_000 {
            if self.shown.lock().unwrap().contains(text) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{text:?} is not shown: {:?}", self.shown.lock().unwrap());
    }

    /// Awaits the end of the program, and returns its exit code and all that it showed.
    async fn ends(mut self) -> (i32, String) {
        let status = self.child.wait().await.unwrap();
        // The reader ends once it has read all that was written.
        tokio::task::spawn_blocking(|| self.reader.join().unwrap()).await.unwrap();
        let shown = self.shown.lock().unwrap().clone();
        assert!(!shown.contains(KEY), "{shown}");
        (status.code().unwrap(), shown)
    }
}

#[tokio::test]
async fn colors_are_used_on_a_terminal_unless_turned_off() {
    let fixture = Fixture::start().await;
    let arguments = ["run", "fail", "-f", "message=boo"];
    let (code, shown) = Terminal::start(&fixture.program(&arguments), 80).ends().await;
    assert_eq!(code, 3);
    assert!(shown.contains(RED), "{shown:?}");
    let mut program = fixture.program(&arguments);
    program.env("NO_COLOR", "1");
    let (_, shown) = Terminal::start(&program, 80).ends().await;
    assert!(!shown.contains(RED) && shown.contains("boo"), "{shown:?}");
    let never = ["run", "fail", "-f", "message=boo", "--color", "never"];
    let (_, shown) = Terminal::start(&fixture.program(&never), 80).ends().await;
    assert!(!shown.contains(RED), "{shown:?}");
    let piped = fixture.run(&["run", "fail", "-f", "message=boo", "--color", "always"]).await;
    assert!(piped.stderr.contains(RED), "{}", piped.stderr);
}

#[tokio::test]
async fn json_is_indented_on_a_terminal() {
    let fixture = Fixture::start().await;
    let program = fixture.program(&["run", "echo", "{\"a\": {\"b\": 1}}", "--quiet"]);
    let (code, shown) = Terminal::start(&program, 80).ends().await;
    assert_eq!((code, shown.as_str()), (0, "{\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n"));
}

#[tokio::test]
async fn a_spinner_is_shown_and_cleared() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let handler = {
        let gate = Arc::clone(&gate);
        move |_: LocalJob| {
            let gate = Arc::clone(&gate);
            async move {
                gate.notified().await;
                Ok(json!("done"))
            }
        }
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("gated", handler)).await;
    let terminal = Terminal::start(&fixture.program(&["run", "gated", "{}"]), 80);
    terminal.shows("waiting for job ").await;
    gate.notify_one();
    let (code, shown) = terminal.ends().await;
    assert_eq!(code, 0);
    assert!(shown.ends_with("\u{1b}[2K\"done\"\r\n"), "{shown:?}");
}

/// On a busy machine, some of the runs may take longer than the moment.
#[tokio::test]
async fn no_spinner_is_shown_for_a_moment() {
    let fixture = Fixture::start().await;
    for _ in 0..20 {
        let program = fixture.program(&["run", "echo", "{}", "--color", "never"]);
        let (code, shown) = Terminal::start(&program, 80).ends().await;
        assert_eq!(code, 0);
        if shown == "{}\r\n" {
            return;
        }
    }
    panic!("a spinner is shown each time");
}

#[tokio::test]
async fn the_spinner_is_cleared_before_data() {
    let fixture = Fixture::start().await;
    let created = fixture.run(&["template", "create", "t", "--image", "i", "--json"]).await;
    let created: serde_json::Value = serde_json::from_str(&created.stdout).unwrap();
    let id = created["id"].as_str().unwrap();
    for arguments in [
        &["template", "create", "other", "--image", "i"][..],
        &["template", "update", id, "--name", "t", "--image", "i"],
        &["template", "get", id],
        &["template", "delete", "t", "--yes"],
        &["health", "echo"],
        &["purge", "echo", "--yes"],
        &["doctor"],
    ] {
        let (code, shown) = Terminal::start(&fixture.program(arguments), 80).ends().await;
        assert_eq!(code, 0, "{shown}");
        let last = shown.rsplit("\u{1b}[2K").next().unwrap();
        assert!(last.ends_with("\r\n"), "{arguments:?}: {shown:?}");
    }
}

#[tokio::test]
async fn a_batch_shows_its_progress() {
    let (builder, gate) = crate::batch::gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(3);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl"];
    let terminal = Terminal::start(&fixture.program(&run), 80);
    terminal.shows("0 of 3 ended (0%), 3 outstanding").await;
    gate.send_replace(true);
    let (code, shown) = terminal.ends().await;
    assert_eq!(code, 0, "{shown}");
}

#[tokio::test]
async fn a_table_is_truncated_at_the_edge_of_the_terminal() {
    let fixture = Fixture::start().await;
    let wide = "画".repeat(100);
    let job = fixture.submit("echo", &format!("{{\"text\": \"{wide}\"}}")).await;
    let wait = fixture.run(&["wait", "echo", &job]).await;
    assert_eq!(wait.code, 0, "{}", wait.stderr);
    let program = fixture.program(&["status", "echo", &job, "--quiet", "--color", "never"]);
    let (_, shown) = Terminal::start(&program, 90).ends().await;
    let row = shown.lines().last().unwrap();
    assert!(row.ends_with('…') && row.chars().count() < 90, "{shown}");
}

#[tokio::test]
async fn a_purge_asks_for_confirmation() {
    let fixture =
        Fixture::with(LocalService::builder().workers_of("echo", Workers::between(0, 0))).await;
    fixture.submit("echo", "{}").await;
    for (reply, code, text) in [("n\n", 1, "not confirmed"), ("y\n", 0, "removed 1 job")] {
        let mut terminal = Terminal::start(&fixture.program(&["purge", "echo"]), 80);
        terminal.shows("[y/N]").await;
        terminal.types(reply);
        let (exit, shown) = terminal.ends().await;
        assert_eq!(exit, code, "{shown}");
        assert!(shown.contains(text), "{shown}");
    }
}

#[tokio::test]
async fn a_confirmation_can_be_interrupted() {
    let fixture = Fixture::start().await;
    for arguments in
        [&["purge", "echo"][..], &["template", "delete", "t"], &["secret", "delete", "s"]]
    {
        let mut terminal = Terminal::start(&fixture.program(arguments), 80);
        terminal.shows("[y/N]").await;
        terminal.types("\u{3}");
        assert_eq!(terminal.ends().await.0, 130);
    }
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn text_of_a_handler_cannot_control_the_terminal() {
    let say = |_: LocalJob| async { Ok(json!("\u{1b}[35mpurple \u{202e}dlot")) };
    let fixture = Fixture::with(LocalService::builder().endpoint("say", say)).await;
    for arguments in [&["run", "say", "{}", "--raw"][..], &["run", "say", "{}"]] {
        let (code, shown) = Terminal::start(&fixture.program(arguments), 80).ends().await;
        assert!(code == 0 && shown.contains("purple"), "{shown:?}");
        assert!(!shown.contains("\u{1b}[35m") && !shown.contains('\u{202e}'), "{shown:?}");
    }
    // The id of a job is shown while the job is awaited.
    let body = json!({ "id": "\u{1b}[35mpurple", "status": "IN_QUEUE" }).to_string();
    fixture.local.add_fault(Fault::response(200, body).on(Operation::Run));
    let until_the_spinner = Duration::from_millis(900);
    fixture.local.add_fault(Fault::delay(until_the_spinner).on(Operation::Status));
    let wait = ["run", "say", "{}", "--timeout", "1s"];
    let (_, shown) = Terminal::start(&fixture.program(&wait), 80).ends().await;
    assert!(shown.contains("waiting for job") && !shown.contains("\u{1b}[35m"), "{shown:?}");
}

#[tokio::test]
async fn an_interrupted_prompt_restores_the_terminal() {
    // The signal may arrive before the thread of the prompt has begun to read.
    for by_key in [true, false].repeat(5) {
        interrupt_the_prompt(by_key).await;
    }
}

/// By Ctrl-C, or by a signal from another process.
async fn interrupt_the_prompt(by_key: bool) {
    let fixture = Fixture::start().await;
    let mut terminal = Terminal::start(&fixture.program(&["secret", "create", "token"]), 80);
    let echoes = |terminal: &Terminal| {
        tcgetattr(&terminal.master).unwrap().local_modes.contains(LocalModes::ECHO)
    };
    terminal.shows("Value of token").await;
    // Turned off before the prompt is shown, since a value may be pasted at once.
    assert!(!echoes(&terminal));
    if by_key {
        terminal.types("\u{3}");
    } else {
        kill_process(in_front(&terminal), Signal::TERM).unwrap();
    }
    let status = terminal.child.wait().await.unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(echoes(&terminal));
    assert!(fixture.local.secret_ids().is_empty());
}

/// The process that has the terminal to itself.
fn in_front(terminal: &Terminal) -> Pid {
    tcgetpgrp(&terminal.master).unwrap()
}

/// A terminal's own line buffer has 4096 bytes.
#[tokio::test]
async fn a_long_secret_is_read_whole() {
    let fixture = Fixture::start().await;
    let mut terminal = Terminal::start(&fixture.program(&["secret", "create", "token"]), 80);
    terminal.shows("Value of token").await;
    let value = "s3cret".repeat(1_000);
    terminal.types(&format!("x\u{7f}{value}\n"));
    let (code, shown) = terminal.ends().await;
    assert_eq!(code, 0, "{shown}");
    let id = fixture.local.secret_ids().pop().unwrap();
    assert_eq!(fixture.local.secret_value(&id).as_deref(), Some(value.as_str()));
}

#[tokio::test]
async fn a_secret_is_not_echoed() {
    let fixture = Fixture::start().await;
    let mut terminal = Terminal::start(&fixture.program(&["secret", "create", "token"]), 80);
    terminal.shows("Value of token").await;
    terminal.types("s3cret\n");
    let (code, shown) = terminal.ends().await;
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("s3cret"), "{shown}");
    let id = fixture.local.secret_ids().pop().unwrap();
    assert_eq!(fixture.local.secret_value(&id).as_deref(), Some("s3cret"));
}

/// The shell would run the remaining lines of a pasted key, and store them in its history.
#[tokio::test]
async fn a_value_of_several_lines_is_refused_and_discarded() {
    let fixture = Fixture::start().await;
    let mut shell = Command::new("sh");
    let secret = fixture.program(&["secret", "create", "token"]);
    let secret = secret.as_std();
    shell.args(["-c", "\"$0\" \"$@\"; echo ended $?; read rest; echo \"the rest is $rest\""]);
    shell.arg(secret.get_program()).args(secret.get_args());
    shell.envs(secret.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = Terminal::start(&shell, 80);
    terminal.shows("Value of token").await;
    terminal.types("s3cret\nline 2\nline 3\n");
    terminal.shows("ended 2").await;
    terminal.types("fine\n");
    let (_, shown) = terminal.ends().await;
    assert!(shown.contains("several lines") && shown.contains("the rest is fine"), "{shown}");
    assert!(!shown.contains("line 2"), "{shown}");
    assert!(fixture.local.secret_ids().is_empty());
}

/// The program is a function that prints its arguments, so that what the shell completed is shown.
#[tokio::test]
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
async fn zsh_completes_commands_and_options() {
    if Command::new("zsh").arg("--version").output().await.is_err() {
        eprintln!("skipped: zsh is not installed");
        return;
    }
    let fixture = Fixture::start().await;
    let script = fixture.run(&["completions", "zsh"]).await.stdout;
    std::fs::write(fixture.home.path().join("completions"), script).unwrap();
    let mut zsh = Command::new("zsh");
    zsh.args(["-f", "-i"]).current_dir(&fixture.home).env("HOME", fixture.home.path());
    zsh.env("PATH", std::env::var_os("PATH").unwrap());
    let mut terminal = Terminal::start(&zsh, 80);
    terminal.types("autoload -Uz compinit; compinit -u -D; source ./completions\n");
    terminal.types("podqueue() { print -r -- \"[$*]\" }; echo loa''ded\n");
    terminal.shows("loaded").await;
    terminal.types("podqueue canc\t\n");
    terminal.shows("[cancel]").await;
    terminal.types("podqueue run --at-l\t\n");
    terminal.shows("[run --at-least-once]").await;
    std::fs::write(fixture.home.path().join("a prompt.json"), "{}").unwrap();
    terminal.types("podqueue run echo @a\t\n");
    terminal.shows("[run echo @a prompt.json]").await;
    terminal.types("podqueue run echo --field text=@a\t\n");
    terminal.shows("[run echo --field text=@a prompt.json]").await;
    terminal.types("exit\n");
    assert_eq!(terminal.ends().await.0, 0);
}
