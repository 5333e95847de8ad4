/** Answers each message of the parent process with the memory of this one. Requires `--expose-gc`. */
export function reportMemory() {
  process.on('message', async () => {
    // Collects garbage repeatedly, because memory is returned to the system with a delay.
    for (let round = 0; round < 8; round++) {
      globalThis.gc!()
      await new Promise((go) => setTimeout(go, 250))
    }
    const { rss, heapUsed, external } = process.memoryUsage()
    process.send!({ resident: rss, used: heapUsed + external })
  })
}
