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
  () => ({ dns: dns(), url: `${config().HOST_URL}/spf`, clock }),
  async ({ query: { domain: typed = '' } }, { dns, url, clock }) => {
    if (typed.trim() === '') return reply(spfPage({ domain: '' }, url));
    const parsed = readName(typed);
    return parsed.ok
      ? reply(spfResultPage(await checkNow(parsed.name, dns, clock)))
      : { ...reply(spfPage({ domain: typed, problem: parsed.problem }, url)), status: 400 };
  },
  pages,
);
