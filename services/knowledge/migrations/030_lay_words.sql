-- Lay words are records of their own kind; by this number a process knows whether those it keeps are
-- still so, and by the other whether there are any.
create table knowledge.lay_words (
  one boolean primary key default true check (one),
  version bigint not null default 0,
  words int not null default 0
);
insert into knowledge.lay_words default values;
