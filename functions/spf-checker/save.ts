import { sharePath } from '../../shared/api/spf-checker.ts';
import { saveResult } from '../../shared/operations/limits/save-result.ts';
import { checkSpf } from '../../shared/operations/spf-checker/check-spf.ts';
import { savedPage } from '../../shared/pages/saved.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.saveSpfCheck,
  () => ({ dns: dns(), shares: spfShareStore(table()), limits: rateStore(table()), clock }),
  async ({ form, clientAddress }, deps) => {
    // Checks again instead of trusting the submitted page, so that nobody can save a forged result.
    const { data: check } = answer(await checkSpf(form, deps), undefined, 'form');
    const { data: path } = answer(await saveResult(check, clientAddress, deps), sharePath);
    return reply(savedPage(path), { location: path });
  },
  pages,
);
