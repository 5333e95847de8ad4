-- Lists by status and by source, newest first.
create index on collector.documents (organization_id, status, created_at desc, id desc);
create index on collector.documents (source_id, created_at desc, id desc);
create index on collector.runs (organization_id, status, created_at desc, id desc);
