import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { startBackend } from './backend.ts'

/** Configuration of files-service for the server. */
export type S3Variables = Record<`S3_${string}`, string>

export interface S3 {
  variables: S3Variables
  client: S3Client
  bucket: string
  /** Keys of all objects and of interrupted multipart uploads. */
  list(): Promise<string[]>
  stop(): Promise<void>
}

/** A real S3 server with a bucket of its own, or the reason why there is none. */
export async function startS3(): Promise<S3 | string> {
  const server = await startBackend({
    name: 'S3',
    folder: 's3',
    urlVariable: 'TEST_S3_ENDPOINT',
    portVariable: 'S3_PORT',
    pidFile: 'vgw.pid',
    buildUrl: (port) => `http://127.0.0.1:${port}`,
    timeoutMs: 90_000,
  })
  return typeof server === 'string' ? server : createBucket(server.url, server.stop)
}

async function createBucket(endpoint: string, stop: () => Promise<void>): Promise<S3> {
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
  async function list() {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    return [...Contents, ...Uploads].map((each) => each.Key!)
  }
  return { variables, client, bucket, list, stop }
}
