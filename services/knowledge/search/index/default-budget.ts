const mebibyte = 2 ** 20

/** `process` where the runtime has it: Node and Deno, not workerd. */
interface MemoryInfo {
  constrainedMemory?: () => number
  availableMemory?: () => number
}

/** Default budget of the search cache: an eighth of the memory that the process may use. */
export function defaultCacheMebibytes(
  info: MemoryInfo | undefined = (globalThis as { process?: MemoryInfo }).process,
): number {
  const constrained = read(info?.constrainedMemory) ?? 0
  // Without a limit the value is 0 or larger than any machine's memory.
  const memory =
    constrained > 0 && constrained < 2 ** 50 ? constrained : read(info?.availableMemory)
  if (!memory) return 64
  return Math.min(2_048, Math.max(32, Math.floor(memory / mebibyte / 8)))
}

/** Deno throws unless the process was started with `--allow-sys`. */
function read(memory: (() => number) | undefined): number | undefined {
  try {
    return memory?.()
  } catch {
    return undefined
  }
}
