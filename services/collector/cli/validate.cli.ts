import { basename, resolve } from 'node:path'
import { readTree } from '../packages/library.node.ts'
import { inspectPackage } from '../packages/package.ts'
import { UsageError } from './usage.ts'

/** Validates the package in a directory. */
export async function validate(directory: string) {
  const tree = await readTree(resolve(directory))
  if (!tree) throw new UsageError(`Directory not found: ${directory}`)
  const package_id = basename(resolve(directory))
  const { manifest, checksum, issues } = await inspectPackage(tree, package_id)
  const { version, items } = manifest ?? { version: null, items: [] }
  return { package_id, valid: issues.length === 0, version, items: items.length, checksum, issues }
}

export function formatValidation({
  package_id,
  valid,
  version,
  items,
  checksum,
  issues,
}: Awaited<ReturnType<typeof validate>>) {
  if (valid) return `${package_id} ${version} is valid: ${items} items, checksum ${checksum}`
  return [
    `${package_id} is invalid:`,
    ...issues.map(({ path, message }) => `  ${path ? `${path}: ` : ''}${message}`),
  ].join('\n')
}
