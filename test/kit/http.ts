/** Requests to an endpoint of a test, without what the test is not about. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

export const plainRoute = {
  name: 'own',
  method: 'GET',
  path: '/own',
  handler: 'own',
  access: 'public',
  rate: 'none',
  summary: '',
  errorImpact: '',
  timeoutSeconds: 1,
  memoryMegabytes: 128,
  request: {},
  errors: [],
  uses: [],
} as const;

export const gatewayEvent = (given: object = {}, http: object = {}) =>
  ({
    rawPath: '/own',
    rawQueryString: '',
    headers: {},
    isBase64Encoded: false,
    requestContext: { requestId: 'r1', http: { sourceIp: '192.0.2.1', ...http } },
    ...given,
  }) as unknown as APIGatewayProxyEventV2;

/** What an invocation knows about its time. */
export const invocation = { getRemainingTimeInMillis: () => 1000 } as Context;
