/** Events of an HTTP API (payload format 2.0), including what API Gateway does to paths, headers and bodies. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Match } from './router.ts';
import type { Sender } from './sender.ts';

/** Media types whose bodies arrive as text. All others, including forms, arrive as base64. */
const TEXT = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)\b|application\/javascript\b)/i;

export interface Target {
  /** The path as sent, with percent escapes. */
  readonly path: string;
  /** The path in events: percent-decoded, and truncated at a decoded `?`. It is not used for routing. */
  readonly rawPath: string;
  readonly rawQueryString: string;
}

export function makeEvent(
  request: IncomingMessage,
  target: Target & Pick<Sender, 'client'>,
  match: Match | undefined,
  body: Buffer,
): APIGatewayProxyEventV2 {
  const routeKey = match === undefined ? '$default' : `${match.route.method} ${match.route.path}`;
  const now = new Date();
  const headers = lowerCaseHeaders(request);
  const { cookie, ...others } = headers;
  const isBase64Encoded = body.length > 0 && !TEXT.test(headers['content-type'] ?? '');
  return {
    version: '2.0',
    routeKey,
    rawPath: target.rawPath,
    rawQueryString: target.rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    headers: others,
    ...(target.rawQueryString === '' ? {} : { queryStringParameters: joinedQuery(target.rawQueryString) }),
    ...(match === undefined || Object.keys(match.pathParameters).length === 0
      ? {}
      : { pathParameters: { ...match.pathParameters } }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path: target.rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: target.client,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...(body.length === 0 ? {} : { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
}

/** Splits a request target. Returns `undefined` if a percent escape in the path is malformed. */
export function splitTarget(url: string): Target | undefined {
  const [path = '/', ...rest] = url.split('?');
  try {
    const [rawPath] = decodeURIComponent(path).split('?');
    return { path, rawPath: rawPath || '/', rawQueryString: rest.join('?') };
  } catch {
    return undefined;
  }
}

function lowerCaseHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values = []]) => [
      name,
      values.join(name === 'cookie' ? '; ' : ','),
    ]),
  );
}

function joinedQuery(raw: string): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(raw)) {
    joined[name] = Object.hasOwn(joined, name) ? `${joined[name]},${value}` : value;
  }
  return joined;
}
