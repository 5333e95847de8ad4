import type { Issue } from '../../_kit/fault.ts'

/** Where packages lie. A runtime without directories has none. */
export interface Library {
  /** The names of the directories that hold a manifest, in order. */
  ids(): Promise<string[]>
  /** What a package's directory holds, or null where there is none. */
  tree(packageId: string): Promise<Tree | null>
}

export interface Tree {
  /** By their path in the package, `/` between its parts, in order. */
  files: ReadonlyMap<string, PackageFile>
  /** What is wrong with the directory itself. */
  issues: Issue[]
}

export interface PackageFile {
  size: number
  read(): Promise<Uint8Array<ArrayBuffer>>
}

export const MiB = 1024 * 1024

export const limits = {
  manifestBytes: 16 * MiB,
  /** What a target takes in one request. */
  fileBytes: 32 * MiB,
  packageBytes: 512 * MiB,
  files: 20_000,
  items: 1_000,
  issues: 500,
}
