-- The condition hides the index from lookups of a document by its id. For an empty table it seems as good as
-- the primary key, and a foreign key check that chose it would read the whole base for every chunk.
create index concurrently if not exists documents_title on knowledge.documents
  (base, title_key, document_id) where title_key is not null;
drop index concurrently if exists knowledge.documents_base_title_key_document_id_idx;
