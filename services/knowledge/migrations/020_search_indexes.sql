-- The collections of the search engine. Each is told of every change until it is retired; the one that
-- was chosen last is the one to be searched. Vectors in it are those of one model.
create table knowledge.indexes (
  collection text primary key,
  model text,
  dims int,
  chosen_at timestamptz not null default clock_timestamp(),
  -- When a process last said that this is the one it is configured for.
  wanted_at timestamptz not null default now(),
  -- Whether all that was there when it was chosen has been put on its list.
  listed boolean not null default false,
  checked_at timestamptz,
  retired_at timestamptz
);

-- Each collection has a list of its own.
truncate knowledge.pending;
alter table knowledge.pending drop constraint pending_pkey;
alter table knowledge.pending add column collection text not null;
alter table knowledge.pending add primary key (collection, base, seq);
drop index knowledge.pending_stamp_idx;
create index on knowledge.pending (collection, stamp);
