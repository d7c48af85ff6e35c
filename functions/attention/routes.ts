/** Routes of the attention list. */
import { attention, attentionQuery } from '../../shared/api/attention.ts';
import { attentionPath, putOffBody } from '../../shared/api/attention-requests.ts';
import { list } from '../../shared/protocol/schema.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors } from '../route-kinds.ts';

export const routes = {
  listAttention: {
    ...v1,
    name: 'listAttention',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/attention',
    handler: 'attention/list',
    summary: 'List what needs a person now, worst first',
    description:
      'An item opens when its condition begins and closes when it ends. The filter `tag` reads all items up to the end of the page, and the directory of the domains.',
    errorImpact: 'API clients cannot see what needs attention.',
    request: { query: attentionQuery },
    success: { status: 200, description: 'A page of items', envelope: 'page', schema: list(attention) },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'directory:write', 'domain-data:read', 'attention:list'],
  },
  putOffAttention: {
    ...v1,
    name: 'putOffAttention',
    scope: 'write',
    method: 'PUT',
    path: '/api/v1/attention/{id}',
    handler: 'attention/put-off',
    summary: 'Put an attention item off until a day, with a note',
    description: 'Replaces the day and the note. The item is still closed when its condition ends.',
    errorImpact: 'API clients cannot put off what needs attention.',
    request: { path: attentionPath, body: putOffBody },
    success: { status: 200, description: 'The item', envelope: 'data', schema: attention },
    errors: ['invalid_request', 'not_found', 'precondition_failed', 'payload_too_large', ...v1Errors],
    uses: ['organizations:write', 'domain-data:write'],
  },
} as const satisfies Record<string, Route>;
