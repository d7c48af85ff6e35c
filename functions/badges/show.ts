import { badgeTokenOf } from '../../shared/api/badges.ts';
import { missing } from '../../shared/api/common.ts';
import { badge, badgeHeaders } from '../../shared/pages/badge.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { badgeStore } from '../../shared/store/domains/badges.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getBadge,
  () => ({ badges: badgeStore(table()) }),
  async ({ path: { file } }, { badges }) => {
    const found = existing(await badges.get(badgeTokenOf(file)), missing.badge);
    return reply(badge(found), badgeHeaders);
  },
);
