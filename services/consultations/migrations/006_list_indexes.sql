-- Substrings of one and two characters of a text, in lower case: an index for substring search that works
-- for Chinese, without an extension.
create function {schema}.ngrams(value text) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct substr(lowered, place, size)), '{}')
  from (select lower(value) as lowered) source, generate_series(1, 2) size,
    generate_series(1, length(lowered) - size + 1) place
$$;

-- The ngrams that every text with the substring contains: its pairs, or its only character.
create function {schema}.query_ngrams(value text) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(gram), '{}') from unnest({schema}.ngrams(value)) gram
  where length(gram) = least(2, length(value))
$$;

-- Stored, because a filter that computed the ngrams of every row would be slow.
alter table {schema}.sessions add column search_ngrams text[]
  generated always as ({schema}.ngrams(coalesce(title, ''))) stored;
create index on {schema}.sessions using gin (search_ngrams);
create index on {schema}.sessions (organization_id, status, updated_at desc, id desc);
