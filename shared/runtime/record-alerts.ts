import type { AlertDraft } from '../alerts/alert.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { WatchStore } from '../store/looks/watches.ts';
import { record } from './metric.ts';

/** The same store, with a line in the log for each alert that it raises. */
export function recordRaised(alerts: AlertStore): AlertStore {
  return {
    ...alerts,
    async raise(domain, draft, now) {
      const isRaised = await alerts.raise(domain, draft, now);
      if (isRaised) recordAlert(domain, draft);
      return isRaised;
    },
  };
}

/** The same store, with a line in the log for each alert that comes with what it keeps. */
export function recordTold(watches: WatchStore): WatchStore {
  return {
    ...watches,
    async keep(domain, next, drafts, now) {
      const outcome = await watches.keep(domain, next, drafts, now);
      if (outcome === 'kept') for (const draft of drafts) recordAlert(domain, draft);
      return outcome;
    },
  };
}

function recordAlert({ id }: DomainReference, { type, severity }: AlertDraft): void {
  record('alert', { type, severity, domainId: id });
}
