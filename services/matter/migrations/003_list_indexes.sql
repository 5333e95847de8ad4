-- Substrings of one and two characters of a text, in lower case: an index for substring search that works
-- for Chinese, without an extension.
create function matter.ngrams(value text) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct substr(lowered, place, size)), '{}')
  from (select lower(value) as lowered) source, generate_series(1, 2) size,
    generate_series(1, length(lowered) - size + 1) place
$$;

-- The ngrams that every text with the substring contains: its pairs, or its only character.
create function matter.query_ngrams(value text) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(gram), '{}') from unnest(matter.ngrams(value)) gram
  where length(gram) = least(2, length(value))
$$;

-- Stored, because a filter that computed the ngrams of every row would be slow.
alter table matter.matters add column search_ngrams text[]
  generated always as (matter.ngrams(title || ' ' || coalesce(cause_of_action_code, ''))) stored;
create index on matter.matters using gin (search_ngrams);
create index on matter.matters (organization_id, status, updated_at desc, id desc);
create index on matter.matters (organization_id, matter_category, updated_at desc, id desc);
create index on matter.matters (organization_id, lawyer_id) where lawyer_id is not null;
create index on matter.todos (matter_id, created_at, id);
