//! Keyboard operation without a mouse.

use serde_json::json;

use super::support::{CONTROL, DOWN, END, ENTER, ESCAPE, Page, TAB, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_submitted_found_opened_and_closed_by_keys() {
    let Some(page) = open(|builder| builder).await else { return };
    let endpoint = "count";
    page.show(endpoint).await;
    page.browser.press("n").await;
    page.until("document.activeElement.id === 'submit-body'").await;
    page.browser.press_with(CONTROL, ENTER).await;
    page.until_text("#job-status", "Completed").await;
    let id = page.text("#job-id").await;
    page.browser.press(&ESCAPE.to_string()).await;
    page.until("document.querySelector('#job').hidden").await;
    page.until("document.activeElement.id === 'job-list'").await;
    for _ in 0..30 {
        page.run(endpoint, json!({})).await;
    }
    page.until_text("#jobs-found", "31 jobs").await;
    page.browser.press("/").await;
    page.until("document.activeElement.id === 'job-search'").await;
    page.browser.press(&format!("{id}{ENTER}")).await;
    page.until_text("#jobs-found", "1 job").await;
    page.until("document.querySelector('#job-list tr.active')").await;
    page.browser.press(&ENTER.to_string()).await;
    page.until_text("#job-id", &id).await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_reached_by_j_k_and_arrows_and_stay_active_while_others_come() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let mut ids = Vec::new();
    for _ in 0..100 {
        ids.push(page.run("echo", json!({})).await);
    }
    page.until_text("#jobs-found", "100 jobs").await;
    page.browser.press("j").await;
    page.until("document.activeElement.id === 'job-list'").await;
    let active = |at: usize| {
        let id = ids[ids.len() - 1 - at].clone();
        format!("document.querySelector('#job-list tr.active code')?.innerText === '{id}'")
    };
    page.until(&active(0)).await;
    page.browser.press(&format!("jj{DOWN}k")).await;
    page.until(&active(2)).await;
    // New jobs come on top; the active row stays active, and keeps the focus.
    page.run("echo", json!({})).await;
    page.until_text("#jobs-found", "101 jobs").await;
    page.until(&active(2)).await;
    page.until("document.activeElement.id === 'job-list'").await;
    let last =
        "document.querySelector('#job-list tr.active')?.getAttribute('aria-rowindex') === '102'";
    page.browser.press(&END.to_string()).await;
    page.until(last).await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_and_the_list_of_keys_are_reached_by_keys() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    for (key, view) in [("7", "logs"), ("0", "submit"), ("2", "requests"), ("4", "faults")] {
        page.browser.press(key).await;
        page.until(&format!("document.activeElement.id === '{view}-title'")).await;
        if view == "submit" {
            page.browser.press(&ESCAPE.to_string()).await;
            page.until("!document.querySelector('#endpoints').hidden").await;
        }
    }
    page.browser.press("?").await;
    page.until_shown("#notice", "Esc one view up").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_control_is_reached_by_tab_and_shows_that_it_has_the_focus() {
    let Some(page) = open(|builder| builder.endpoint_for_workers("shout")).await else { return };
    let id = page.run("shout", json!({})).await;
    for (hash, view) in [
        ("endpoint=shout", "jobs"),
        (&*format!("endpoint=shout&job={id}"), "job-body"),
        ("endpoint=shout&view=submit", "submit"),
        ("view=requests", "requests"),
        ("view=faults", "faults"),
    ] {
        page.visit(hash).await;
        page.until(&format!("!document.querySelector('#{view}').hidden")).await;
        every_control_is_reached(&page).await;
    }
    page.end_soundly(&[]).await;
}

async fn every_control_is_reached(page: &Page) {
    page.browser
        .run(
            "document.querySelectorAll('details').forEach((it) => { it.open = true; });
             window.missing = new Set([...document.querySelectorAll(
                'a, button, input, select, textarea, summary, [tabindex=\"0\"]')].filter((it) =>
                it.checkVisibility() && !it.disabled && !it.closest('dialog')));
             window.hidden = [];
             document.activeElement.blur();
             addEventListener('focusin', ({ target }) => {
                window.missing.delete(target);
                const style = getComputedStyle(target);
                const box = target.getBoundingClientRect();
                const dock = document.querySelector('#clock').getBoundingClientRect();
                if (style.outlineStyle === 'none') window.hidden.push(target.outerHTML);
                if (!target.closest('#clock') && box.top > dock.top) window.hidden.push(target.outerHTML);
             });",
        )
        .await;
    let controls = page.browser.run("return window.missing.size").await.as_u64().unwrap();
    assert!(controls >= 9, "{controls}");
    for _ in 0..controls + 5 {
        page.browser.press(&TAB.to_string()).await;
    }
    let missing = "return [...window.missing].map((it) => it.outerHTML)";
    assert_eq!(page.browser.run(missing).await, json!([]));
    assert_eq!(page.browser.run("return window.hidden").await, json!([]));
}

/// On a busy service some fetch is always under way.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_row_is_reached_while_the_list_is_being_fetched() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let first = page.run("echo", json!({})).await;
    for _ in 0..99 {
        page.run("echo", json!({})).await;
    }
    page.until_text("#jobs-found", "100 jobs").await;
    page.browser.press("j").await;
    page.until("document.querySelector('#job-list tr.active')").await;
    page.browser
        .run(
            "const { fetch } = window;
             const held = new Promise((resolve) => { window.release = resolve; });
             window.fetch = async (url, options) => {
                if (url.includes('/jobs?') && !window.isHeld) {
                    window.isHeld = true;
                    await held;
                }
                return fetch(url, options);
             };",
        )
        .await;
    page.run("echo", json!({})).await;
    page.until("window.isHeld").await;
    page.browser.press(&END.to_string()).await;
    page.browser.run("window.release()").await;
    let active =
        format!("document.querySelector('#job-list tr.active code')?.innerText === '{first}'");
    page.until(&active).await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_focus_stays_in_its_section_when_the_focused_element_vanishes() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    // Another client ends the fault.
    page.post("/_local/faults", json!({ "operation": "run", "times": 1, "cut": 0 })).await;
    page.until("document.querySelector('#fault-list button')").await;
    page.browser.run("document.querySelector('#fault-list button').focus()").await;
    page.http
        .delete(format!("{}/_local/faults", page.local.base_url()))
        .header("authorization", super::support::KEY)
        .send()
        .await
        .unwrap();
    page.until("!document.querySelector('#fault-list button')").await;
    page.until("document.activeElement.id === 'faults-title'").await;
    page.end_soundly(&[]).await;
}
