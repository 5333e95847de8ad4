// Opens a TCP connection to each target. Prints `open` or the reason of the failure, by target.
import { connect } from 'node:net'

const { targets } = JSON.parse(process.argv[2])
const attempt = (target) =>
  new Promise((resolve) => {
    const [host, port] = target.split(':')
    const socket = connect({ host, port, timeout: 4_000 })
    const end = (outcome) => {
      socket.destroy()
      resolve([target, outcome])
    }
    socket.on('connect', () => end('open'))
    socket.on('timeout', () => end('timeout'))
    socket.on('error', (error) => end(error.code))
  })
console.log(JSON.stringify(Object.fromEntries(await Promise.all(targets.map(attempt)))))
