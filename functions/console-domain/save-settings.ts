import { updateDomainBody } from '../../shared/api/domains.ts';
import { updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { readFields } from '../../shared/pages/console/form-fields.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Changes what the form contains: all fields, or the badge alone. */
export const handler = consoleEndpoint(
  routes.saveDomainSettings,
  () => ({ domains: domainStore(table()), clock }),
  async ({ path: { id }, form: { formToken: _, badge, ...typed }, ...request }, deps) => {
    const given = { ...readFields(typed), ...(badge !== undefined && { badge: badge === 'on' }) };
    const input = readInput(updateDomainBody, given);
    const outcome =
      input instanceof Refused ? input : await updateDomain(asCaller(request), { id, ...input }, deps);
    return redirect(
      outcome,
      () => domainPath(id, 'settings'),
      () => ({ says: 'The settings of the domain are saved.' }),
    );
  },
);
