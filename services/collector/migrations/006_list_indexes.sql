-- Lists of runs by source, of documents by source and status, and of sources by kind, newest first.
create index on collector.runs (source_id, created_at desc, id desc);
create index on collector.documents (source_id, status, created_at desc, id desc);
create index on collector.sources (organization_id, kind, created_at desc, id desc);
