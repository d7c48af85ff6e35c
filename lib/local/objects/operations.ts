/** The part of S3's REST API that this service uses: whole objects, path-style (AWS, "Amazon S3 API Reference"). */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback-server.ts';
import { unframe } from './aws-chunked.ts';
import type { ObjectFacts, ObjectStore } from './object-store.ts';

/** AWS, "Organizing, listing, and working with your objects": the bytes of a key, and the keys per list. */
const MAX_KEY = 1024;
const MAX_LIST = 1000;
const KEPT_HEADERS = ['content-type', 'content-disposition', 'content-language', 'cache-control'];
const CHECKSUM = 'x-amz-checksum-crc32';

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Answers one request. */
export function answerS3(store: ObjectStore, request: LoopbackRequest): LoopbackAnswer {
  try {
    return run(store, request);
  } catch (error) {
    const { status, code, message } =
      error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
    return xml(status, `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`);
  }
}

function run(store: ObjectStore, request: LoopbackRequest): LoopbackAnswer {
  const { bucket, key, query } = addressOf(request.url);
  if (!store.hasBucket(bucket)) throw new Refusal(404, 'NoSuchBucket', `The bucket ${bucket} does not exist`);
  // The SDK adds the operation's name to plain requests. Any other parameter would change the meaning of the request.
  const unknown = [...query.keys()].filter(
    (name) => name !== 'x-id' && (key !== '' || !LIST_PARAMETERS.has(name)),
  );
  if (unknown.length === 0 && request.headers.range === undefined) {
    if (key === '' && request.method === 'GET') return list(store, bucket, query);
    if (key === '' && request.method === 'HEAD') return { status: 200 };
    if (key !== '' && request.method === 'PUT') return put(store, bucket, key, request);
    if (key !== '' && request.method === 'GET') return get(store, bucket, key, request);
    if (key !== '' && request.method === 'HEAD') return { status: 200, headers: head(store, bucket, key) };
    if (key !== '' && request.method === 'DELETE') {
      store.delete(bucket, key);
      return { status: 204 };
    }
  }
  throw new Refusal(
    501,
    'NotImplemented',
    `The local endpoint does not support ${request.method} ${request.url}`,
  );
}

const LIST_PARAMETERS = new Set(['list-type', 'prefix', 'max-keys', 'start-after', 'continuation-token']);

function put(store: ObjectStore, bucket: string, key: string, request: LoopbackRequest): LoopbackAnswer {
  const { headers } = request;
  const copy = Object.keys(headers).find((name) => name === 'x-amz-copy-source' || name === 'if-match');
  if (copy !== undefined) {
    throw new Refusal(501, 'NotImplemented', `The local endpoint does not support ${copy}`);
  }
  if (headers['if-none-match'] === '*' && store.head(bucket, key)) {
    throw new Refusal(
      412,
      'PreconditionFailed',
      'At least one of the pre-conditions you specified did not hold',
    );
  }
  const { content, checksum } = contentOf(request);
  const sum = crc32(content);
  const digest = createHash('md5').update(content).digest();
  const expected = headers['content-md5'];
  if (
    (checksum !== undefined && checksum !== base64(sum)) ||
    (expected ?? digest.toString('base64')) !== digest.toString('base64')
  ) {
    throw new Refusal(400, 'BadDigest', 'The content does not match its checksum');
  }
  const md5 = digest.toString('hex');
  const returned = Object.entries(headers).filter(
    ([name]) => KEPT_HEADERS.includes(name) || name.startsWith('x-amz-meta-'),
  );
  store.put(bucket, {
    key,
    content,
    size: content.length,
    md5,
    crc32: sum,
    modified: new Date(),
    headers: Object.fromEntries(returned.map(([name, value]) => [name, String(value)])),
  });
  return { status: 200, headers: { ETag: `"${md5}"`, [CHECKSUM]: base64(sum) } };
}

/** The content without its framing, and the checksum from a header or trailer. */
function contentOf({ headers, body }: LoopbackRequest): { content: Buffer; checksum: string | undefined } {
  if (body === undefined) {
    throw new Refusal(400, 'EntityTooLarge', 'The object exceeds the size limit of the local endpoint');
  }
  const header = headers[CHECKSUM];
  const encoding = headers['content-encoding'] ?? '';
  if (encoding !== '' && encoding !== 'aws-chunked') {
    throw new Refusal(
      501,
      'NotImplemented',
      `The local endpoint does not support the content encoding ${encoding}`,
    );
  }
  const streamed =
    String(headers['x-amz-content-sha256']).startsWith('STREAMING-') || encoding === 'aws-chunked';
  if (!streamed) return { content: body, checksum: header === undefined ? undefined : String(header) };
  const unframed = unframe(body);
  if (!unframed) throw new Refusal(400, 'IncompleteBody', 'The chunks of the content are broken');
  return { content: unframed.content, checksum: unframed.trailers[CHECKSUM] };
}

function get(store: ObjectStore, bucket: string, key: string, { headers }: LoopbackRequest): LoopbackAnswer {
  const found = store.get(bucket, key);
  if (!found) throw noSuchKey(key);
  const checked = headers['x-amz-checksum-mode'] === 'ENABLED';
  return {
    status: 200,
    headers: { ...headersOf(found), ...(checked && { [CHECKSUM]: base64(found.crc32) }) },
    body: found.content,
  };
}

function head(store: ObjectStore, bucket: string, key: string): Record<string, string> {
  const found = store.head(bucket, key);
  if (!found) throw noSuchKey(key);
  return { ...headersOf(found), 'Content-Length': String(found.size) };
}

/** ListObjectsV2 without delimiter. */
function list(store: ObjectStore, bucket: string, query: URLSearchParams): LoopbackAnswer {
  const limit = Math.min(MAX_LIST, Number(query.get('max-keys') ?? MAX_LIST));
  const prefix = query.get('prefix') ?? '';
  const contents: ObjectFacts[] = [];
  let truncated = false;
  for (const found of store.list(
    bucket,
    prefix,
    query.get('continuation-token') ?? query.get('start-after') ?? '',
  )) {
    truncated = contents.length === limit;
    if (truncated) break;
    contents.push(found);
  }
  const next = truncated
    ? `<NextContinuationToken>${escaped(contents.at(-1)?.key ?? '')}</NextContinuationToken>`
    : '';
  const entries = contents.map(
    ({ key, size, md5, modified }) =>
      `<Contents><Key>${escaped(key)}</Key><Size>${size}</Size><ETag>"${md5}"</ETag><LastModified>${modified.toISOString()}</LastModified></Contents>`,
  );
  return xml(
    200,
    `<ListBucketResult><Name>${bucket}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${contents.length}</KeyCount>` +
      `<MaxKeys>${limit}</MaxKeys><IsTruncated>${truncated}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`,
  );
}

/** Bucket and key of a path-style URL; the key is empty if the URL refers to the bucket. */
function addressOf(url: string): { bucket: string; key: string; query: URLSearchParams } {
  const [path = '', search = ''] = url.split('?', 2);
  const [, bucket = '', ...rest] = path.split('/');
  try {
    const key = decodeURIComponent(rest.join('/'));
    if (Buffer.byteLength(key) > MAX_KEY) throw new Refusal(400, 'KeyTooLongError', 'Your key is too long');
    return { bucket: decodeURIComponent(bucket), key, query: new URLSearchParams(search) };
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'InvalidURI', 'The path cannot be decoded');
  }
}

const headersOf = ({ headers, md5, modified }: ObjectFacts): Record<string, string> => ({
  'content-type': 'application/octet-stream',
  ...headers,
  ETag: `"${md5}"`,
  'Last-Modified': modified.toUTCString(),
});

const noSuchKey = (key: string): Refusal => new Refusal(404, 'NoSuchKey', `The key ${key} does not exist`);

function base64(sum: number): string {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(sum);
  return octets.toString('base64');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML cannot hold are written as references, as S3 does. */
const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  text.replace(/[&<>"\x00-\x1f]/g, (found) => ENTITIES[found] ?? `&#x${found.charCodeAt(0).toString(16)};`);

const xml = (status: number, content: string): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${content}`,
});
