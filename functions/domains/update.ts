import { showDomain } from '../../shared/api/domains.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { untilUncontended } from '../../shared/store/contention.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import {
  changeTestMailbox,
  requireDomain,
  settleBadge,
  settleSelectors,
  subjectOf,
  versionOf,
} from './rules.ts';

export const handler = endpoint(
  routes.updateDomain,
  () => ({ domains: domainStore(table()), naming: naming(), clock }),
  ({ organization, path, body, ifMatch }, { domains, naming, clock }) =>
    // The write succeeds only if the domain did not change since it was read; otherwise read it and decide again.
    untilUncontended(async () => {
      const before = await requireDomain(domains, organization, path.id);
      if (!isCurrent(versionOf(before), ifMatch)) throw new ServiceError('precondition_failed');
      const usageType = body.usageType ?? before.usageType;
      const testEmailLocalPart = changeTestMailbox(before, body);
      const dkimSelectors = settleSelectors(before, body.dkimSelectors);
      const hasBadge = settleBadge(before, body.badge);
      const change = { usageType, testEmailLocalPart, dkimSelectors, hasBadge, tags: body.tags };
      const updated = await domains.change(before, change, clock.now());
      if (updated === undefined) return undefined;
      return {
        ...reply({ ...showDomain(updated, naming), verificationToken: updated.verificationToken }),
        version: versionOf(updated),
        subjects: [subjectOf(updated)],
      };
    }),
);
