import { startBackend } from './backend.ts'

/** A real Neo4j server, or the reason why there is none. */
export const startNeo4j = () =>
  startBackend({
    name: 'Neo4j',
    folder: 'neo4j',
    urlVariable: 'NEO4J_TEST_URL',
    portVariable: 'NEO4J_BOLT_PORT',
    pidFile: 'neo4j.pid',
    buildUrl: (port) => `bolt://127.0.0.1:${port}`,
    timeoutMs: 110_000,
  })
