import { spfPage, spfResultPage } from '../../shared/pages/spf/page.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, itemStore } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';
import { checkNow, readName } from './rules.ts';

export const handler = endpoint(
  routes.showSpfChecker,
  () => ({
    dns: dns(),
    place: { url: `${config().HOST_URL}/spf`, hasDomainChecker: config().PUBLIC_CHECKS === 'on' },
    limits: rateStore(itemStore()),
    clock,
  }),
  async ({ query: { domain: typed = '' } }, { place, ...deps }) => {
    if (typed.trim() === '') return reply(spfPage({ domain: '' }, place));
    const parsed = readName(typed);
    return parsed.ok
      ? reply(spfResultPage(await checkNow(parsed.name, deps)))
      : { ...reply(spfPage({ domain: typed, problem: parsed.problem }, place)), status: 400 };
  },
  pages,
);
