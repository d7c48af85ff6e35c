import type * as z from 'zod/mini';
import type { operateForm } from '../../shared/api/console-people.ts';
import { auditEntries } from '../../shared/operations/audit.ts';
import { type Operation, operatorFor } from '../../shared/operations/operation.ts';
import * as creating from '../../shared/operations/organizations/create-organization.ts';
import * as limiting from '../../shared/operations/organizations/limit-organization.ts';
import * as pausing from '../../shared/operations/organizations/pause-organization.ts';
import { type Done, invalid, Refused, readInput } from '../../shared/operations/outcome.ts';
import { OPERATOR_PATH } from '../../shared/pages/console/paths.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { requireOperator } from '../../shared/runtime/http/require-operator.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import { memberStore } from '../../shared/store/members.ts';
import { type OrganizationStore, organizationStore } from '../../shared/store/organizations.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { confirmed } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.operateOrganizations,
  () => ({
    ...confirmDependencies(),
    organizations: organizationStore(table()),
    members: memberStore(table()),
  }),
  async (request, { organizations, members, ...deps }) => {
    const { name: actor } = await requireOperator(request.token, members);
    return confirmed(routes.operateOrganizations, request, deps, async () => {
      const done = await operate(request.form, { organizations, clock: deps.clock });
      if (done instanceof Refused) return redirect(done, () => OPERATOR_PATH);
      const { operation, organization, outcome } = done;
      // In the log of that organization, as what the operator does with commands is.
      const entries = auditEntries(
        ...([operation, { token: null }, outcome.subjects ?? []] as const),
        ...([deps.clock.now(), request.clientAddress] as const),
      ).map((entry) => ({ ...entry, actor }));
      await recordAudit(itemStore(), organization, entries, config().RETENTION_DAYS);
      return redirect(
        { value: outcome.value },
        () => OPERATOR_PATH,
        () => ({ says: 'It is done.' }),
      );
    });
  },
);

interface Operating {
  readonly organizations: OrganizationStore;
  readonly clock: { now(): Date };
}

interface Operated {
  readonly operation: Pick<Operation, 'name'>;
  readonly organization: string;
  readonly outcome: Done<unknown>;
}

async function operate(
  { do: what, id, name, domains }: z.output<typeof operateForm>,
  deps: Operating,
): Promise<Operated | Refused> {
  if (what === 'create') {
    const input = readInput(creating.operation.input, { name });
    if (input instanceof Refused) return input;
    const outcome = await creating.createOrganization(input, deps);
    return { operation: creating.operation, organization: outcome.value.id, outcome };
  }
  if ((await deps.organizations.get(id)) === undefined)
    throw new ServiceError('not_found', 'The organization does not exist.');
  const caller = operatorFor(id);
  if (what !== 'limit') {
    const outcome = await pausing.pauseOrganization(caller, { paused: what === 'pause' }, deps);
    return { operation: pausing.operation, organization: id, outcome };
  }
  if (!/^\d*$/.test(domains)) return invalid({ path: 'domains', message: 'must be a number, or empty' });
  const input = readInput(limiting.operation.input, { domains: domains === '' ? null : Number(domains) });
  if (input instanceof Refused) return input;
  const outcome = await limiting.limitOrganization(caller, input, deps);
  return { operation: limiting.operation, organization: id, outcome };
}
