import { sharePath } from '../../shared/api/spf-checker.ts';
import { savedPage } from '../../shared/pages/saved.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';
import { checkNow, readName, save } from './rules.ts';

export const handler = endpoint(
  routes.saveSpfCheck,
  () => ({ dns: dns(), shares: spfShareStore(table()), limits: rateStore(table()), clock }),
  async ({ form, clientAddress }, deps) => {
    const parsed = readName(form.domain);
    if (!parsed.ok) throw invalidRequest({ path: 'form.domain', message: parsed.problem });
    // Checks again instead of trusting the submitted page, so that nobody can save a forged result.
    const path = sharePath(await save(await checkNow(parsed.name, deps), clientAddress, deps));
    return reply(savedPage(path), { location: path });
  },
  pages,
);
