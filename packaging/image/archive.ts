import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { readTar, type TarEntry, writeTar } from './tar.ts'

/** The `config` of an image: how a container is started. */
export interface ContainerConfig {
  User: string
  WorkingDir: string
  Env: string[]
  Cmd: string[]
  Labels: Record<string, string>
}

interface ImageConfig {
  architecture: string
  os: string
  created?: string
  config?: Partial<ContainerConfig>
  rootfs: { type: 'layers'; diff_ids: string[] }
  history?: Record<string, unknown>[]
}

/** A base image: its configuration and its layers, compressed. */
export interface BaseImage {
  config: ImageConfig
  layers: Buffer[]
}

const epoch = '1970-01-01T00:00:00Z'
const digest = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`
const blobPath = (content: Buffer) => `blobs/${digest(content).replace(':', '/')}`
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const isGzip = (content: Buffer) => content[0] === 0x1f && content[1] === 0x8b
const compress = (content: Buffer) => (isGzip(content) ? content : gzipSync(content, { level: 6 }))

/** Reads the first image of an archive as `docker save`, `podman save` or `skopeo copy` write it. */
export function readBaseImage(archive: Buffer): BaseImage {
  const files = readTar(archive)
  const read = (path: string) => {
    const content = files.get(path)
    if (!content) throw new Error(`the base image has no ${path}: is it a docker archive?`)
    return content
  }
  const [image] = JSON.parse(read('manifest.json').toString()) as [
    { Config: string; Layers: string[] },
  ]
  return {
    config: JSON.parse(read(image.Config).toString()),
    layers: image.Layers.map((path) => compress(read(path))),
  }
}

/** Adds layers to a base image. Returns the digest of the manifest and the compressed size of all layers. */
export function buildImage(
  base: BaseImage,
  layers: { name: string; entries: TarEntry[] }[],
  container: ContainerConfig,
  tags: string[],
) {
  const own = layers.map(({ entries }) => writeTar(entries))
  const blobs = [...base.layers, ...own.map(compress)]
  const { architecture, os, rootfs, history = [] } = base.config
  const config = json({
    architecture,
    os,
    created: epoch,
    config: { ...base.config.config, ...container, Env: mergeEnv(base, container) },
    rootfs: { type: 'layers', diff_ids: [...rootfs.diff_ids, ...own.map(digest)] },
    history: [...history, ...layers.map(({ name }) => ({ created: epoch, created_by: name }))],
  })
  const descriptor = (mediaType: string, content: Buffer) => ({
    mediaType: `application/vnd.oci.image.${mediaType}`,
    digest: digest(content),
    size: content.length,
  })
  const manifest = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptor('config.v1+json', config),
    layers: blobs.map((blob) => descriptor('layer.v1.tar+gzip', blob)),
  })
  return {
    digest: digest(manifest),
    size: blobs.reduce((sum, { length }) => sum + length, 0),
    archive: writeArchive({ manifest, config, blobs, tags, descriptor }),
  }
}

interface ArchiveParts {
  manifest: Buffer
  config: Buffer
  blobs: Buffer[]
  tags: string[]
  descriptor: (mediaType: string, content: Buffer) => object
}

/** One file that is an OCI layout and a docker archive: engines and nodes load it. */
function writeArchive({ manifest, config, blobs, tags, descriptor }: ArchiveParts): Buffer {
  const manifests = tags.map((tag) => ({
    ...descriptor('manifest.v1+json', manifest),
    annotations: {
      'io.containerd.image.name': tag,
      'org.opencontainers.image.ref.name': tag.split(':').at(-1),
    },
  }))
  const docker = [{ Config: blobPath(config), RepoTags: tags, Layers: blobs.map(blobPath) }]
  const files = new Map([
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', json({ schemaVersion: 2, manifests })],
    ['manifest.json', json(docker)],
    ...[manifest, config, ...blobs].map((content) => [blobPath(content), content] as const),
  ])
  return writeTar([...files].map(([path, content]) => ({ path, content })))
}

/** The variables of the base image, such as PATH, and those of the container. */
const mergeEnv = (base: BaseImage, { Env }: ContainerConfig) => [
  ...(base.config.config?.Env ?? []),
  ...Env,
]

/** Unpacks the own layers of an archive, for tests. */
export const readLayer = (blob: Buffer) => readTar(isGzip(blob) ? gunzipSync(blob) : blob)
