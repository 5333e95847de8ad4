-- Postings of one write, in one immutable row: sorted terms, the end of each term's range in `entries`
-- (in postings), and the postings with offsets from `first_seq`. The merge job moves segments into
-- knowledge.postings, in ranges of terms: those below `merged_below` are there already.
create table knowledge.segments (
  base int not null references knowledge.bases (no) on delete cascade,
  id bigint generated always as identity,
  first_seq int not null,
  end_seq int not null,
  terms int[] not null,
  ends int[] not null,
  entries text not null,
  merged_below bigint not null default -2147483648,
  primary key (base, id)
);
alter table knowledge.segments alter column terms set storage external;
alter table knowledge.segments alter column ends set storage external;
alter table knowledge.segments alter column entries set storage external;
