-- Columns and job kinds under the names that the code uses.
alter table knowledge.bases rename column given_up to deleted_since_merge;
alter table knowledge.bases rename column taken to added_since_merge;
alter table knowledge.bases rename column removed to delete_generation;
alter table knowledge.bases rename column ordered to merge_generation;
alter table knowledge.documents rename column cited to citation_count;
alter table knowledge.postings rename column part to segment;
alter table knowledge.pending rename to index_changes;
alter table knowledge.index_changes rename column stamp to revision;
alter sequence knowledge.stamps rename to index_revisions;
alter table knowledge.indexes rename column listed to backfilled;
alter table knowledge.indexes rename column wanted_at to claimed_at;
update knowledge.jobs set kind = 'merge' where kind = 'order';
update knowledge.jobs set kind = 'repair' where kind = 'mend';
update knowledge.jobs set payload = payload - 'run' - 'asked'
  || jsonb_build_object('jobId', payload -> 'run')
  || jsonb_strip_nulls(jsonb_build_object('polls', payload -> 'asked'))
  where payload ? 'run';
