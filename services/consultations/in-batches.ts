/** Requests to another service at a time. */
const concurrency = 8

/** Maps a list by an asynchronous function, a few elements at a time. */
export async function inBatches<T, R>(
  list: readonly T[],
  map: (element: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let index = 0; index < list.length; index += concurrency) {
    results.push(...(await Promise.all(list.slice(index, index + concurrency).map(map))))
  }
  return results
}
