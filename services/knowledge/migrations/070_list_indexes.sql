-- Each list of a base has an index in its order. A title may be longer than an index entry.
alter table knowledge.documents add column title_key text generated always as (left(title, 200)) stored;
create index on knowledge.documents (base, title_key, document_id);
create index on knowledge.files (base, created_at desc, file_id desc);
create index on knowledge.runs (organization_id, created_at desc, id desc);
