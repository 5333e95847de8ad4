create index concurrently if not exists bases_shard on knowledge.bases (shard);
