create table knowledge.bases (
  id uuid primary key,
  -- A short name for the rows of the index.
  no int generated always as identity unique,
  -- A system base belongs to nobody; its name begins with sys_.
  organization_id text,
  name text not null,
  description text not null default '',
  -- The next place of a chunk in the index, and what ranking must know of those in it.
  next_seq int not null default 0,
  chunks int not null default 0,
  words bigint not null default 0,
  -- Places that were given up since the index was last put in order, and those that came new.
  given_up int not null default 0,
  taken int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((organization_id is null) = (name like 'sys\_%'))
);
create unique index on knowledge.bases (organization_id, name) nulls not distinct;

create table knowledge.documents (
  base int not null references knowledge.bases (no) on delete cascade,
  document_id text not null,
  file_id text,
  doc_type text not null,
  title text not null,
  metadata jsonb not null,
  sections jsonb not null default '[]',
  -- What a citation may call it: its title and its aliases, written alike.
  law_keys text[] not null,
  -- The same as the index knows 《…》 in a text, and how many chunks of the base cite it so.
  law_terms int[] not null,
  cited int not null default 0,
  -- Of all its content, and the seed package that holds it.
  hash text not null,
  package_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (base, document_id)
);
create index on knowledge.documents (base, file_id) where file_id is not null;
create index on knowledge.documents (base, package_id) where package_id is not null;
create index on knowledge.documents using gin (law_keys);

create table knowledge.chunks (
  base int not null,
  seq int not null,
  document_id text not null,
  chunk_index int not null,
  section_id text,
  content text not null,
  metadata jsonb not null,
  hash text not null,
  words int not null,
  -- The number of the article that this is: 675, or 675-1 for 第六百七十五条之一.
  article text,
  in_force_from date,
  in_force_to date,
  primary key (base, seq),
  foreign key (base, document_id) references knowledge.documents on delete cascade
);
create unique index on knowledge.chunks (base, document_id, chunk_index);
create index on knowledge.chunks (base, document_id, article) where article is not null;
create index on knowledge.chunks (hash);

-- The words of the chunks: which chunks have a word, how often, and how long they are. Chunks lie in
-- blocks; what is new in a block is in parts of its own until the index is put in order.
create table knowledge.postings (
  base int not null references knowledge.bases (no) on delete cascade,
  term int not null,
  block int not null,
  part int not null,
  entries text not null,
  primary key (base, term, block, part)
);
alter table knowledge.postings alter column entries set storage external;

-- A content's vector under a model: of unit length, and in one bit a dimension, to find it by.
create table knowledge.embeddings (
  model text not null,
  hash text not null,
  dims int not null,
  vector float4[] not null,
  signature bit varying not null,
  created_at timestamptz not null default now(),
  primary key (model, hash)
);

create table knowledge.files (
  base int not null references knowledge.bases (no) on delete cascade,
  file_id text not null,
  title text,
  doc_type text not null,
  metadata jsonb not null,
  status text not null check (status in ('PENDING', 'INDEXED', 'FAILED')),
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (base, file_id)
);

-- Jobs as people see them; the kit's jobs do them.
create table knowledge.runs (
  id uuid primary key,
  organization_id text,
  kind text not null check (kind in ('attach', 'reindex')),
  base int references knowledge.bases (no) on delete cascade,
  file_id text,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
  done int not null default 0,
  total int,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on knowledge.runs (organization_id, created_at desc);

-- Structured knowledge as it was imported: elements, checklist items, mappings, causes of action.
create table knowledge.records (
  kind text not null,
  key text not null,
  -- What it belongs to: a cause of action, a service type, an element.
  parent text,
  order_num int not null default 0,
  record jsonb not null,
  package_id text,
  package_version text,
  updated_at timestamptz not null default now(),
  primary key (kind, key)
);
create index on knowledge.records (kind, parent, order_num);
create index on knowledge.records (package_id) where package_id is not null;

-- Other words for the same: a question that has the phrase is searched for the target too.
create table knowledge.expansions (
  source text not null,
  phrase text not null,
  target text not null,
  weight float4 not null,
  primary key (phrase, source, target)
);
create index on knowledge.expansions (source);

-- Places that the search engine is still to be told of, where there is one. The stamp tells whether one
-- was asked for again while it was being told.
create sequence knowledge.stamps;
create table knowledge.pending (
  base int not null,
  seq int not null,
  stamp bigint not null default nextval('knowledge.stamps'),
  primary key (base, seq)
);
create index on knowledge.pending (stamp);
