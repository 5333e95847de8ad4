// Plain JavaScript: an unsupported Node version can still run it and print a clear message.
const major = Number(process.versions.node.split('.')[0])

if (major < 24) {
  console.error(
    `Node ${process.versions.node} is too old: install Node 24 or later (on Linux, npm ci brings one along; start with npm start).`,
  )
  process.exit(1)
}
await import('./all.ts')
