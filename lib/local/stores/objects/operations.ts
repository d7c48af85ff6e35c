/** The part of S3's REST API that this service uses: whole objects, path-style (AWS, "Amazon S3 API Reference"). */

import { escapeMarkup } from '../../../../shared/protocol/xml-references.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback-server.ts';
import { contentFacts, type ObjectFacts, type ObjectStore } from './object-store.ts';

/** AWS, "Naming Amazon S3 objects": the bytes of a key. */
const MAX_KEY = 1024;
const KEPT_HEADERS = ['content-type', 'content-disposition', 'content-language', 'cache-control'];
const CHECKSUM = 'x-amz-checksum-crc32';
const COPY_SOURCE = 'x-amz-copy-source';

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Answers one request. `onFailure` is called with each error of the file. */
export function answerS3(
  store: ObjectStore,
  request: LoopbackRequest,
  onFailure: (error: unknown) => void = () => {},
): LoopbackAnswer {
  try {
    return run(store, request);
  } catch (error) {
    if (!(error instanceof Refusal)) onFailure(error);
    const { status, code, message } =
      error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
    return xml(status, `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`);
  }
}

function run(store: ObjectStore, request: LoopbackRequest): LoopbackAnswer {
  const { bucket, key, query } = addressOf(request.url);
  if (!store.hasBucket(bucket)) throw new Refusal(404, 'NoSuchBucket', `The bucket ${bucket} does not exist`);
  // The SDK adds the operation's name to plain requests. Any other parameter would change the meaning of the request.
  const isPlain = [...query.keys()].every((name) => name === 'x-id') && request.headers.range === undefined;
  if (isPlain && key !== '') {
    if (request.method === 'PUT' && COPY_SOURCE in request.headers) return copy(store, bucket, key, request);
    if (request.method === 'PUT') return put(store, bucket, key, request);
    if (request.method === 'GET') return get(store, bucket, key, request);
    if (request.method === 'DELETE') {
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

/** Headers that would change what a PUT does. */
const UNSUPPORTED_HEADERS = ['if-match', 'if-none-match', 'content-encoding'];

function put(store: ObjectStore, bucket: string, key: string, request: LoopbackRequest): LoopbackAnswer {
  const { headers, body } = request;
  const unsupported = UNSUPPORTED_HEADERS.find((name) => name in headers);
  if (unsupported !== undefined) {
    throw new Refusal(501, 'NotImplemented', `The local endpoint does not support ${unsupported}`);
  }
  if (body === undefined) {
    throw new Refusal(400, 'EntityTooLarge', 'The object exceeds the size limit of the local endpoint');
  }
  const facts = contentFacts(body);
  const digest = Buffer.from(facts.md5, 'hex').toString('base64');
  const { [CHECKSUM]: checksum = base64(facts.crc32), 'content-md5': expected = digest } = headers;
  if (checksum !== base64(facts.crc32) || expected !== digest) {
    throw new Refusal(400, 'BadDigest', 'The content does not match its checksum');
  }
  const returned = Object.entries(headers).filter(
    ([name]) => KEPT_HEADERS.includes(name) || name.startsWith('x-amz-meta-'),
  );
  store.put(bucket, {
    key,
    content: body,
    ...facts,
    modified: new Date(),
    headers: Object.fromEntries(returned.map(([name, value]) => [name, String(value)])),
  });
  return { status: 200, headers: { ETag: `"${facts.md5}"`, [CHECKSUM]: base64(facts.crc32) } };
}

/** CopyObject, with the metadata of its source. */
function copy(store: ObjectStore, bucket: string, key: string, { headers }: LoopbackRequest): LoopbackAnswer {
  const source = addressOf(`/${String(headers[COPY_SOURCE]).replace(/^\//, '')}`);
  const found = store.hasBucket(source.bucket) ? store.get(source.bucket, source.key) : undefined;
  if (found === undefined) throw noSuchKey(source.key);
  const modified = new Date();
  store.put(bucket, { ...found, key, modified });
  const { md5 } = found;
  return xml(
    200,
    `<CopyObjectResult><LastModified>${modified.toISOString()}</LastModified><ETag>&quot;${md5}&quot;</ETag></CopyObjectResult>`,
  );
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

/** Characters that XML cannot hold are written as references, as S3 does. */
const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  escapeMarkup(text).replace(/[\x00-\x1f]/g, (found) => `&#x${found.charCodeAt(0).toString(16)};`);

const xml = (status: number, content: string): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${content}`,
});
