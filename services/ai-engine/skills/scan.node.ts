import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as z from 'zod'
import { ConfigError } from '../../_kit/config.ts'
import type { Folder } from './load.ts'

/** Directory of the bundled skills. */
export const bundledDirectory = fileURLToPath(new URL('.', import.meta.url))

/** Lists skill folders by name. Names that start with _ or . are ignored. */
export function listSkillFolders(directory: string): string[] {
  return readEntries(directory)
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && /^[^_.]/.test(entry.name))
    .map(({ name }) => name)
    .sort()
}

function readEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    throw new ConfigError(`SKILLS_DIR: ${directory} is no directory that can be read`)
  }
}

export async function scanSkills(directory: string): Promise<Folder[]> {
  return Promise.all(listSkillFolders(directory).map((name) => readFolder(directory, name)))
}

async function readFolder(directory: string, folder: string): Promise<Folder> {
  const skillMd = await readFile(join(directory, folder, 'SKILL.md'), 'utf8').catch(() => undefined)
  const file = ['skill.ts', 'skill.js']
    .map((name) => join(directory, folder, name))
    .find((path) => existsSync(path))
  if (!file) return { folder, skillMd }
  try {
    const { default: exported } = await import(pathToFileURL(file).href)
    // A skill outside of the engine cannot import zod; it may export a function that receives it.
    return { folder, skillMd, code: typeof exported === 'function' ? exported({ z }) : exported }
  } catch (thrown) {
    return { folder, skillMd, broken: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
