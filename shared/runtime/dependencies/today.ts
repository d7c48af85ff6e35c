import { alertStore } from '../../store/alerts/alerts.ts';
import { attentionStore } from '../../store/attention.ts';
import { directoryStore } from '../../store/domains/directory.ts';
import { domainStore } from '../../store/domains/domains.ts';
import type { TodayDependencies } from '../../views/today.ts';
import { clock, retention, table } from './services.ts';

/** What the first page of the console is read from. */
export const todayDependencies = (): TodayDependencies => ({
  attention: attentionStore(table()),
  directory: directoryStore(table()),
  domains: domainStore(table()),
  alerts: alertStore(table(), retention()),
  clock,
});
