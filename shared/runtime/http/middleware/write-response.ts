import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Acceptance, acceptance } from '../acceptance.ts';
import { type Body, compressed, joined } from '../body.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { entityTag, isKnown } from '../entity-tag.ts';
import { pageLinks } from '../page-links.ts';
import { type Presentation, responseHeaders } from '../presentation.ts';
import type { Reply } from '../reply.ts';
import { cacheControlOf, type Route } from '../route.ts';
import { answerTooLarge } from '../too-large.ts';

/** Lambda responses can have at most 6 MB; this leaves some room for the envelope around the body. */
const MAX_BODY = 6 * 1024 * 1024 - 16 * 1024;
/** Binary bodies are encoded in base64, which is a third longer. */
const MAX_BINARY = Math.floor((MAX_BODY * 3) / 4);

/** Smaller responses are not compressed. */
const COMPRESSED_FROM = 16 * 1024;

/** Converts a reply to the status and format of the route, compressed if it is large and the client accepts gzip. */
export function writeResponse(
  route: Route,
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2 | Reply> {
  const { success } = route;
  /** The content of a fixed response, with gzip or without it. */
  const fixed = new Map<boolean, Written>();

  async function write(reply: Reply, accepts: Acceptance): Promise<Written> {
    const known = success.isFixed ? fixed.get(accepts.gzip) : undefined;
    if (known !== undefined) return known;
    const { headers, body } = presentation.answer(reply, success);
    const content = accepts.gzip && isLarge(body) ? await asGzip(body) : asIs(body);
    if (content === undefined)
      throw answerTooLarge(accepts, { formats: success.formats, lessBy: reply.lessBy });
    const vary: Record<string, string> = isLarge(body) ? { vary: 'accept-encoding' } : {};
    const etag = entityTag(content.body ?? '', reply.version);
    const written = { content, headers: { ...vary, ...headers }, etag };
    if (success.isFixed) fixed.set(accepts.gzip, written);
    return written;
  }

  return {
    after: async (request) => {
      const reply = request.response as Reply;
      const { content, headers, etag } = await write(reply, acceptance(request.event, success.formats));
      request.response = { statusCode: reply.status ?? success.status, ...content };
      request.response.headers = {
        ...responseHeaders,
        ...headers,
        ...pageLinks(request.event, reply),
        ...locationOf(route, reply),
        ...reply.headers,
        ...content.headers,
      };
      if (reply.cookies !== undefined) request.response.cookies = [...reply.cookies];
      if (reply.version !== undefined) Object.assign(request.response.headers, { etag });
      const cacheControl = cacheControlOf(route);
      if (cacheControl !== undefined) {
        Object.assign(request.response.headers, { etag, 'cache-control': cacheControl });
        if (isKnown(etag, request.event.headers['if-none-match']))
          request.response = notModified(request.response.headers);
      }
    },
  };
}

/** The path of what was created. */
const locationOf = ({ success: { createsAt } }: Route, { data }: Reply): Record<string, string> =>
  createsAt === undefined
    ? {}
    : {
        location: createsAt.replace(/\{(\w+)\}/, (_, name: string) =>
          String(Reflect.get(Object(data), name)),
        ),
      };

interface Written {
  readonly content: APIGatewayProxyStructuredResultV2;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
}

/** RFC 9110 section 15.4.5: the headers of the full response, except those about the content. */
export function notModified(
  headers: APIGatewayProxyStructuredResultV2['headers'] = {},
): APIGatewayProxyStructuredResultV2 {
  const kept = Object.entries(headers).filter(([name]) => !/^content-(?:type|encoding)$/.test(name));
  return { statusCode: 304, headers: Object.fromEntries(kept), body: '' };
}

const isLarge = (body: Body): boolean => typeof body !== 'string' || body.length >= COMPRESSED_FROM;

/** Undefined if the body is too large; the same applies below. */
function asIs(body: Body): APIGatewayProxyStructuredResultV2 | undefined {
  if (body instanceof Uint8Array) return body.length > MAX_BINARY ? undefined : binary(body);
  const text = joined(body, MAX_BODY);
  return text === undefined ? undefined : { body: text };
}

async function asGzip(body: Body): Promise<APIGatewayProxyStructuredResultV2 | undefined> {
  const octets = await compressed(body, MAX_BINARY);
  if (octets === undefined) return undefined;
  return { headers: { 'content-encoding': 'gzip' }, ...binary(octets) };
}

/** The gateway decodes the body before it sends it. */
const binary = (octets: Uint8Array): APIGatewayProxyStructuredResultV2 => ({
  body: Buffer.from(octets).toString('base64'),
  isBase64Encoded: true,
});
