let lastTime = 0
let counter = 0

/**
 * A UUIDv7. Within one process they rise even inside a millisecond: the twelve bits after the
 * version are a counter that starts low at random and borrows from the next millisecond when full.
 */
export function newId(now = Date.now()): string {
  const random = randomHex(10)
  if (now > lastTime) {
    lastTime = now
    counter = Number.parseInt(random.slice(0, 4), 16) & 0x3ff
  } else if (++counter > 0xfff) {
    lastTime++
    counter = 0
  }
  const time = lastTime.toString(16).padStart(12, '0')
  const sequence = counter.toString(16).padStart(3, '0')
  const variant = '89ab'[random.charCodeAt(4) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${random.slice(5, 8)}-${random.slice(8)}`
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const pool = new Uint8Array(4096)
let used = pool.length

/** Random bytes in hex. The system is asked for many at a time: the asking is what costs. */
export function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  let text = ''
  for (const end = used + bytes; used < end; used++) text += hexOf[pool[used]!]
  return text
}
