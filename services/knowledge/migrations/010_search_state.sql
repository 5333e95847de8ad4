-- By these a process knows which of what it keeps of a base is still so: the version moves with every
-- write, removed counts the places that were ever given up, ordered the times the index was put in order.
alter table knowledge.bases
  add column version bigint not null default 0,
  add column removed bigint not null default 0,
  add column ordered int not null default 0;
