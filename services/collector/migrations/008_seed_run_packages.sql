-- Seed runs by package.
create index on collector.seed_runs using gin (package_ids);
