import { showChecks } from '../../shared/api/show-checks.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../shared/checks/preview/preview.ts';
import { type ReadSets, readChanges, readZone } from '../../shared/checks/preview/proposal.ts';
import { loadBefore } from '../../shared/monitoring/run-checks.ts';
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
import { ownerOf, reportAddress } from '../../shared/store/domains/report-address.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';
import { countCheck } from './rules.ts';

export const handler = endpoint(
  routes.previewChecks,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    checks: checkStore(table()),
    selectors: seenSelectorStore(table()),
    monitorStates: monitorStateReader(table()),
    reportsDomain: config().REPORTS_DOMAIN,
    inspector: inspector(),
    clock,
  }),
  async ({ organization, path, body }, { domains, rates, reportsDomain, inspector, clock, ...stores }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const sets = accepted(
      body.zone === undefined
        ? readChanges(body.changes ?? [], domain.domain)
        : readZone(body.zone, domain.domain),
    );
    const now = clock.now();
    await countCheck(domain, rates, now);
    const { knownSelectors } = await loadBefore(domain, stores, now);
    const reportMailbox = reportAddress(domain, reportsDomain);
    const preview = await previewChecks({ ...domain, knownSelectors, reportMailbox }, sets, inspector);
    if (!preview.ok) {
      const [first = '', ...others] = preview.conflicts.map(
        (name) => `${name} would have a CNAME record beside other data`,
      );
      throw refused(first, ...others);
    }
    const { before, after } = preview;
    const checkedAt = now.toISOString();
    return reply({
      checkedAt,
      results: showChecks(after, ownerOf(domain, reportsDomain)),
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
