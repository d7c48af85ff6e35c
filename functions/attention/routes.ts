/** Routes of the attention list. */
import { attention, attentionQuery } from '../../shared/api/attention.ts';
import { operation as putOffAttention } from '../../shared/operations/attention/put-off.ts';
import { list } from '../../shared/protocol/schema.ts';
import { data, named, paged, performs, reads, v1Errors } from '../route-kinds.ts';

export const routes = named({
  listAttention: {
    ...reads('/api/v1/attention', { query: attentionQuery }),
    handler: 'attention/list',
    summary: 'List what needs a person now, worst first',
    description:
      'An item opens when its condition begins and closes when it ends. The filter `tag` reads all items up to the end of the page, and the directory of the domains.',
    errorImpact: 'API clients cannot see what needs attention.',
    success: paged('A page of items', list(attention)),
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'directory:write', 'domain-data:read', 'attention:list'],
  },
  putOffAttention: {
    ...performs('PUT', '/api/v1/attention/{id}', putOffAttention),
    handler: 'attention/put-off',
    errorImpact: 'API clients cannot put off what needs attention.',
    success: data('The item', attention),
  },
});
