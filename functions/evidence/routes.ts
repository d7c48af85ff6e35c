/** Routes of evidence, and of the keys that verify it. */
import { domainPath } from '../../shared/api/common.ts';
import { atQuery, evidenceResponse, jsonWebKeySet } from '../../shared/api/evidence.ts';
import { operation as getEvidence } from '../../shared/operations/evidence/get-evidence.ts';
import { named, performs, v1Errors } from '../route-kinds.ts';

export const routes = named({
  getEvidence: {
    ...performs('GET', '/api/v1/domains/{id}/evidence', getEvidence),
    handler: 'evidence/get',
    errorImpact: 'API clients cannot get evidence.',
    memoryMegabytes: 1024,
    request: { path: domainPath, query: atQuery },
    success: {
      status: 200,
      description: 'The evidence as canonical JSON, exactly as it is to be kept',
      envelope: 'bare',
      schema: evidenceResponse,
    },
    errors: ['invalid_request', 'not_found', ...v1Errors],
  },
  getSigningKeys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    handler: 'evidence/keys',
    access: 'public',
    rate: 'polls',
    summary: 'Get the public keys that verify evidence, former ones included (RFC 7517)',
    errorImpact: 'Nobody can get the keys that verify evidence.',
    timeoutSeconds: 5,
    memoryMegabytes: 256,
    request: {},
    success: {
      status: 200,
      description: 'A JSON Web Key Set; empty before the first evidence',
      envelope: 'bare',
      schema: jsonWebKeySet,
      freshSeconds: 60,
    },
    errors: ['rate_limited', 'internal'],
    uses: ['signing-keys:read'],
  },
});
