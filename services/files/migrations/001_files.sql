-- Files whose bytes are all there. A file that is still on its way is an upload.
create table files.files (
  file_id uuid primary key,
  organization_id text,
  owner text not null,
  visibility text not null check (visibility in ('private', 'organization')),
  purpose text,
  filename text not null,
  content_type text not null,
  size int8 not null,
  sha256 text not null,
  storage_key text not null,
  parse_status text not null default 'NONE' check (
    parse_status in ('NONE', 'PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'UNSUPPORTED')),
  parse_error text,
  -- Counts the times that parsing was asked for; what an earlier run finds is no longer of interest.
  parse_run int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index files_newest on files.files (owner, created_at desc, file_id desc);

create table files.texts (
  file_id uuid primary key references files.files on delete cascade,
  text text not null,
  pages int not null,
  language text,
  truncated boolean not null
);

-- Uploads that were promised and may come through a URL of their own.
create table files.uploads (
  file_id uuid primary key,
  organization_id text,
  owner text not null,
  promised jsonb not null,
  expires_at timestamptz not null
);
create index on files.uploads (expires_at);

-- What the storage may hold that no file owns: noted before it is written, so that a crash can't leave
-- bytes that nobody knows of. Once doomed, nothing can own them any more.
create table files.unowned_bytes (
  storage_key text primary key,
  due_at timestamptz not null,
  doomed boolean not null default false
);
create index on files.unowned_bytes (due_at);

-- One secret, made when it is first needed, that signs URLs of our own.
create table files.signing_keys (
  id int primary key check (id = 1),
  secret text not null
);
