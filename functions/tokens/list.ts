import { showToken } from '../../shared/api/tokens.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listTokens,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, query }, { organizations }) => {
    const [tokens, uses] = await Promise.all([
      organizations.listTokens(organization),
      organizations.tokenUses(organization),
    ]);
    const end = query.page * query.limit;
    // Few enough to be sorted here: their number is limited, and those that ended leave the list.
    const kept = tokens.filter(({ revokedAt }) => revokedAt === null);
    return page(
      kept.slice(end - query.limit, end).map((token) => showToken(token, uses.get(token.id) ?? null)),
      { ...query, hasMore: kept.length > end },
    );
  },
);
