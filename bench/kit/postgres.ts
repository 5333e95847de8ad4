import postgres from 'postgres'

/** Creates a database. */
export async function createDatabase(server: string): Promise<string> {
  const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`
  const admin = postgres(server, { max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  return Object.assign(new URL(server), { pathname: name }).href
}

export async function dropDatabase(url: string) {
  const { pathname } = new URL(url)
  const admin = postgres(Object.assign(new URL(url), { pathname: 'postgres' }).href, { max: 1 })
  await admin.unsafe(`drop database ${pathname.slice(1)} with (force)`)
  await admin.end()
}

export async function versions(server: string): Promise<Record<string, string>> {
  const admin = postgres(server, { max: 1 })
  const [row] = await admin.unsafe('show server_version')
  await admin.end()
  return { PostgreSQL: row!.server_version }
}
