import * as z from 'zod'
import { pageSchema } from '../../_kit/page.ts'
import { Manifest } from '../packages/manifest.ts'
import { SeedPackage } from '../packages/packages.ts'
import { type CollectorTarget, requestCollector } from './client.cli.ts'
import { table } from './table.ts'

export async function fetchPackages(target: CollectorTarget): Promise<SeedPackage[]> {
  const items: SeedPackage[] = []
  for (let page = 1; ; page++) {
    const data = await requestCollector(target, pageSchema(SeedPackage), `?size=200&page=${page}`)
    items.push(...data.items)
    if (page >= data.total_pages) return items
  }
}

export function listTable(items: SeedPackage[]): string {
  if (items.length === 0) return 'No packages.'
  const rows = items.map((each) => [
    each.package_id,
    each.version ?? '',
    each.status,
    String(each.items),
    each.applied?.version ?? '',
    each.name ?? `${each.issues} issues in the manifest`,
  ])
  return table(['PACKAGE', 'VERSION', 'STATUS', 'ITEMS', 'APPLIED', 'NAME'], rows)
}

const ManifestWithChecksum = Manifest.extend({ checksum: z.string() })

export const fetchManifest = (target: CollectorTarget, packageId: string) =>
  requestCollector(target, ManifestWithChecksum, `/${encodeURIComponent(packageId)}/manifest`)

export function manifestTable(manifest: z.output<typeof ManifestWithChecksum>): string {
  const fields = ['package_id', 'name', 'version', 'description', 'checksum'] as const
  const lines = fields.flatMap((name) =>
    manifest[name] === undefined ? [] : `${`${name}:`.padEnd(13)}${manifest[name]}`,
  )
  const rows = manifest.items.map(({ item_id, kind, depends_on }) => [
    item_id,
    kind,
    depends_on.join(', '),
  ])
  return `${lines.join('\n')}\n\n${table(['ITEM', 'KIND', 'DEPENDS ON'], rows)}`
}
