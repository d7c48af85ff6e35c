/** Keeps the responses of routes that always answer the same, so that a flood of requests for them costs little. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { acceptance } from '../../../../shared/runtime/http/acceptance.ts';
import { isKnown } from '../../../../shared/runtime/http/entity-tag.ts';
import { notModified } from '../../../../shared/runtime/http/middleware/write-response.ts';
import type { RoutedFunction } from '../program.ts';

export interface KeptResponse {
  readonly result: APIGatewayProxyStructuredResultV2;
  /** Its decoded body. */
  readonly body: Buffer;
}

/** The body of a response as it is sent. */
export const contentOf = ({ body = '', isBase64Encoded }: APIGatewayProxyStructuredResultV2): Buffer =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

export function fixedResponses() {
  const kept = new Map<string, KeptResponse>();
  return {
    /** The response to a request for a fixed route, or that the client has it already; undefined if none is kept. */
    get({ isFixed }: RoutedFunction, event: APIGatewayProxyEventV2): KeptResponse | undefined {
      // A query may be refused.
      const known = isFixed && event.rawQueryString === '' ? kept.get(keyOf(event)) : undefined;
      const { etag } = known?.result.headers ?? {};
      if (etag === undefined || !isKnown(String(etag), event.headers['if-none-match'])) return known;
      return { result: notModified(known?.result.headers), body: Buffer.alloc(0) };
    },

    keep(
      { isFixed }: RoutedFunction,
      event: APIGatewayProxyEventV2,
      result: APIGatewayProxyStructuredResultV2,
    ): void {
      if (isFixed && result.statusCode === 200) kept.set(keyOf(event), { result, body: contentOf(result) });
    },
  };
}

const keyOf = (event: APIGatewayProxyEventV2): string => `${event.routeKey} ${acceptance(event).gzip}`;
