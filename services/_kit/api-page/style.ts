/** Page styles: light and dark by preference, responsive down to phone width. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #fff; --ink: #1d1c1a; --quiet: #5f5b55; --line: #dedad3; --link: #0b57a4;
  --get: #0b57a4; --post: #1c6b34; --put: #8a4b00; --delete: #a8201a; --code: #f3f1ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161614; --card: #1e1e1b; --ink: #ebe8e2; --quiet: #a8a39a; --line: #3a3934; --link: #8ab8f0;
    --get: #8ab8f0; --post: #82cf97; --put: #f0b369; --delete: #f39a92; --code: #262521;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 6rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif;
}
code, pre, textarea, .type { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; }
h1 span { color: var(--quiet); font-size: 1rem; font-weight: 400; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.2rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }

summary { cursor: pointer; }
#about, #identity { margin: 1rem 0; padding: .6rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
#about > summary, #identity > summary { font-weight: 600; }
#about p { max-width: 50rem; margin: .4rem 0; font-size: .9375rem; }
.filter { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.filter label { font-weight: 600; }
.filter input { flex: 1 1 14rem; }
#count { color: var(--quiet); }

input, select, textarea {
  width: 100%; min-width: 0; padding: .4rem .55rem;
  background: var(--card); color: inherit; border: 1px solid var(--line); border-radius: .375rem; font: inherit;
}
textarea { display: block; resize: vertical; line-height: 1.5; font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
::placeholder { color: var(--quiet); opacity: .8; }
button {
  padding: .45rem 1.4rem; background: var(--link); color: var(--card);
  border: 0; border-radius: .375rem; font: inherit; font-weight: 600; cursor: pointer;
}
button:disabled { opacity: .5; cursor: progress; }

.operation { margin: .5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem; }
.operation > summary {
  display: grid; grid-template-columns: 4.5rem minmax(0, auto) minmax(0, 1fr);
  align-items: baseline; gap: .25rem .75rem; padding: .6rem 1rem; border-radius: .5rem; list-style: none;
}
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: var(--code); }
.operation[open] > summary { border-bottom: 1px solid var(--line); border-radius: .5rem .5rem 0 0; }
.method { font-size: .8125rem; font-weight: 700; letter-spacing: .03em; }
.get, .head, .options { color: var(--get); } .post { color: var(--post); }
.put, .patch { color: var(--put); } .delete { color: var(--delete); }
.path { overflow-wrap: anywhere; font-weight: 600; }
.about { color: var(--quiet); text-align: right; overflow-wrap: anywhere; }
.inside { padding: .5rem 1rem 1.25rem; }

.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1rem 1.25rem; margin: .75rem 0 .5rem; }
.field label { display: block; margin-bottom: .2rem; }
.field p { margin: .2rem 0 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.field b, .schema b { color: var(--delete); font-size: .8125rem; font-weight: 500; }
.place, .limits, .text { color: var(--quiet); font-size: .875rem; }
.type { color: var(--get); overflow-wrap: anywhere; }
.limits:not(:empty)::before { content: " · "; }
.limits { overflow-wrap: anywhere; }
li > .text, p > .text { display: block; }
.body { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.25rem; }
.body label { color: var(--quiet); font-size: .875rem; }
.schema { margin: 0; padding: 0; list-style: none; }
.schema li { padding: .3rem 0; border-top: 1px solid var(--line); }
.schema li:first-child { border-top: 0; }
.schema .schema { margin: .25rem 0 .25rem .5rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.schema summary { color: var(--link); font-size: .875rem; }

.response { margin: .25rem 0; }
.response > .schema, .response > p { margin-left: 1rem; }
.status { font-weight: 700; font-variant-numeric: tabular-nums; }
.s2, .s3 { color: var(--post); } .s4 { color: var(--put); } .s5, .failed { color: var(--delete); }
.result { font-size: 1.0625rem; }
pre { max-height: 32rem; margin: .5rem 0; padding: .75rem 1rem; overflow: auto; background: var(--code); border-radius: .375rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
.nothing { margin-top: 1.5rem; padding: .25rem 1.5rem 1rem; background: var(--card); border: 1px dashed var(--line); border-radius: .5rem; }
.nothing h2 { margin-top: 1rem; }

@media (max-width: 44rem) {
  body { padding: 1.25rem .875rem 4rem; }
  .operation > summary { grid-template-columns: 4rem minmax(0, 1fr); padding: .6rem .75rem; }
  .about { grid-column: 2; text-align: left; }
  .inside { padding: .25rem .75rem 1rem; }
  .body { grid-template-columns: minmax(0, 1fr); }
}
`
