-- Requests per key and minute, summed over the replicas. Lost counts after a crash are harmless.
create unlogged table gateway.rate_counts (
  key text not null,
  minute int4 not null,
  used int4 not null,
  primary key (key, minute)
);
