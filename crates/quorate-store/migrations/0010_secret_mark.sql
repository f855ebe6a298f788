-- By what the server's secret is known again; none until a process of this release has owned the store.
ALTER TABLE server ADD COLUMN secret_mark BLOB;
