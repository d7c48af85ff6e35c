import { showChecks } from '../../shared/api/show-checks.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { type ReadSets, readChanges, readZone } from '../../shared/checks/preview/proposal.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { monitorStateReader } from '../../shared/store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownerOf } from '../../shared/store/domains/report-address.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';
import { previewNow } from './rules.ts';

export const handler = endpoint(
  routes.previewChecks,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    limits: rateStore(table()),
    stores: {
      checks: checkStore(table()),
      selectors: seenSelectorStore(table()),
      monitorStates: monitorStateReader(table()),
    },
    reportsDomain: config().REPORTS_DOMAIN,
    inspector: inspector(),
    clock,
  }),
  async ({ organization, path, body }, { domains, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const readSets = () =>
      accepted(
        body.zone === undefined
          ? readChanges(body.changes ?? [], domain.domain)
          : readZone(body.zone, domain.domain),
      );
    const { checkedAt, preview } = await previewNow(domain, readSets, deps);
    if (!preview.ok) {
      const [first = '', ...others] = preview.conflicts.map(
        (name) => `${name} would have a CNAME record beside other data`,
      );
      throw refused(first, ...others);
    }
    const { before, after } = preview;
    return reply({
      checkedAt,
      results: showChecks(after, ownerOf(domain, deps.reportsDomain)),
      score: { ...computeScore(after, domain.usageType), lastCheckedAt: checkedAt },
      scoreBefore: computeScore(before, domain.usageType).score,
      ...differenceOf(before, after),
    });
  },
);

function accepted(read: ReadSets) {
  if (read.ok) return read.sets;
  const [first = '', ...others] = read.problems;
  throw refused(first, ...others);
}

function refused(first: string, ...others: readonly string[]) {
  const detail = (message: string) => ({ path: 'body', message });
  return invalidRequest(detail(first), ...others.map(detail));
}
