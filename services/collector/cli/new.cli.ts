import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PackageId } from '../packages/manifest.ts'
import { CommandError } from './client.cli.ts'
import { UsageError } from './usage.ts'

/** Creates a package that is valid as it is. */
export function createPackage(packageId: string, directory: string, today: string): string[] {
  if (!PackageId.safeParse(packageId).success) {
    throw new UsageError(`${packageId} is not a valid package id. Use letters, digits and _ - .`)
  }
  const root = join(directory, packageId)
  if (existsSync(root)) throw new CommandError('CONFLICT', `${root} already exists.`, null)
  const files = {
    'manifest.json': json({
      schema_version: 1,
      package_id: packageId,
      name: packageId,
      version: today,
      description: '',
      items: [
        {
          item_id: 'system_configs',
          kind: 'platform.seed.system_configs.upsert',
          depends_on: [],
          // biome-ignore lint/suspicious/noTemplateCurlyInString: syntax of manifests.
          config: { configs_json: '${PACKAGE_DIR}/data/configs.json' },
        },
      ],
    }),
    'data/configs.json': json([
      { key: `${packageId}.example`, value: true, description: 'Replace this entry.' },
    ]),
    'README.md': `# ${packageId}\n\nContent, source and date of the data.\n`,
  }
  return Object.entries(files).map(([path, content]) => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  })
}

export const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
