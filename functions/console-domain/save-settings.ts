import { updateDomainBody } from '../../shared/api/domains.ts';
import { updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { readFields } from '../../shared/pages/console/form-fields.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Changes what the form contains: all fields, or the badge alone. */
export const handler = consoleEndpoint(
  routes.saveDomainSettings,
  () => ({ domains: domainStore(table()), clock }),
  async ({ caller, path: { id }, form: { formToken: _, badge, ...typed } }, deps) => {
    const given = { ...readFields(typed), ...(badge !== undefined && { badge: badge === 'on' }) };
    return redirect(
      await withInput(updateDomainBody, given, (input) => updateDomain(caller, { id, ...input }, deps)),
      () => domainPath(id, 'settings'),
      () => ({ says: 'The settings of the domain are saved.' }),
    );
  },
);
