import type { Issue } from '../../_kit/fault.ts'

/** Source of seed packages. Runtimes without a file system have none. */
export interface Library {
  /** Sorted names of directories with a manifest. */
  ids(): Promise<string[]>
  /** File tree of a package, or null if it does not exist. */
  tree(packageId: string): Promise<Tree | null>
}

export interface Tree {
  /** Files by their path relative to the package, sorted. */
  files: ReadonlyMap<string, PackageFile>
  /** Issues of the directory itself. */
  issues: Issue[]
}

export interface PackageFile {
  size: number
  read(): Promise<Uint8Array<ArrayBuffer>>
}

export const MiB = 1024 * 1024

export const limits = {
  manifestBytes: 16 * MiB,
  /** Request limit of the target services. */
  fileBytes: 32 * MiB,
  packageBytes: 512 * MiB,
  files: 20_000,
  items: 1_000,
  issues: 500,
}
