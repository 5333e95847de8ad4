-- Set when a completed run did not find the page any more; reset when the page is found again.
alter table collector.documents add column missing_since timestamptz;
-- Base of the last import, from which a removed document is deleted.
alter table collector.documents add column imported_kb_id text;
create index on collector.documents (missing_since) where missing_since is not null;
