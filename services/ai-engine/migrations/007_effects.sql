-- What a row of the outbox writes: a sync, a part of an analysis, or a document.
alter table {schema}.outbox add column kind text not null default 'sync'
  check (kind in ('sync', 'analysis', 'document'));
