import { alertStore } from '../../store/alerts/alerts.ts';
import { directoryStore } from '../../store/domains/directory.ts';
import type { ListDependencies } from '../../views/domain-list.ts';
import { clock, retention, table } from './services.ts';

/** What the list of domains is read from. */
export const listDependencies = (): ListDependencies => ({
  directory: directoryStore(table()),
  alerts: alertStore(table(), retention()),
  clock,
});
