//! Stop signal: tells tasks that the server stops.

use tokio::sync::watch;

/// Completes once the signal is set, or its sender is dropped.
pub(super) async fn stopped(signal: &mut watch::Receiver<bool>) {
    let _ = signal.wait_for(|is_set| *is_set).await;
}
