// biome-ignore lint/suspicious/noTemplateCurlyInString: syntax of manifests.
const placeholder = '${PACKAGE_DIR}'

/**
 * Resolves a manifest path relative to the package: `${PACKAGE_DIR}/data/x.json` → `data/x.json`. Returns
 * null for a path that leaves the package.
 */
export function resolvePackagePath(path: string): string | null {
  if (path.includes('\0') || path.includes('\\')) return null
  const relativePath = path.startsWith(`${placeholder}/`)
    ? path.slice(placeholder.length + 1)
    : path
  if (relativePath.startsWith('/') || relativePath.includes(placeholder)) return null
  const parts: string[] = []
  for (const part of relativePath.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.length > 0 ? parts.join('/') : null
}
