-- Lists of the todos of a matter by status and by actor, and of its deliverables, in list order.
create index on matter.todos (matter_id, status, created_at, id);
create index on matter.todos (matter_id, actor, created_at, id);
create index on matter.deliverables (matter_id, created_at, deliverable_key);
-- Lists of the matters that a provider has from other organizations, by each filter. The matters that it
-- provides for itself are in the lists by organization.
create index on matter.matters (provider_organization_id, updated_at desc, id desc)
  where provider_organization_id <> organization_id;
create index on matter.matters (provider_organization_id, status, updated_at desc, id desc)
  where provider_organization_id <> organization_id;
create index on matter.matters (provider_organization_id, matter_category, updated_at desc, id desc)
  where provider_organization_id <> organization_id;
create index on matter.matters (provider_organization_id, user_id, updated_at desc, id desc)
  where provider_organization_id <> organization_id;
drop index matter.matters_provider_organization_id_updated_at_id_idx;
