import { showDelivery } from '../../shared/api/deliveries.ts';
import { betweenTimes } from '../../shared/api/report-queries.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { deliveryStore, MAX_SEARCHED_DELIVERIES } from '../../shared/store/alerts/deliveries.ts';
import { routes } from './routes.ts';

const TOO_MANY = `The page is not among the newest ${formatNumber(MAX_SEARCHED_DELIVERIES)} deliveries of the period: use pageToken, or narrow it with since and until.`;

export const handler = endpoint(
  routes.listDeliveries,
  () => ({ deliveries: deliveryStore(table()), tokens: pageTokens(table()), clock }),
  async (request, { deliveries, tokens, clock }) => {
    const { organization, query } = request;
    const place = await tokens.placeOf(routes.listDeliveries, request);
    const wanted = { ...place, ...betweenTimes(query) };
    const isFiltered = query.status !== undefined || query.channel !== undefined;
    const found = isFiltered
      ? await deliveries.search(organization, query, wanted, clock.now())
      : await deliveries.list(organization, wanted, clock.now());
    if (found === 'too-many') throw new ServiceError('payload_too_large', TOO_MANY);
    return page(found.deliveries.map(showDelivery), await tokens.paginationOf(place, found));
  },
);
