import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { acceptance } from '../acceptance.ts';
import { type Body, compressed, joined } from '../body.ts';
import type { EndpointEvent } from '../endpoint.ts';
import { entityTag, isKnown } from '../entity-tag.ts';
import type { Presentation } from '../presentation.ts';
import type { Reply } from '../reply.ts';
import type { Route } from '../route.ts';
import { answerTooLarge } from '../too-large.ts';

/** A Lambda answers with at most 6 MB; some room is left for the envelope around the body. */
const MAX_BODY = 6 * 1024 * 1024 - 16 * 1024;
/** What is binary goes in base64, which is a third longer. */
const MAX_BINARY = Math.floor((MAX_BODY * 3) / 4);

/** Smaller answers are not worth the time. */
const COMPRESSED_FROM = 16 * 1024;

/** Puts a sentence's reply into the route's status and form, compressed where that is worth it and accepted. */
export function writeResponse(
  { success }: Route,
  presentation: Presentation,
): MiddlewareObj<EndpointEvent, APIGatewayProxyStructuredResultV2 | Reply> {
  return {
    after: async (request) => {
      const reply = request.response as Reply;
      const { headers, body } = presentation.answer(reply, success);
      const accepts = acceptance(request.event.headers);
      const written = accepts.gzip && isLarge(body) ? await asGzip(body) : asText(body);
      if (written === undefined)
        throw answerTooLarge(accepts, { alternatives: success.alternatives, lessBy: reply.lessBy });
      request.response = { statusCode: reply.status ?? success.status, ...written };
      request.response.headers = {
        'cache-control': 'no-store',
        ...(isLarge(body) && { vary: 'accept-encoding' }),
        ...headers,
        ...reply.headers,
        ...request.response.headers,
      };
      if (success.freshSeconds !== undefined && typeof body === 'string') {
        const etag = entityTag(body);
        const cacheControl = `public, max-age=${success.freshSeconds}`;
        Object.assign(request.response.headers, { etag, 'cache-control': cacheControl });
        if (isKnown(etag, request.event.headers['if-none-match']))
          request.response = notModified(request.response.headers);
      }
    },
  };
}

/** RFC 9110 section 15.4.5: the headers that the whole answer would have, but those of the content. */
function notModified(
  headers: APIGatewayProxyStructuredResultV2['headers'] = {},
): APIGatewayProxyStructuredResultV2 {
  const kept = Object.entries(headers).filter(([name]) => !/^content-(?:type|encoding)$/.test(name));
  return { statusCode: 304, headers: Object.fromEntries(kept), body: '' };
}

const isLarge = (body: Body): boolean => typeof body !== 'string' || body.length >= COMPRESSED_FROM;

/** Undefined, as below, where it is too large. */
function asText(body: Body): APIGatewayProxyStructuredResultV2 | undefined {
  const text = joined(body, MAX_BODY);
  return text === undefined ? undefined : { body: text };
}

async function asGzip(body: Body): Promise<APIGatewayProxyStructuredResultV2 | undefined> {
  const octets = await compressed(body, MAX_BINARY);
  if (octets === undefined) return undefined;
  return {
    headers: { 'content-encoding': 'gzip' },
    body: octets.toString('base64'),
    isBase64Encoded: true,
  };
}
