/** What the tools of the Model Context Protocol need. */
import type { CheckToolDependencies } from '../../mcp/check-tools.ts';
import type { DomainToolDependencies } from '../../mcp/domain-tools.ts';
import { checkAnyDomain } from '../../operations/domain-checker/check-any-domain.ts';
import { verifiedOwnerOf } from '../../operations/domain-checker/owner.ts';
import { attentionStore } from '../../store/attention.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { dmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { config } from '../config/config.ts';
import { publicCheckDependencies } from './checkers.ts';
import { previewDependencies } from './checks.ts';
import { assessDependencies } from './enforcement.ts';
import { clock, retention, table } from './services.ts';

export function mcpDependencies(): CheckToolDependencies & DomainToolDependencies {
  const domains = domainStore(table());
  const stores = {
    reports: dmarcReportStore(table(), retention()),
    summaries: summaryStore(table()),
    reportsDomain: config().REPORTS_DOMAIN,
  };
  const checking = { ...publicCheckDependencies(), isOff: false };
  return {
    ...previewDependencies(),
    ...assessDependencies(),
    domains,
    attention: attentionStore(table()),
    hostUrl: config().HOST_URL,
    check: (input, { organization }) =>
      checkAnyDomain(input, checking, async (name) => {
        const own = await domains.named(organization, name);
        return own === undefined ? null : verifiedOwnerOf(own, input.usageType, stores, clock.now());
      }),
  };
}
