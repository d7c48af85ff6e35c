import { spfPage, spfResultPage } from '../../shared/pages/spf/page.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';
import { checkNow, readName } from './rules.ts';

export const handler = endpoint(
  routes.showSpfChecker,
  () => ({
    dns: dns(),
    place: { url: `${config().HOST_URL}/spf`, hasDomainChecker: config().PUBLIC_CHECKS === 'on' },
    clock,
  }),
  async ({ query: { domain: typed = '' } }, { dns, place, clock }) => {
    if (typed.trim() === '') return reply(spfPage({ domain: '' }, place));
    const parsed = readName(typed);
    return parsed.ok
      ? reply(spfResultPage(await checkNow(parsed.name, dns, clock)))
      : { ...reply(spfPage({ domain: typed, problem: parsed.problem }, place)), status: 400 };
  },
  pages,
);
