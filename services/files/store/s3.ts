import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Fault } from '../../_kit/fault.ts'
import { defaultPartBytes, splitParts } from './parts.ts'
import { type ObjectRef, putStream, type StreamBody } from './s3-put-stream.ts'
import type { Store } from './store.ts'

export interface S3Config {
  endpoint: string | undefined
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  forcePathStyle: boolean
}

const partsInFlight = 2

/** Time limits until the response starts. */
const timeouts = { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true }
/** A streamed upload takes as long as its sender; only silence is limited. */
const streamTimeouts = { connectionTimeout: 5_000, socketTimeout: 120_000 }

/**
 * Storage in an S3 bucket. A large object of known size is streamed in one request where the runtime has
 * `streamBody`; otherwise it is uploaded in parallel parts.
 */
export function s3Store(config: S3Config, streamBody?: StreamBody): Store {
  const Bucket = config.bucket
  const client = connect(config, timeouts)
  const streamClient = connect(config, streamTimeouts)

  return {
    async put(Key, chunks, expectedSize = 0) {
      if (streamBody && expectedSize > defaultPartBytes) {
        return putStream(streamClient, { Bucket, Key }, chunks, expectedSize, streamBody)
      }
      const parts = splitParts(chunks, partsInFlight)
      const first = await parts.next()
      const Body = first.done ? new Uint8Array() : first.value.bytes
      if (first.done || first.value.last) {
        await client.send(new PutObjectCommand({ Bucket, Key, Body }))
        return Body.length
      }
      return putMultipart(client, { Bucket, Key }, Body, parts)
    },

    async get(Key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const command = new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) })
      const response = await client.send(command).catch(nullIfMissing)
      return response && toStream(response.Body as unknown as AsyncIterable<Uint8Array>)
    },

    async size(Key) {
      const response = await client
        .send(new HeadObjectCommand({ Bucket, Key }))
        .catch(nullIfMissing)
      return response && (response.ContentLength ?? 0)
    },

    async copy(from, Key) {
      const command = new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` })
      return (await client.send(command).catch(nullIfMissing)) !== null
    },

    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket, Prefix: Key }),
      )
      for (const { UploadId } of Uploads) {
        await client
          .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
          .catch(nullIfMissing)
      }
    },

    check: () => client.send(new HeadBucketCommand({ Bucket })),

    urls: {
      get(Key, expiresIn, { contentType, disposition }) {
        const command = new GetObjectCommand({
          Bucket,
          Key,
          ResponseContentType: contentType,
          ResponseContentDisposition: disposition,
        })
        return getSignedUrl(client, command, { expiresIn })
      },

      async put(Key, expiresIn, { size, sha256 }) {
        const checksum = 'x-amz-checksum-sha256'
        const ChecksumSHA256 = sha256 && hexToBase64(sha256)
        const url = await getSignedUrl(
          client,
          new PutObjectCommand({
            Bucket,
            Key,
            ContentLength: size,
            ...(ChecksumSHA256 && { ChecksumSHA256 }),
          }),
          { expiresIn, unhoistableHeaders: new Set([checksum]) },
        )
        return { url, headers: ChecksumSHA256 ? { [checksum]: ChecksumSHA256 } : {} }
      },
    },
  }
}

function connect(config: S3Config, requestHandler: object): S3Client {
  const client = new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    ...(config.endpoint && { endpoint: config.endpoint }),
    // Some S3 servers do not support the newer checksums. Files have a SHA-256 of their own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler,
  })
  // The stream is hashed once; the request signature does not hash the payload again.
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
      return next(args)
    },
    { step: 'build' },
  )
  client.middlewareStack.add((next) => (args) => next(args).catch(throwUnavailable), {
    step: 'initialize',
  })

  return client
}

async function putMultipart(
  client: S3Client,
  object: ObjectRef,
  first: Uint8Array,
  rest: ReturnType<typeof splitParts>,
): Promise<number> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
  const uploads: Promise<{ PartNumber: number; ETag: string | undefined }>[] = []
  let size = 0
  const send = (Body: Uint8Array) => {
    const PartNumber = uploads.length + 1
    size += Body.length
    const part = new UploadPartCommand({ ...object, UploadId, PartNumber, Body })
    const upload = client.send(part).then(({ ETag }) => ({ PartNumber, ETag }))
    // Prevents an unhandled rejection before the part is awaited.
    upload.catch(() => {})
    uploads.push(upload)
  }
  try {
    send(first)
    for await (const { bytes } of rest) {
      await uploads.at(-partsInFlight)
      send(bytes)
    }
    const Parts = await Promise.all(uploads)
    await client.send(
      new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
    )
    return size
  } catch (thrown) {
    await Promise.allSettled(uploads)
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => {})
    throw thrown
  }
}

/** Converts the body of any runtime to a web stream that buffers one chunk. */
function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 1 },
  )
}

interface S3Error {
  $metadata?: { httpStatusCode?: number }
}

const isMissing = (thrown: S3Error) => thrown.$metadata?.httpStatusCode === 404

function nullIfMissing(thrown: S3Error): null {
  if (isMissing(thrown)) return null
  throw thrown
}

function throwUnavailable(thrown: S3Error): never {
  if (isMissing(thrown)) throw thrown
  throw new Fault('UPSTREAM_UNAVAILABLE', 'The storage is unavailable. Retry later.', {
    cause: thrown,
  })
}

const hexToBase64 = (hex: string) =>
  btoa(String.fromCharCode(...hex.match(/../g)!.map((byte) => Number.parseInt(byte, 16))))
