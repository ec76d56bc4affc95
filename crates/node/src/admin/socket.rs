//! `DATA/admin.sock`: a socket private to the folder's owner.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use super::router::{Admin, router};
use super::{SOCKET, SocketPeer};

/// Socket address limit in bytes, including the terminator, on the narrowest system.
const ADDRESS_BYTES_MAX: usize = 100;

/// Folder handle for socket paths of any length.
pub(super) struct SocketFolder {
    /// Kept open: the short path leads through the handle.
    _folder: File,
    path: PathBuf,
}

impl SocketFolder {
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        let open = File::open(folder)?;
        let longest = folder.join(SOCKET).as_os_str().len();
        let path = if longest < ADDRESS_BYTES_MAX {
            folder.to_path_buf()
        } else {
            PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()))
        };
        Ok(Self { _folder: open, path })
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }
}

/// Socket file, removed on drop.
struct BoundSocket {
    listener: Option<UnixListener>,
    path: PathBuf,
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Opens the socket in a locked folder, and replaces a leftover socket. The mode is set in a private folder, so that no
/// other user can ever connect.
fn bind(data: &Path) -> io::Result<BoundSocket> {
    let private = data.join(format!("admin-{:08x}", rand::random::<u32>()));
    std::fs::DirBuilder::new().mode(0o700).create(&private)?;
    let bound = bind_within(&private).and_then(|listener| {
        std::fs::rename(private.join(SOCKET), data.join(SOCKET))?;
        Ok(BoundSocket { listener: Some(listener), path: data.join(SOCKET) })
    });
    let _ = std::fs::remove_dir_all(&private);
    bound
}

fn bind_within(private: &Path) -> io::Result<UnixListener> {
    let reach = SocketFolder::of(private)?;
    let listener = UnixListener::bind(reach.socket())?;
    std::fs::set_permissions(reach.socket(), Permissions::from_mode(0o600))?;
    Ok(listener)
}

impl Connected<IncomingStream<'_, UnixListener>> for SocketPeer {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        let peer = stream.io().peer_cred().ok();
        Self {
            uid: peer.as_ref().map(tokio::net::unix::UCred::uid),
            pid: peer.as_ref().and_then(tokio::net::unix::UCred::pid),
            through: "socket",
        }
    }
}

/// Serves the folder's socket until shutdown. Faults in one request do not affect others.
pub(crate) async fn serve(
    data: PathBuf,
    admin: Admin,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let shown = data.join(SOCKET).display().to_string();
    let mut bound = bind(&data).with_context(|| format!("cannot open {shown}"))?;
    let Some(listener) = bound.listener.take() else { return Ok(()) };
    let service = router(admin).into_make_service_with_connect_info::<SocketPeer>();
    axum::serve(listener, service)
        .with_graceful_shutdown(async move { shutdown.cancelled().await })
        .await
        .with_context(|| format!("the service on {shown} failed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_socket_is_for_its_owner_alone_and_goes_with_the_service() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join(SOCKET), "left by a killed one").unwrap();
        let bound = bind(data.path()).unwrap();
        let path = data.path().join(SOCKET);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 1, "nothing else is left");
        assert!(tokio::net::UnixStream::connect(&path).await.is_ok());
        drop(bound);
        assert!(!path.exists());
    }

    /// A path longer than an address may be is reached all the same.
    #[tokio::test]
    async fn a_folder_of_a_long_path_has_a_socket_too() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("x".repeat(200));
        std::fs::create_dir(&data).unwrap();
        let _bound = bind(&data).unwrap();
        let reach = SocketFolder::of(&data).unwrap();
        assert!(tokio::net::UnixStream::connect(reach.socket()).await.is_ok());
    }
}
