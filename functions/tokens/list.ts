import { showToken } from '../../shared/api/tokens.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
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
    // Few enough to be sorted here: their number is limited, and those that ended leave the list.
    const kept = tokens.filter(({ revokedAt }) => revokedAt === null);
    return pageOf(
      kept.map((token) => showToken(token, uses.get(token.id) ?? null)),
      query,
    );
  },
);
