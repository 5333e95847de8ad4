import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suite } from '../../services/_run/services.ts'
import { docx, pdf, xlsx } from '../../tests/support/corpus/documents.ts'
import { drawText, encodePng } from '../../tests/support/corpus/picture.ts'
import { binary } from '../../tests/support/runtimes.ts'
import { buildImage, readBaseImage, readLayer } from './archive.ts'
import { containerConfig } from './container.ts'
import { imageLayers } from './contents.ts'
import { engineCommand, engines, findEngine } from './engine.ts'
import { buildSbom } from './sbom.ts'
import { layerEntries, prepareGenerated, stageLayers } from './stage.ts'
import { readTar, writeTar } from './tar.ts'

const repository = resolve(import.meta.dirname, '../..')
const directory = mkdtempSync(join(tmpdir(), 'legal-suite-image-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
beforeAll(() => prepareGenerated(repository))

/** A base image as `docker save` writes it. */
const layer = writeTar([{ path: 'etc', content: Buffer.from('base') }])
const base = () =>
  readBaseImage(
    writeTar([
      { path: 'manifest.json', content: json([{ Config: 'c.json', Layers: ['l/layer.tar'] }]) },
      {
        path: 'c.json',
        content: json({
          architecture: 'arm64',
          os: 'linux',
          config: { Env: ['PATH=/usr/local/bin'], Entrypoint: ['docker-entrypoint.sh'] },
          rootfs: { type: 'layers', diff_ids: ['sha256:base'] },
        }),
      },
      { path: 'l/layer.tar', content: layer },
    ]),
  )
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

describe('contents of the image', () => {
  const layers = imageLayers(repository)
  const all = layers.flatMap(({ files }) => files)
  const filesOf = (name: string) => layers.find((each) => each.name === name)!.files

  test('tests, hidden files and development dependencies are not part of the image', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    const forbidden = new RegExp(
      `\\.test\\.ts$|(^|/)\\.|^services/.*/testing|\\.map$|\\.key$|\\.pem$|^(tests|bench|operator|docs)/|^node_modules/(${Object.keys(devDependencies).join('|')})/`,
    )
    expect(all.filter((file) => forbidden.test(file))).toEqual([])
    expect(all).toContain('services/memory/service.ts')
    expect(all).toContain('services/memory/migrations/001_facts.sql')
    expect(all).toContain('dist/operator.mjs')
    expect(all).toContain('dist/console/index.html')
    expect(all).not.toContain('services/gateway/console/routes.ts')
  })

  test('every package is one that npm installs without development and optional dependencies', () => {
    const installed = execFileSync(
      'npm',
      ['ls', '--all', '--parseable', '--omit=dev', '--omit=optional'],
      { cwd: repository, encoding: 'utf8' },
    )
    const production = new Set(
      installed.split('\n').map((line) => line.slice(repository.length + 1)),
    )
    const packageOf = (file: string) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0]
    const packages = new Set(all.flatMap((file) => packageOf(file) ?? []))
    expect(packages.size).toBeGreaterThan(100)
    expect([...packages].filter((folder) => !production.has(folder))).toEqual([])
  })

  test('the list of packages names each package of the image with version and hash', () => {
    const { components } = buildSbom(repository)
    const listed = new Set(components.map((each) => each['bom-ref']))
    const packaged = new Set(
      all.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
    )
    expect([...packaged].filter((folder) => !listed.has(folder))).toEqual([])
    for (const { hashes, purl } of components) {
      expect(purl).toMatch(/^pkg:npm\/(%40[^/]+\/)?[^/@]+@\d/)
      expect(hashes[0]).toMatchObject({ content: expect.stringMatching(/^[0-9a-f]{40,128}$/) })
    }
    expect(all).toContain('dist/sbom.cdx.json')
  })

  test('fonts and language data are in layers of their own, with the variants that are read', () => {
    expect(filesOf('fonts').filter((file) => file.endsWith('.ttf'))).toHaveLength(2)
    expect(filesOf('ocr').filter((file) => file.endsWith('.gz'))).toHaveLength(2)
    const others = [...filesOf('dependencies'), ...filesOf('application')]
    expect(others.filter((file) => /\.ttf$|traineddata/.test(file))).toEqual([])
  })

  describe('as the only readable files', () => {
    const root = join(directory, 'root')
    beforeAll(() => {
      const context = join(directory, 'context')
      stageLayers(repository, context)
      for (const { name } of layers)
        cpSync(join(context, name), root, { recursive: true, force: true })
    })
    /** Runs a script that can read the files of the image and nothing else. */
    const run = (script: string, args: string[], input: Uint8Array = new Uint8Array()) =>
      spawnSync(
        process.execPath,
        [
          '--permission',
          ...[root, script].map((path) => `--allow-fs-read=${path}`),
          script,
          ...args,
        ],
        { encoding: 'utf8', cwd: `${root}/app`, env: {}, input },
      )

    const loader = join(import.meta.dirname, 'testing/load-services.ts')
    const denoFlags = ['run', '--no-prompt', '--allow-env', '--allow-sys', '--allow-net']
    test.each([
      ['Node', () => run(loader, [`${root}/app`])],
      [
        'Deno',
        () =>
          spawnSync(
            binary('deno'),
            [...denoFlags, `--allow-read=${root},${loader}`, loader, `${root}/app`],
            { encoding: 'utf8', cwd: `${root}/app` },
          ),
      ],
    ])('on %s every service loads, and a PDF can be written', (_runtime, load) => {
      const { stdout, stderr } = load()
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual({
        folders: suite.map(({ folder }) => folder),
        pdf: '%PDF',
      })
    })

    test.each<[format: string, bytes: Uint8Array | Promise<Uint8Array>]>([
      ['image', encodePng(drawText('THE FILE'))],
      ['pdf', pdf(['THE FILE'])],
      ['docx', docx(['THE FILE'], [])],
      ['xlsx', xlsx('<row r="1"><c r="A1" t="inlineStr"><is><t>THE FILE</t></is></c></row>')],
    ])('the parser reads the text of the format %s', async (format, bytes) => {
      const script = `${root}/app/services/files/parse/main.worker.ts`
      const { stdout } = run(script, [format, String(Number.MAX_SAFE_INTEGER)], await bytes)
      expect(JSON.parse(stdout.trim().split('\n').at(-1)!).text).toContain('THE FILE')
    })
  })
})

describe('image archive', () => {
  const container = containerConfig('1.2.3')
  const tags = ['docker.io/library/legal-suite:1.2.3']

  test('two builds have the same digest', () => {
    const build = () =>
      buildImage(base(), layerEntries(repository, ['application']), container, tags).digest
    expect(build()).toBe(build())
  })

  test('the own layers are so small that the image has less than 120 MB compressed', () => {
    // node:24-bookworm-slim has 76 MB.
    const { size } = buildImage(base(), layerEntries(repository), container, tags)
    expect(size).toBeLessThan(44e6)
  })

  test('the archive keeps the layers and the entry point of the base image', () => {
    const layers = [
      { name: 'application', entries: [{ path: 'app/a', content: Buffer.from('A') }] },
    ]
    const { archive, digest } = buildImage(base(), layers, container, tags)
    const files = readTar(archive)
    const read = (path: string) => JSON.parse(files.get(path)!.toString())
    const { manifests } = read('index.json')
    expect(manifests[0]).toMatchObject({
      digest,
      annotations: { 'io.containerd.image.name': tags[0] },
    })
    const manifest = read(`blobs/${digest.replace(':', '/')}`)
    const [docker] = read('manifest.json')
    expect(docker.Layers).toEqual(
      manifest.layers.map((each: { digest: string }) => `blobs/${each.digest.replace(':', '/')}`),
    )
    const content = docker.Layers.map((path: string) => [...readLayer(files.get(path)!).keys()])
    expect(content).toEqual([['etc'], ['app/a']])
    const config = read(docker.Config)
    expect(config).toMatchObject({ architecture: 'arm64', created: '1970-01-01T00:00:00Z' })
    expect(config.rootfs.diff_ids).toHaveLength(2)
    expect(config.config).toMatchObject({
      Entrypoint: ['docker-entrypoint.sh'],
      Env: ['PATH=/usr/local/bin', 'NODE_ENV=production'],
      User: '10001:10001',
    })
  })

  test('tar reads the archive, long paths and empty files included', () => {
    const long = `${'folder/'.repeat(20)}${'name'.repeat(20)}`
    const entries = [{ path: 'a' }, { path: 'a/empty', content: Buffer.alloc(0) }]
    const archive = writeTar([...entries, { path: long, content: Buffer.from('x') }])
    const listed = execFileSync('tar', ['-tvf', '-'], { input: archive, encoding: 'utf8' })
    expect(listed.split('\n').map((line) => line.split(' ').at(-1))).toEqual([
      'a/',
      'a/empty',
      long,
      '',
    ])
    expect([...readTar(archive).keys()]).toEqual(['a/empty', long])
    expect(() => writeTar([{ path: 'x'.repeat(300) }])).toThrow('does not fit')
  })
})

describe('Dockerfile', () => {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8')
  const argument = (instruction: string) =>
    [...dockerfile.matchAll(new RegExp(`^${instruction} ((?:.*\\\\\\n)*.*)`, 'gm'))].map(
      ([, text]) => text!,
    )

  test('it has the layers and the container configuration of the archive', () => {
    const container = containerConfig('$' + '{VERSION}')
    const copied = argument('COPY').filter((text) => !text.startsWith('--chmod'))
    expect(copied).toEqual(imageLayers(repository).map(({ name }) => `${name}/ /`))
    expect(argument('USER')).toEqual([container.User])
    expect(argument('WORKDIR')).toEqual([container.WorkingDir])
    expect(argument('ENV')).toEqual(container.Env)
    expect(JSON.parse(argument('CMD')[0]!)).toEqual(container.Cmd)
    const labels = [...argument('LABEL')[0]!.matchAll(/([\w.]+)="([^"]*)"/g)]
    expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toEqual(
      container.Labels,
    )
    expect(argument('RUN')).toEqual([])
  })

  test.each(engines)('%s builds it with fixed times', (engine) => {
    const options = {
      tags: ['a:1', 'b:1'],
      base: 'debian',
      version: '1',
      context: 'dist/image',
      target: 'dev',
    }
    const command = engineCommand(engine, options).join(' ')
    expect(command).toMatch(/--timestamp 0|rewrite-timestamp=true/)
    expect(command).toContain('--tag a:1 --tag b:1 --build-arg BASE=debian')
    expect(command.endsWith('--file Dockerfile dist/image')).toBe(true)
  })

  test('an engine that does not answer is named', () => {
    expect(() => findEngine('nerdctl')).toThrow('No container engine answers (nerdctl)')
  })
})
