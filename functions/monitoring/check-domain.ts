import { watchBlocklists } from '../../shared/enforcement/watch-blocklists.ts';
import { watchReports } from '../../shared/enforcement/watch-reports.ts';
import { checkMessage } from '../../shared/monitoring/check-message.ts';
import { longestCountSeconds, proveOwnership } from '../../shared/monitoring/ownership.ts';
import { performCheckRun } from '../../shared/monitoring/run-checks.ts';
import { watchRegistration } from '../../shared/monitoring/watch-registration.ts';
import { dayAt } from '../../shared/protocol/time.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { blocklistDependencies } from '../../shared/runtime/dependencies/blocklists.ts';
import { checkContext, createCheckContext } from '../../shared/runtime/dependencies/check-context.ts';
import { checkRunDependencies } from '../../shared/runtime/dependencies/check-run-dependencies.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registrations.ts';
import { clock, naming, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { withAlertLog } from '../../shared/runtime/logging/record-alerts.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionChanges } from '../../shared/store/attention-changes.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { triggers } from '../triggers.ts';

/**
 * Longer than an invocation can take, and shorter than the time after which the message of a crashed one is received
 * again.
 */
const LEASE_SECONDS = 2 * triggers.checkDomain.timeoutSeconds;

export const handler = worker(
  triggers.checkDomain,
  checkMessage,
  () => ({
    domains: domainStore(table()),
    schedule: scheduleStore(table()),
    deps: checkRunDependencies(table()),
    proof: {
      ownership: ownershipStore(table()),
      notifications: notificationSettingsStore(table()),
      intervalSeconds: config().CHECK_INTERVAL_SECONDS,
    },
    watch: {
      summaries: summaryStore(table()),
      decisions: decisionStore(table()),
      history: historyStore(table(), retention()),
      alerts: withAlertLog(alertStore(table(), retention())),
      attention: attentionChanges(table(), notificationSettingsStore(table())),
    },
    registration: registrationDependencies(table()),
    blocklists: blocklistDependencies(table()),
    naming: naming(),
    checkContext: checkContext(),
    // A confirmation run must not use the cache of the first run.
    freshCheckContext: () => createCheckContext(config()),
    summaries: queue('summaries'),
    clock,
  }),
  async (
    message,
    { domains, schedule, deps, proof, watch, registration, blocklists, naming, checkContext, ...others },
  ) => {
    const { freshCheckContext, summaries, clock } = others;
    const now = clock.now();
    if ('seenAt' in message) {
      const { state } = await deps.monitorStates.get(message.id);
      if (state?.pending?.at !== message.seenAt) return;
      const domain = await domains.get(message.organization, message.id);
      if (domain !== undefined)
        await performCheckRun(domain, deps, { checkContext: freshCheckContext(), now });
      return;
    }
    if (!(await schedule.claim(message, now, LEASE_SECONDS))) return;
    const domain = await domains.get(message.organization, message.id);
    if (domain !== undefined) {
      const { checks, items } = await performCheckRun(domain, deps, { checkContext, now });
      const expected = verificationRecordOf(domain, naming);
      await proveOwnership(domain, expected, proof, { dns: checkContext.network.dns, now });
      // The last reports of a domain are rolled up although none follow them.
      const { organization, id, domain: name } = domain;
      const day = dayAt(now);
      await summaries.send({ domain: { organization, id, domain: name }, kind: 'DMARC', day, earlier: true });
      const watched = { ...domain, mailbox: reportAddress(domain, naming.reportsDomain) };
      await watchReports(watched, watch, {
        ...{ results: checks.results, items },
        dns: checkContext.network.dns,
        now,
        isRunning: isRunning(domain, now, proof),
      });
      if (domain.verified) {
        const run = { results: checks.results, items, dns: checkContext.network.dns, now };
        await watchRegistration(domain, registration, run);
        await watchBlocklists(domain, blocklists, run);
      }
    }
    await schedule.finish(message);
  },
);

/** Whether the run before this one was not long ago, so that reports had the time to arrive. */
function isRunning(
  { lastCheckedAt }: Domain,
  now: Date,
  { intervalSeconds }: { readonly intervalSeconds: number },
): boolean {
  if (lastCheckedAt === null) return false;
  return now.getTime() - Date.parse(lastCheckedAt) <= 1000 * longestCountSeconds(intervalSeconds);
}
