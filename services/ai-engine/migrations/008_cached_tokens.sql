-- Input tokens that the model server had cached; part of input_tokens.
alter table ai_engine.calls add column cached_tokens int not null default 0;
