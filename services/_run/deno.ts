import { fail } from './host.ts'
import { startService } from './single.ts'

/**
 * One service on Deno, which listens where its own options say:
 * `deno serve --allow-env --allow-net --allow-read --allow-sys=hostname --port 8081
 * services/_run/deno.ts memory`.
 */
const { fetch, live } = await startService(process.argv[2], 'deno').catch(fail)

/** At SIGTERM `deno serve` stops listening by itself; the database has to wait for these. */
const unfinished = new Set<Promise<void>>()

const drain = (graceMs: number) =>
  Promise.race([Promise.all(unfinished), new Promise((resolve) => setTimeout(resolve, graceMs))])

export default {
  fetch(request: Request, { completed }: { completed: Promise<void> }) {
    const sent = completed.catch(() => {}).finally(() => unfinished.delete(sent))
    unfinished.add(sent)
    return fetch(request)
  },
  onListen: ({ port }: { port: number }) => live(port, drain),
}
