import { operations } from './api-page/operations.ts'
import { schemas } from './api-page/schemas.ts'
import { script } from './api-page/script.ts'
import { style } from './api-page/style.ts'

/**
 * Builds a self-contained page to browse and try the API. It loads the description by a relative URL,
 * so it also works behind a path prefix.
 */
export const apiPage = (service: string, nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(service)} API</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(service)} <span id="version"></span></h1>
<p><a href="../v3/api-docs">OpenAPI description</a></p>
<details id="about" hidden>
<summary>What holds for every operation</summary>
<div></div>
</details>
<details id="identity">
<summary>Headers sent with every request</summary>
<form class="fields"></form>
</details>
<p class="filter">
<label for="filter">Filter</label>
<input id="filter" type="search" placeholder="method, path or words" autocomplete="off">
<span id="count" role="status"></span>
</p>
</header>
<main aria-busy="true"><p>Reading the description …</p></main>
<noscript><p>This page needs JavaScript. The description itself does not.</p></noscript>
<script type="module" nonce="${nonce}">${schemas}${operations}${script}</script>
</body>
</html>
`

const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
