import { spawnSync } from 'node:child_process'

export const engines = ['docker', 'podman', 'buildah'] as const
export type Engine = (typeof engines)[number]

interface BuildOptions {
  tags: string[]
  base?: string | undefined
  version: string
  context: string
  /** Stage of the Dockerfile: `suite`, or `dev` for development. */
  target: string
}

/** Returns the requested engine or the first one that answers. */
export function findEngine(requested: string | undefined): Engine {
  const candidates = engines.filter((name) => !requested || name === requested)
  const found = candidates.find(
    (name) => spawnSync(name, name === 'docker' ? ['info'] : ['version']).status === 0,
  )
  if (!found)
    throw new Error(
      `No container engine answers (${candidates.join(', ') || requested}). Install one, or use --archive.`,
    )
  return found
}

/** The command that builds the Dockerfile. All files and the image get the time 0, so that builds are equal. */
export function engineCommand(engine: Engine, options: BuildOptions) {
  const { tags, base, version, context, target } = options
  const build = {
    docker: ['docker', 'buildx', 'build', '--provenance=false'],
    podman: ['podman', 'build', '--timestamp', '0'],
    buildah: ['buildah', 'build', '--timestamp', '0'],
  }[engine]
  const output = engine === 'docker' ? ['--output', 'type=docker,rewrite-timestamp=true'] : []
  return [
    ...build,
    ...output,
    ...tags.flatMap((tag) => ['--tag', tag]),
    ...(base ? ['--build-arg', `BASE=${base}`] : []),
    ...['--build-arg', `VERSION=${version}`, '--target', target, '--file', 'Dockerfile', context],
  ]
}
