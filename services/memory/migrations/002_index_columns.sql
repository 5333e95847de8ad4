alter table memory.facts rename column tally to term_counts;
alter table memory.facts rename column lot to sample_key;
alter index memory.facts_lot rename to facts_sample;
