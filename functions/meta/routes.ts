/** The route of the OpenAPI document. */
import * as z from 'zod/mini';
import type { Route } from '../../shared/runtime/http/route.ts';

export const routes = {
  getOpenApi: {
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/openapi.json',
    handler: 'meta/openapi',
    access: 'public',
    rate: 'none',
    summary: 'Get this OpenAPI document',
    errorImpact: 'API clients cannot read the OpenAPI document.',
    timeoutSeconds: 10,
    memoryMegabytes: 256,
    request: {},
    success: {
      status: 200,
      description: 'An OpenAPI 3.1 document',
      envelope: 'bare',
      schema: z.record(z.string(), z.unknown()),
    },
    errors: ['internal'],
    uses: [],
  },
} as const satisfies Record<string, Route>;
