/** Routes of the description of the API. */
import * as z from 'zod/mini';
import { named, page } from '../route-kinds.ts';

export const routes = named({
  getOpenApi: {
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
      freshSeconds: 300,
      isFixed: true,
    },
    errors: ['payload_too_large', 'internal'],
    uses: [],
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    handler: 'meta/docs',
    access: 'public',
    // The page is the same for everyone, and browsers keep it for a few minutes.
    rate: 'none',
    summary: 'Show the API reference',
    errorImpact: 'Visitors cannot read the API reference.',
    timeoutSeconds: 10,
    memoryMegabytes: 512,
    request: {},
    success: { ...page, status: 200, description: 'The API reference', freshSeconds: 300, isFixed: true },
    errors: ['internal'],
    uses: [],
  },
  getSecurityTxt: {
    method: 'GET',
    path: '/.well-known/security.txt',
    handler: 'meta/security-txt',
    access: 'public',
    rate: 'none',
    summary: 'Get where to report vulnerabilities (RFC 9116), if the operator set it',
    errorImpact: 'Nobody learns where to report vulnerabilities.',
    timeoutSeconds: 5,
    memoryMegabytes: 256,
    request: {},
    success: {
      status: 200,
      description: 'A security.txt file',
      envelope: 'bare',
      schema: z.string(),
      // RFC 9116 section 3.
      contentType: 'text/plain; charset=utf-8',
      example: 'Contact: mailto:security@example.org',
      freshSeconds: 300,
    },
    errors: ['not_found', 'internal'],
    uses: [],
  },
});
