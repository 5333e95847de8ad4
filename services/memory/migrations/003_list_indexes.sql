create index facts_category on memory.facts
  (tenant_id, user_id, category, updated_at desc, id desc) where superseded_by is null;
-- Each fact is in one of these two, which serve the filter by scope.
create index facts_global on memory.facts
  (tenant_id, user_id, updated_at desc, id desc) where superseded_by is null and scope = 'global';
create index facts_of_cases on memory.facts
  (tenant_id, user_id, updated_at desc, id desc) where superseded_by is null and scope = 'case';

-- Replaces facts_case: serves the filter by case, and the erasure of a case without its user.
drop index memory.facts_case;
create index facts_case on memory.facts (tenant_id, case_id, user_id, updated_at desc, id desc)
  where case_id is not null;
