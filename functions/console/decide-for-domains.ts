import { MAX_BATCH } from '../../shared/api/domains.ts';
import { MOST_IN_FORM } from '../../shared/api/many-domains.ts';
import { decideForDomains, operation } from '../../shared/operations/enforcement/decide-for-domains.ts';
import { readInput } from '../../shared/operations/outcome.ts';
import { organizationSenderPath } from '../../shared/pages/console/sender-paths.ts';
import { updateSenderDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { accepted, redirect } from '../../shared/runtime/http/reply.ts';
import { domainsWith } from '../../shared/views/organization-sender.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { saidOf } from './presentation.ts';
import { routes } from './routes.ts';

/** What the reports of a year of a domain take. */
const LONGEST_DECISION = 6000;

/** Decides for the domains that the sender sends as; the page goes on with those that are left. */
export const handler = consoleEndpoint(
  routes.decideForDomains,
  () => ({ ...updateSenderDependencies(), ...organizationSumsStores() }),
  async ({ path: { senderId }, form, remainingMilliseconds, ...request }, { domainSums, ...deps }) => {
    const { status, replaces } = form;
    const found =
      form.ids.length > 0
        ? form.ids
        : (await domainsWith(request.organization, senderId, { domainSums, clock: deps.clock })).map(
            ({ domainId }) => domainId,
          );
    const ids = found.slice(0, MOST_IN_FORM);
    const input = accepted(
      readInput(operation.input, {
        ids: ids.slice(0, MAX_BATCH),
        ...{ status: status === 'none' ? null : status, replaces },
      }),
      'form',
    );
    const hasTime = () => remainingMilliseconds() > LONGEST_DECISION;
    const kept = { status, ...(replaces && { replaces: 'on' }) };
    return redirect(
      await decideForDomains(request.caller, { senderId, ...input }, { ...deps, hasTime }),
      () => organizationSenderPath(senderId),
      (results) =>
        saidOf(results, { done: 'decided', left: ids.slice(MAX_BATCH), kept, earlier: form.failed }),
    );
  },
);
