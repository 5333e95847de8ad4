-- Editions of laws. `law` is the name of the law (written alike) that a document is an edition of.
-- `declared_to` and `in_force_to` are the first day out of force: as imported, and with later editions
-- taken into account. `repeals` are the names of the laws that the text repeals.
alter table knowledge.documents
  add column law text,
  add column law_status text
    check (law_status in ('in_force', 'amended', 'repealed', 'not_yet_in_force')),
  add column in_force_from date,
  add column declared_to date,
  add column in_force_to date,
  add column repeals text[] not null default '{}';
update knowledge.documents document
  set law = case when doc_type = 'statute' then law_keys[1] end,
    in_force_from = period.first_day, declared_to = period.end_day, in_force_to = period.end_day
  from (select base, document_id, min(in_force_from) as first_day, max(in_force_to) as end_day
    from knowledge.chunks group by base, document_id) period
  where period.base = document.base and period.document_id = document.document_id;
create index on knowledge.documents (base, law, in_force_from) where law is not null;
create index on knowledge.documents using gin (repeals);
