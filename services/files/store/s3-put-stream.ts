import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'

export interface ObjectRef {
  Bucket: string
  Key: string
}

/** Converts chunks to a request body of the runtime. */
export type StreamBody = (chunks: AsyncIterable<Uint8Array>) => object

const paddingBytes = 64 * 1024

/**
 * Stores an object of about `expected` bytes in one streamed request, which must announce a length. Missing bytes
 * are padded and additional bytes kept back; the object is then corrected by a copy within the storage.
 */
export async function putStream(
  client: S3Client,
  object: ObjectRef,
  chunks: AsyncIterable<Uint8Array>,
  expected: number,
  streamBody: StreamBody,
): Promise<number> {
  const abort = new AbortController()
  const surplus: Uint8Array[] = []
  let size = 0

  async function* exactly(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        const room = Math.max(0, expected - size)
        size += chunk.length
        if (room > 0) yield chunk.subarray(0, room)
        if (chunk.length > room) surplus.push(chunk.slice(room))
      }
    } catch (thrown) {
      // The request would wait for the missing bytes.
      abort.abort(thrown)
      throw thrown
    }
    for (let missing = expected - size; missing > 0; missing -= paddingBytes) {
      yield new Uint8Array(Math.min(missing, paddingBytes))
    }
  }

  const Body = streamBody(exactly()) as ReadableStream
  const put = new PutObjectCommand({ ...object, Body, ContentLength: expected })
  await client.send(put, { abortSignal: abort.signal }).catch((thrown) => {
    throw abort.signal.aborted ? abort.signal.reason : thrown
  })
  if (size === 0) await client.send(new PutObjectCommand({ ...object, Body: new Uint8Array() }))
  else if (size !== expected) await correctSize(client, object, Math.min(size, expected), surplus)
  return size
}

/** Replaces an object by its first `length` bytes followed by `surplus`. */
async function correctSize(
  client: S3Client,
  object: ObjectRef,
  length: number,
  surplus: Uint8Array[],
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
  const upload = { ...object, UploadId }
  const copy = await client.send(
    new UploadPartCopyCommand({
      ...upload,
      PartNumber: 1,
      CopySource: `${object.Bucket}/${object.Key}`,
      CopySourceRange: `bytes=0-${length - 1}`,
    }),
  )
  const Parts = [{ PartNumber: 1, ETag: copy.CopyPartResult?.ETag }]
  if (surplus.length > 0) {
    const Body = new Uint8Array(await new Blob(surplus as BlobPart[]).arrayBuffer())
    const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body }))
    Parts.push({ PartNumber: 2, ETag })
  }
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
}
