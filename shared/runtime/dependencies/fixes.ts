import type { PlanDependencies } from '../../operations/fixes/plan-fixes.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../store/enforcement/next-policies.ts';
import { dmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { config } from '../config/config.ts';
import { retention, table } from './services.ts';

/** What recommending changes needs. */
export const planDependencies = (): PlanDependencies => ({
  checks: checkStore(table()),
  nextPolicies: nextPolicyStore(table()),
  decisions: decisionStore(table()),
  reports: dmarcReportStore(table(), retention()),
  summaries: summaryStore(table()),
  reportsDomain: config().REPORTS_DOMAIN,
});
