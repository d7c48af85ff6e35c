import type { AlertDraft } from '../../alerts/alert.ts';
import type { AlertStore } from '../../store/alerts/alerts.ts';
import type { MonitorStateStore } from '../../store/check-runs/monitor-states.ts';
import type { DomainReference } from '../../store/domains/domains.ts';
import { record } from './metric.ts';

/** The same store; it also logs each alert that it raises. */
export function withAlertLog(alerts: AlertStore): AlertStore {
  return {
    ...alerts,
    async raise(domain, ...given) {
      const raised = await alerts.raise(domain, ...given);
      for (const draft of raised) recordAlert(domain, draft);
      return raised;
    },
    alongsideReport(domain, ...given) {
      const made = alerts.alongsideReport(domain, ...given);
      return {
        ...made,
        raised() {
          const raised = made.raised();
          for (const draft of raised) recordAlert(domain, draft);
          return raised;
        },
      };
    },
  };
}

/** The same store; it also logs each alert that it raises with a new monitor state. */
export function withMonitorAlertLog(monitorStates: MonitorStateStore): MonitorStateStore {
  return {
    ...monitorStates,
    async keep(domain, next, drafts, now) {
      const outcome = await monitorStates.keep(domain, next, drafts, now);
      if (outcome === 'kept') for (const draft of drafts) recordAlert(domain, draft);
      return outcome;
    },
  };
}

function recordAlert({ id }: DomainReference, { type, severity }: AlertDraft): void {
  record('alert', { type, severity, domainId: id });
}
