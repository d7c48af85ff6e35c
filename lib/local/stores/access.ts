/**
 * Requests of the AWS SDK to the embedded endpoints of the same process. Without HTTP and signatures, a request costs a
 * third of the CPU time. Other processes use HTTP.
 */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AwsAccess } from '../../../shared/store/aws-access.ts';
import { performDocuments } from './documents.ts';
import { TARGET } from './dynamodb/target.ts';
import type { LoopbackAnswer, LoopbackServer } from './loopback-server.ts';

/** What the SDK sends. It writes the names of headers in lower case. */
interface SentRequest {
  readonly method: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Clients with these options send each request to the server among `servers` that has the request's endpoint. */
export function accessTo(servers: readonly Pick<LoopbackServer, 'endpoint' | 'send'>[]) {
  const byHost = new Map(servers.map((server) => [new URL(server.endpoint).host, server]));
  function serverAt(host: string) {
    const server = byHost.get(host);
    if (server === undefined) throw new Error(`no embedded endpoint: ${host}`);
    return server;
  }
  const requestHandler = {
    async handle(request: SentRequest, { abortSignal }: { readonly abortSignal?: unknown } = {}) {
      const server = serverAt(`${request.hostname}:${request.port}`);
      // Between requests, timers and connections have their turn, as with HTTP.
      await nextTurn();
      const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
      return { response: responseOf(await server.send(requestOf(request), signal)) };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
  const signer = { sign: async <Request>(request: Request) => request };
  return { requestHandler, signer, putObject, documents } satisfies AwsAccess;

  async function putObject(bucket: string, key: string, content: Uint8Array): Promise<void> {
    const url = `/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`;
    const server = serverAt(new URL(process.env.AWS_ENDPOINT_URL ?? '').host);
    await nextTurn();
    const { status } = await server.send({ method: 'PUT', url, headers: {}, body: bufferOf(content) });
    if (status !== 200) throw new Error(`the object ${key} was not stored: ${status}`);
  }

  function documents(client: DynamoDBDocumentClient, endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB): void {
    const server = serverAt(new URL(endpoint ?? '').host);
    performDocuments(client, async (operation, request) => {
      await nextTurn();
      const headers = { 'x-amz-target': `${TARGET}${operation}` };
      const { status, body } = await server.send({
        ...{ method: 'POST', url: '/', headers, body: Buffer.from(request) },
      });
      return status === 200 ? String(body) : undefined;
    });
  }
}

function requestOf({ method, path, query, headers, body = '' }: SentRequest) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.append(name, String(value));
  const url = search.size === 0 ? path : `${path}?${search}`;
  return { method, url, headers, body: typeof body === 'string' ? Buffer.from(body) : bufferOf(body) };
}

/** The same memory. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Objects are binary and read as streams, other content at once. */
function responseOf({ status, headers = {}, body = '' }: LoopbackAnswer) {
  return {
    statusCode: status,
    headers: lowerCase({ 'content-length': String(Buffer.byteLength(body)), ...headers }),
    body: typeof body === 'string' ? Buffer.from(body) : Readable.from([body], { objectMode: false }),
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
