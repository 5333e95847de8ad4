-- A renumbering gives the chunks of a base new sequence numbers without gaps. `numbering` changes with it, and
-- postings belong to one numbering. -1 is the first one, which existing postings have. `merge_run` is the
-- fencing token of the merge job. `index_behind` is true until Qdrant has received the new numbers.
alter table knowledge.bases
  add column numbering int not null default -1,
  add column merge_run int not null default 0,
  add column index_behind boolean not null default false,
  drop column deleted_since_merge;
alter table knowledge.postings rename column segment to numbering;
