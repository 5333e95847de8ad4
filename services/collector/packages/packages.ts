import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { Time } from '../../_kit/fields.ts'
import type { Guard } from '../../_kit/identity.ts'
import { PageQuery, pageBounds, pageSchema, toPage } from '../../_kit/page.ts'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import { get, requireLibrary } from '../deps.ts'
import { packageGuard } from '../permission.ts'
import type { Library } from './library.ts'
import { Manifest, PackageId } from './manifest.ts'
import { inspectPackage, openPackage } from './package.ts'
import { zipStream } from './zip.ts'

export const path = '/api/v1/internal/seed-packages'
/** The same for people with the permission `collector:read`. */
export const externalPath = '/api/v1/seed-packages'
export const ByPackage = z.object({ package_id: PackageId })

const AppliedVersion = z.object({
  version: z.string(),
  checksum: z.string(),
  run_id: z.string(),
  applied_at: Time,
})

export const SeedPackage = z
  .object({
    package_id: z.string(),
    name: z.string().nullable(),
    version: z.string().nullable(),
    description: z.string().nullable(),
    checksum: z.string().nullable(),
    items: z.int().describe('Number of items.'),
    issues: z.int().describe('Number of issues. A package with issues cannot be applied.'),
    status: z.enum(['new', 'changed', 'applied', 'invalid']),
    applied: AppliedVersion.nullable().describe('Last complete apply.'),
  })
  .meta({ id: 'SeedPackage' })

export type SeedPackage = z.output<typeof SeedPackage>

const makePackages = (path: string, guard?: Guard) => [
  get(
    path,
    {
      summary: 'List seed packages',
      ...(guard && { guard }),
      query: PageQuery,
      responses: { 200: pageSchema(SeedPackage) },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { query }) => {
      const library = await requireLibrary(c.env)
      const ids = await library.ids()
      const bounds = pageBounds(query)
      const pageIds = ids.slice(bounds.offset, bounds.offset + bounds.size)
      return ok(c, toPage(await describePackages(c.env.sql, library, pageIds), ids.length, bounds))
    },
  ),

  get(
    `${path}/:package_id/manifest`,
    {
      summary: 'Get the manifest of a package',
      ...(guard && { guard }),
      params: ByPackage,
      responses: { 200: Manifest.extend({ checksum: z.string() }) },
      faults: ['MANIFEST_INVALID', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params }) => {
      const { manifest, checksum } = await openPackage(
        await requireLibrary(c.env),
        params.package_id,
      )
      return ok(c, { ...manifest, checksum })
    },
  ),

  get(
    `${path}/:package_id/download`,
    {
      summary: 'Download a package as a zip archive',
      ...(guard && { guard }),
      description: 'Deterministic: the same package gives the same bytes.',
      params: ByPackage,
      responses: {
        200: {
          content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
          headers: { ETag: { schema: { type: 'string' } } },
        },
      },
      faults: ['MANIFEST_INVALID', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params }) => {
      const opened = await openPackage(await requireLibrary(c.env), params.package_id)
      const { package_id, manifest, checksum, tree } = opened
      return new Response(zipStream(package_id, tree.files), {
        headers: {
          'Content-Type': 'application/zip',
          'Content-Disposition': `attachment; filename="${package_id}-${manifest.version}.zip"`,
          ETag: `"${checksum}"`,
        },
      })
    },
  ),
]

export const packages = [...makePackages(path), ...makePackages(externalPath, packageGuard)]

const AppliedRow = AppliedVersion.extend({ package_id: z.string(), complete: z.boolean() })

async function describePackages(sql: Sql, library: Library, ids: string[]) {
  const rows = await sql.rows(AppliedRow)`
    select package_id, version, checksum, complete, run_id, applied_at
    from collector.applied_packages where package_id = any(${textArray(ids)})`
  const applied = new Map(rows.map(({ package_id, ...row }) => [package_id, row]))
  const described: SeedPackage[] = []
  for (const package_id of ids) {
    const tree = await library.tree(package_id)
    if (!tree) continue
    const { manifest, checksum, issues } = await inspectPackage(tree, package_id)
    const before = applied.get(package_id)
    const same = before?.complete && before.checksum === checksum
    described.push({
      package_id,
      name: manifest?.name ?? null,
      version: manifest?.version ?? null,
      description: manifest?.description ?? null,
      checksum,
      items: manifest?.items.length ?? 0,
      issues: issues.length,
      status: issues.length > 0 ? 'invalid' : same ? 'applied' : before ? 'changed' : 'new',
      applied: before ? AppliedVersion.parse(before) : null,
    })
  }
  return described
}
