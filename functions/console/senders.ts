import { sumsOfOrganization } from '../../shared/enforcement/organization-sums.ts';
import { sendersPage } from '../../shared/pages/console/senders.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { sendersNamed } from '../../shared/views/search.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

const SENDERS_PER_PAGE = 50;

export const handler = consoleEndpoint(
  routes.showSenders,
  () => ({ sums: organizationSumsStores(), clock }),
  async ({ organization, formToken, flash, query: { page, failing, q } }, { sums, clock }) => {
    const { totals, sources } = await sumsOfOrganization(organization, sums, clock.now());
    const named = q === undefined ? sources : sendersNamed(sources, q);
    const wanted = named.filter(({ failedMessages }) => !failing || failedMessages > 0);
    const end = page * SENDERS_PER_PAGE;
    const shown = wanted.slice(end - SENDERS_PER_PAGE, end);
    const hasMore = wanted.length > end;
    return reply(sendersPage({ totals, sources: shown, page, hasMore, failing, q, formToken, flash }));
  },
);
