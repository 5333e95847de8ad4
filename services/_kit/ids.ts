let lastTime = 0
let counter = 0
let prefix = ''

/**
 * Generates a UUIDv7. Ids of one process increase even within a millisecond: the 12 bits after the
 * version are a counter with a low random start that borrows from the next millisecond on overflow.
 */
export function newId(now = Date.now()): string {
  const random = randomHex(10)
  if (now > lastTime) {
    setTime(now)
    counter = Number.parseInt(random.slice(0, 4), 16) & 0x3ff
  } else if (++counter > 0xfff) {
    setTime(lastTime + 1)
    counter = 0
  }
  const sequence = (0x7000 + counter).toString(16)
  const variant = '89ab'[random.charCodeAt(4) & 3]
  return `${prefix}${sequence}-${variant}${random.slice(5, 8)}-${random.slice(8)}`
}

function setTime(time: number) {
  lastTime = time
  const hex = time.toString(16).padStart(12, '0')
  prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

const hexByByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const pool = new Uint8Array(4096)
let used = pool.length

/** Random bytes in hex, from a pool: one call to the system per 4,096 bytes. */
export function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  let text = ''
  for (const end = used + bytes; used < end; used++) text += hexByByte[pool[used]!]
  return text
}
