-- Who reads a base of an organization: `organization` (its members, not its clients) or `clients`.
alter table knowledge.bases add column audience text not null default 'organization'
  check (audience in ('organization', 'clients'));
