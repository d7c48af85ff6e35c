/** Events and answers of the HTTP API's payload format 2.0, with what it does to paths, headers and bodies. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Match } from './router.ts';

/** Media types whose bodies arrive as they are; all others, and forms, arrive in base64. */
const TEXT = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)\b|application\/javascript\b)/i;

export function makeEvent(
  request: IncomingMessage,
  target: { readonly path: string; readonly rawQueryString: string },
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
    rawPath: target.path,
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
        path: target.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
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

/**
 * Splits a request target. The path arrives percent-decoded and is cut at a decoded `?`; `undefined` where its
 * percent escapes are broken.
 */
export function splitTarget(url: string): { path: string; rawQueryString: string } | undefined {
  const [encoded = '/', ...rest] = url.split('?');
  try {
    return { path: decodeURIComponent(encoded).split('?')[0] || '/', rawQueryString: rest.join('?') };
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
