-- All versions of a deliverable with their files, so that they can be read, compared and erased.
create table matter.deliverable_versions (
  matter_id uuid not null references matter.matters,
  deliverable_key text not null,
  version int not null,
  title text not null,
  kind text not null,
  file_id text,
  created_at timestamptz not null default now(),
  primary key (matter_id, deliverable_key, version)
);

insert into matter.deliverable_versions (matter_id, deliverable_key, version, title, kind, file_id, created_at)
select matter_id, deliverable_key, version, title, kind, file_id, created_at from matter.deliverables;
