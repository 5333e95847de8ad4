import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { freePort } from './free-port.ts'
import { killWithParent } from './process.ts'

/** What files-service is told of a storage. */
export type S3Variables = Record<`S3_${string}`, string>

export interface S3 {
  variables: S3Variables
  client: S3Client
  bucket: string
  /** Everything in the bucket, uploads that never ended included. */
  holds(): Promise<string[]>
  stop(): Promise<void>
}

const patienceMs = 90_000

/**
 * A real S3 server with a bucket of its own: the one at TEST_S3_ENDPOINT, or one that is started by the
 * script in LEGAL_SUITE_BACKENDS. Where there is neither, the reason.
 */
export async function startS3(): Promise<S3 | string> {
  const given = process.env.TEST_S3_ENDPOINT
  if (given) return bucketAt(given, async () => {})
  const script = resolve(process.env.LEGAL_SUITE_BACKENDS ?? '../shared/backends', 's3/start.sh')
  if (!existsSync(script))
    return 'no S3 server: neither TEST_S3_ENDPOINT nor LEGAL_SUITE_BACKENDS is set'
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-s3-'))
  const port = await freePort()
  if (!(await started(script, directory, port))) return `no S3 server: ${script} did not start one`
  const pid = Number(readFileSync(join(directory, 'vgw.pid'), 'utf8'))
  const release = killWithParent({ pid })
  return bucketAt(`http://127.0.0.1:${port}`, async () => {
    process.kill(pid)
    release()
    rmSync(directory, { recursive: true, force: true })
  })
}

/** Runs the start script. Its first run installs packages and continues in the background after the timeout. */
function started(script: string, directory: string, port: number): Promise<boolean> {
  const child = spawn('bash', [script, directory], {
    env: { ...process.env, S3_PORT: String(port) },
    stdio: 'ignore',
    detached: true,
  })
  child.unref()
  return new Promise((resolve) => {
    const late = setTimeout(resolve, patienceMs, false)
    child.once('exit', (code) => {
      clearTimeout(late)
      resolve(code === 0)
    })
  })
}

async function bucketAt(endpoint: string, stop: () => Promise<void>): Promise<S3> {
  const [accessKeyId, secretAccessKey] = ['testaccess', 'testsecret']
  const bucket = `test-${crypto.randomUUID()}`
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const variables = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  }
  async function holds() {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    return [...Contents, ...Uploads].map((each) => each.Key!)
  }
  return { variables, client, bucket, holds, stop }
}
