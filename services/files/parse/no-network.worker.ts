import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

function reject(): never {
  throw new Error('network access is disabled')
}

// Second line of defence for Node, whose permissions do not cover the network, on systems without namespaces.
net.Socket.prototype.connect = reject
net.Server.prototype.listen = reject
dgram.createSocket = reject
dns.lookup = reject as never
