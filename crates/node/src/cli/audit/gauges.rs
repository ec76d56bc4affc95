//! Metrics for a continuous audit.

use superroot_client::audit::Audit;
use tokio_util::sync::CancellationToken;

use crate::listen::ListenAddress;
use crate::measures::{self, Metrics};

pub(super) async fn serve(address: ListenAddress) -> anyhow::Result<()> {
    let Metrics { listener, handle } = measures::open(address, std::iter::empty()).await?;
    say!("metrics on http://{}/metrics", listener.local_addr()?);
    tokio::spawn(measures::serve(listener, handle, CancellationToken::new()));
    Ok(())
}

pub(super) fn set(audit: &Audit, wrong: u8) {
    metrics::gauge!("superroot_node_audit_super_roots").set(audit.size() as f64);
    metrics::gauge!("superroot_node_audit_twigs").set(audit.twigs() as f64);
    metrics::gauge!("superroot_node_audit_wrong").set(f64::from(wrong));
}
