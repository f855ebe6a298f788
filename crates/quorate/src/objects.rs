//! Files that are too large or too many for a store: in a folder, or in a bucket of a service that speaks S3.

mod client;
mod pictures;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use async_trait::async_trait;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{MultipartUpload as _, ObjectStore, ObjectStoreExt as _, RetryConfig};
use quorate_runtime::ports::{Objects, StoreError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use client::Client;

pub(crate) use pictures::ObjectPictures;

/// What begins the address of a bucket.
const BUCKET: &str = "s3://";

/// How much of a large file is sent at a time. S3 takes no parts under 5 MiB, and no more than 10,000 of them, which makes 80 GiB.
const PART: usize = 8 << 20;

/// How often something is tried again, and for how long.
const TRIES_MORE: usize = 2;
const TRIED_WITHIN: Duration = Duration::from_secs(30);

/// How long one small thing may take, tried again or not.
const DONE_WITHIN: Duration = Duration::from_secs(10);

/// Where files are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ObjectPlace {
    /// A folder, which all nodes share.
    Folder(PathBuf),
    /// A bucket, and what all names in it begin with.
    Bucket {
        /// Its name.
        name: String,
        /// The beginning of all names.
        prefix: String,
    },
}

impl FromStr for ObjectPlace {
    type Err = String;

    fn from_str(address: &str) -> Result<Self, String> {
        let Some(bucket) = address.strip_prefix(BUCKET) else {
            return Ok(Self::Folder(address.into()));
        };
        let (name, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
        if name.is_empty() {
            return Err("the bucket has no name: s3://BUCKET/BEGINNING".to_owned());
        }
        Ok(Self::Bucket {
            name: name.to_owned(),
            prefix: prefix.to_owned(),
        })
    }
}

/// A place for files that is open.
#[derive(Clone)]
pub(crate) struct OpenObjects {
    store: Arc<dyn ObjectStore>,
    prefix: String,
    /// How it is called in messages.
    shown: Arc<str>,
}

impl OpenObjects {
    /// Opens a place. What it takes to use a bucket, keys above all, is in the variables that all S3 tools read.
    pub(crate) fn open(place: &ObjectPlace) -> Result<Self> {
        match place {
            ObjectPlace::Folder(folder) => {
                let shown = format!("the folder {}", folder.display());
                std::fs::create_dir_all(folder).with_context(|| format!("cannot use {shown}"))?;
                let folder = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                Ok(Self {
                    store: Arc::new(folder),
                    prefix: String::new(),
                    shown: shown.into(),
                })
            }
            ObjectPlace::Bucket { name, prefix } => {
                let bucket = AmazonS3Builder::from_env().with_bucket_name(name);
                Self::of_bucket(bucket, name, prefix)
            }
        }
    }

    fn of_bucket(bucket: AmazonS3Builder, name: &str, prefix: &str) -> Result<Self> {
        let tries = RetryConfig {
            max_retries: TRIES_MORE,
            retry_timeout: TRIED_WITHIN,
            ..RetryConfig::default()
        };
        let bucket = bucket.with_http_connector(Client).with_retry(tries);
        let bucket = bucket.build();
        let bucket = bucket.with_context(|| format!("cannot use the bucket {name}"))?;
        Ok(Self {
            store: Arc::new(bucket),
            prefix: prefix.to_owned(),
            shown: format!("the bucket {name}").into(),
        })
    }

    /// The bucket that a path of the command line names, and the name in it; none where it is a path of this machine.
    pub(crate) fn named_by(path: &Path) -> Result<Option<(Self, String)>> {
        let Some(address) = path.to_str().filter(|path| path.starts_with(BUCKET)) else {
            return Ok(None);
        };
        let place: ObjectPlace = address.parse().map_err(anyhow::Error::msg)?;
        let ObjectPlace::Bucket { name, prefix } = place else {
            return Ok(None);
        };
        if prefix.is_empty() {
            bail!("{address} names no file: s3://BUCKET/FILE");
        }
        let place = ObjectPlace::Bucket {
            name,
            prefix: String::new(),
        };
        Ok(Some((Self::open(&place)?, prefix)))
    }

    /// Looks whether it can be used.
    ///
    /// # Errors
    /// Fails where it is not there, or may not be used with these keys. What cannot be reached now is told to the log alone, for
    /// games go on without it.
    pub(crate) async fn look(&self) -> Result<()> {
        let looking = self.all(self.store.list(Some(&self.key(""))).take(1));
        match self.within(looking).await {
            Ok(_) => Ok(()),
            Err(Failing::Said(error)) if is_final(&error) => {
                bail!("{}", self.unusable(Failing::Said(error)))
            }
            Err(failing) => {
                tracing::error!("{}", self.unusable(failing));
                Ok(())
            }
        }
    }

    fn key(&self, name: &str) -> Key {
        [self.prefix.as_str(), name]
            .into_iter()
            .flat_map(|part| part.split('/'))
            .filter(|part| !part.is_empty())
            .collect()
    }

    async fn all<T>(
        &self,
        listed: impl Stream<Item = object_store::Result<T>>,
    ) -> object_store::Result<Vec<T>> {
        listed.try_collect().await
    }

    /// Something small that does not wait for ever.
    async fn within<T>(
        &self,
        what: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, Failing> {
        let done = tokio::time::timeout(DONE_WITHIN, what).await;
        done.map_err(|_| Failing::Silent)?.map_err(Failing::Said)
    }

    /// The sentence for people.
    fn unusable(&self, failing: Failing) -> StoreError {
        let cause = match failing {
            Failing::Silent => "it does not answer".to_owned(),
            Failing::Said(error) => said(&error),
        };
        StoreError::NoObjects {
            place: Arc::clone(&self.shown),
            cause: cause.into(),
        }
    }

    /// Sends a file of this machine there. It is there whole or not at all.
    pub(crate) async fn send(&self, name: &str, file: &Path) -> Result<()> {
        let mut file = tokio::fs::File::open(file).await?;
        let sending = self.store.put_multipart(&self.key(name)).await;
        let mut sending = sending.map_err(|error| self.unusable(Failing::Said(error)))?;
        let sent = async {
            loop {
                let mut part = Vec::new();
                let read = (&mut file).take(PART as u64).read_to_end(&mut part).await?;
                if read > 0 {
                    let put = sending.put_part(part.into()).await;
                    put.map_err(|error| self.unusable(Failing::Said(error)))?;
                }
                if read < PART {
                    let whole = sending.complete().await;
                    whole.map_err(|error| self.unusable(Failing::Said(error)))?;
                    return anyhow::Ok(());
                }
            }
        };
        if let Err(error) = sent.await {
            // What was sent of it is of no use; where it cannot be dropped the bucket's own rules do.
            drop(sending.abort().await);
            return Err(error.context(format!("{name} was not sent")));
        }
        Ok(())
    }

    /// Fetches a file from there.
    pub(crate) async fn fetch(&self, name: &str, into: &Path) -> Result<()> {
        let found = self.store.get(&self.key(name)).await;
        let found = found.map_err(|error| match error {
            object_store::Error::NotFound { .. } => {
                anyhow!("there is no {name} in {}: see what is there", self.shown)
            }
            error => self.unusable(Failing::Said(error)).into(),
        });
        let mut parts = found?.into_stream();
        let mut file = tokio::fs::File::create(into).await?;
        while let Some(part) = parts.try_next().await? {
            file.write_all(&part).await?;
        }
        file.sync_all().await?;
        Ok(())
    }
}

/// Why nothing came of something.
enum Failing {
    /// It took too long.
    Silent,
    /// It was refused.
    Said(object_store::Error),
}

/// Whether it would be said again and again, until somebody changes something.
fn is_final(error: &object_store::Error) -> bool {
    [MISSING, REFUSED].contains(&said(error).as_str())
}

const MISSING: &str = "it is not there";
const REFUSED: &str = "it refuses these keys";

/// What was said, in a few words: the innermost cause, for what stands around it tells of the library.
fn said(error: &object_store::Error) -> String {
    use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
    match error {
        NotFound { .. } => return MISSING.to_owned(),
        PermissionDenied { .. } | Unauthenticated { .. } => return REFUSED.to_owned(),
        _ => {}
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let cause = cause.to_string();
    // The library tells a status by its text alone, and behind it all that was answered.
    let Some((_, status)) = cause.split_once("status code: ") else {
        return cause.lines().next().unwrap_or_default().to_owned();
    };
    match status.get(..3) {
        Some("404") => MISSING.to_owned(),
        Some("401" | "403") => REFUSED.to_owned(),
        Some(code) => format!("it answers with {code}"),
        None => cause,
    }
}

#[async_trait]
impl Objects for OpenObjects {
    async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        let key = self.key(name);
        let putting = self.within(self.store.put(&key, bytes.into()));
        let put = putting.await.map(drop);
        put.map_err(|failing| self.unusable(failing))
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let found = async { self.store.get(&self.key(name)).await?.bytes().await };
        match self.within(found).await {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Failing::Said(object_store::Error::NotFound { .. })) => Ok(None),
            Err(failing) => Err(self.unusable(failing)),
        }
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        match self.within(self.store.delete(&self.key(name))).await {
            Ok(()) | Err(Failing::Said(object_store::Error::NotFound { .. })) => Ok(()),
            Err(failing) => Err(self.unusable(failing)),
        }
    }

    async fn remove_all(&self, folder: &str, called: &str) -> Result<(), StoreError> {
        let folder = self.key(folder);
        let listed = self.all(self.store.list(Some(&folder)));
        let listed = self.within(listed).await;
        let listed = listed.map_err(|failing| self.unusable(failing))?;
        let is_meant = |key: &Key| called.is_empty() || key.filename() == Some(called);
        for one in listed.iter().filter(|one| is_meant(&one.location)) {
            let removed = self.within(self.store.delete(&one.location)).await;
            removed.map_err(|failing| self.unusable(failing))?;
        }
        Ok(())
    }
}
