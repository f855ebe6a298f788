//! The steps by which both stores come to the form of this release: each has a folder of files, and reads it by this code.

use include_dir::{Dir, File, include_dir};
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

static STEPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/migrations");

/// The steps in the order of their numbers. Read here, for sqlx's own macro brings the whole of sqlx a second time into a build.
pub(crate) fn migrator() -> Migrator {
    // To leave one out would be to open a store in a form that no release ever had.
    of_folder(&STEPS).unwrap_or_else(|file| panic!("{file} is no step: NUMBER_WHAT.sql"))
}

/// Or the file that is no step.
fn of_folder(folder: &'static Dir<'static>) -> Result<Migrator, String> {
    let steps = folder.files();
    let steps = steps.map(|file| step(file).ok_or_else(|| file.path().display().to_string()));
    Ok(Migrator::with_migrations(steps.collect::<Result<_, _>>()?))
}

fn step(file: &'static File<'static>) -> Option<Migration> {
    let (number, what) = file.path().file_stem()?.to_str()?.split_once('_')?;
    Some(Migration::new(
        number.parse().ok()?,
        what.replace('_', " ").into(),
        MigrationType::Simple,
        file.contents_utf8()?.into_sql_str(),
        false,
    ))
}

#[cfg(test)]
mod tests {
    use include_dir::DirEntry;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_a_step() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let files = std::fs::read_dir(folder).expect("a folder").count();
        assert_eq!(migrator().iter().count(), files);
    }

    #[test]
    fn a_file_whose_name_has_no_number_is_not_left_out() {
        static ODD: Dir<'_> = Dir::new("", &[DirEntry::File(File::new("begin.sql", b"SELECT 1"))]);
        assert_eq!(of_folder(&ODD).err().as_deref(), Some("begin.sql"));
    }
}
