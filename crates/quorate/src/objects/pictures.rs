//! Pictures in a place for files. The store keeps who uploaded each, and instead of the file where that is.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{AccountError, AccountId, Objects, Upload, UploadKept, Uploads};

/// What begins the note that a file is elsewhere. No picture begins so.
const NOTE: &str = "object ";

/// Pictures whose files are elsewhere. Those that a store kept before are found in it as ever.
pub(crate) struct ObjectPictures<S: ?Sized> {
    objects: Arc<dyn Objects>,
    notes: Arc<S>,
}

impl<S: Uploads + ?Sized> ObjectPictures<S> {
    /// Pictures in that place, and who uploaded them in that store.
    pub(crate) fn new(objects: Arc<dyn Objects>, notes: Arc<S>) -> Self {
        Self { objects, notes }
    }
}

/// What begins the names of all pictures, of those of a game with a word, and the name of one.
const ALL: &str = "pictures/";

fn folder(game: &GameId, word: &str) -> String {
    format!("{ALL}{game}/{word}/")
}

fn own(id: AccountId) -> String {
    format!("{}.png", id.0)
}

fn name(id: AccountId, game: &GameId, word: &str) -> String {
    folder(game, word) + &own(id)
}

/// Where a file is, if it is not in the store.
fn noted(file: &[u8]) -> Option<&str> {
    std::str::from_utf8(file).ok()?.strip_prefix(NOTE)
}

#[async_trait]
impl<S: Uploads + ?Sized> Uploads for ObjectPictures<S> {
    async fn keep_upload(&self, id: AccountId, kept: &Upload) -> Result<UploadKept, AccountError> {
        let name = name(id, &kept.game, &kept.word);
        let note = Upload {
            file: format!("{NOTE}{name}").into_bytes(),
            ..kept.clone()
        };
        // The note comes first, for it is what tells whether there is room. Until the file is there the picture is not.
        let noted = self.notes.keep_upload(id, &note).await?;
        if noted == UploadKept::Kept {
            self.objects.put(&name, kept.file.clone()).await?;
        }
        Ok(noted)
    }

    async fn upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<Option<Upload>, AccountError> {
        let Some(upload) = self.notes.upload(game, word, by).await? else {
            return Ok(None);
        };
        let Some(name) = noted(&upload.file) else {
            return Ok(Some(upload));
        };
        let file = self.objects.get(name).await?;
        Ok(file.map(|file| Upload { file, ..upload }))
    }

    async fn drop_upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<u64, AccountError> {
        // Files go first: without its note nobody would find one again.
        match by {
            Some(id) => self.objects.remove(&name(id, game, word)).await,
            None => self.objects.remove_all(&folder(game, word), "").await,
        }?;
        self.notes.drop_upload(game, word, by).await
    }

    async fn drop_uploads_of(&self, id: AccountId) -> Result<u64, AccountError> {
        self.objects.remove_all(ALL, &own(id)).await?;
        self.notes.drop_uploads_of(id).await
    }
}

#[cfg(test)]
#[path = "../../tests/objects/service.rs"]
mod service;

#[cfg(test)]
mod tests {
    use object_store::aws::AmazonS3Builder;
    use quorate_runtime::testing::contract;
    use quorate_store::{Store, StoreOptions};

    use super::service::Service;
    use super::*;
    use crate::objects::{ObjectPlace, OpenObjects};

    fn bucket(service: &Service, name: &str) -> OpenObjects {
        let bucket = AmazonS3Builder::new()
            .with_bucket_name(name)
            .with_region("us-east-1")
            .with_endpoint(format!("http://{}", service.address))
            .with_allow_http(true)
            .with_access_key_id("key")
            .with_secret_access_key("word");
        OpenObjects::of_bucket(bucket, name, "of/a site").unwrap()
    }

    fn folder(folder: &tempfile::TempDir) -> OpenObjects {
        let place = ObjectPlace::Folder(folder.path().join("objects"));
        OpenObjects::open(&place).unwrap()
    }

    async fn store(folder: &tempfile::TempDir) -> Arc<Store> {
        let data = folder.path().join("data");
        let store = Store::open(&data, StoreOptions::default()).await;
        Arc::new(store.unwrap())
    }

    async fn keeps_the_contract(objects: OpenObjects) {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let pictures = ObjectPictures::new(Arc::new(objects), Arc::clone(&store));
        contract::uploads(&*store, &pictures).await;
    }

    #[tokio::test]
    async fn pictures_in_a_folder_keep_the_contract() {
        let place = tempfile::tempdir().unwrap();
        keeps_the_contract(folder(&place)).await;
    }

    #[tokio::test]
    async fn pictures_in_a_bucket_keep_the_contract() {
        if let Some(service) = Service::start() {
            keeps_the_contract(bucket(&service, "bucket")).await;
            assert!(!service.names("of/a%20site/pictures/").is_empty());
        }
    }

    fn upload(word: &str) -> Upload {
        Upload {
            game: "reef".parse().unwrap(),
            word: word.to_owned(),
            at: quorate_kernel::Moment(1),
            file: b"a picture".to_vec(),
        }
    }

    #[tokio::test]
    async fn what_was_dropped_is_nowhere_and_what_a_store_had_before_is_found() {
        let place = tempfile::tempdir().unwrap();
        let (objects, store) = (Arc::new(folder(&place)), store(&place).await);
        let account = contract::somebody(&*store, "Anna").await;
        let (before, after) = (upload("before"), upload("after"));
        store.keep_upload(account, &before).await.unwrap();
        let pictures = ObjectPictures::new(objects.clone(), Arc::clone(&store));
        pictures.keep_upload(account, &after).await.unwrap();
        for kept in [&before, &after] {
            let found = pictures.upload(&kept.game, &kept.word, None).await;
            assert_eq!(found.unwrap().as_ref(), Some(kept));
        }
        let there = name(account, &after.game, &after.word);
        assert_eq!(objects.get(&there).await.unwrap(), Some(after.file));
        pictures.drop_uploads_of(account).await.unwrap();
        assert_eq!(objects.get(&there).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_bucket_that_is_away_is_told_in_one_sentence_and_what_was_kept_is_there_when_it_is_back()
     {
        let Some(service) = Service::start() else {
            return;
        };
        let missing = bucket(&service, "elsewhere").look().await.unwrap_err();
        assert_eq!(
            missing.to_string(),
            "the bucket elsewhere cannot be used (it is not there): nothing was lost; try again once it can"
        );
        let place = tempfile::tempdir().unwrap();
        let store = store(&place).await;
        let account = contract::somebody(&*store, "Anna").await;
        let objects = Arc::new(bucket(&service, "bucket"));
        let pictures = ObjectPictures::new(objects.clone(), Arc::clone(&store));
        let (early, late) = (upload("early"), upload("late"));
        pictures.keep_upload(account, &early).await.unwrap();
        let address = service.address;
        drop(service);
        objects.look().await.unwrap();
        for failed in [
            pictures.keep_upload(account, &late).await.map(drop),
            pictures.upload(&early.game, "early", None).await.map(drop),
            pictures
                .drop_upload(&early.game, "early", None)
                .await
                .map(drop),
        ] {
            let said = failed.unwrap_err().to_string();
            assert!(
                said.starts_with("the bucket bucket cannot be used ("),
                "{said}"
            );
            assert!(
                said.ends_with("): nothing was lost; try again once it can"),
                "{said}"
            );
            assert_eq!(said.lines().count(), 1);
        }
        let _back = Service::at(address).unwrap();
        // This one forgets what it held when it ends, and so stands for a bucket that lost its files too.
        assert_eq!(
            pictures.upload(&early.game, "early", None).await.unwrap(),
            None
        );
        let kept = pictures.keep_upload(account, &late).await.unwrap();
        assert_eq!(kept, UploadKept::Kept);
        let found = pictures.upload(&late.game, "late", None).await.unwrap();
        assert_eq!(found, Some(late));
    }

    #[tokio::test]
    async fn a_large_file_goes_to_a_bucket_and_comes_back() {
        let Some(service) = Service::start() else {
            return;
        };
        let place = tempfile::tempdir().unwrap();
        let bucket = bucket(&service, "bucket");
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        let bytes: Vec<u8> = (0..20_u32 << 20).map(|nth| nth.to_le_bytes()[1]).collect();
        std::fs::write(&from, &bytes).unwrap();
        bucket.send("backups/monday.tar", &from).await.unwrap();
        bucket.fetch("backups/monday.tar", &to).await.unwrap();
        assert!(std::fs::read(&to).unwrap() == bytes, "all of it came back");
        let missing = bucket.fetch("backups/tuesday.tar", &to).await.unwrap_err();
        assert_eq!(
            missing.to_string(),
            "there is no backups/tuesday.tar in the bucket bucket: see what is there"
        );
    }
}
