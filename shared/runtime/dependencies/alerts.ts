/** What operations on alerts need. */
import type { MarkReadDependencies } from '../../operations/alerts/mark-alert-read.ts';
import type { MarkAllReadDependencies } from '../../operations/alerts/mark-alerts-read.ts';
import { alertStore } from '../../store/alerts/alerts.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { config } from '../config/config.ts';
import { clock, table } from './services.ts';

const alerts = () => alertStore(table(), { retentionDays: config().RETENTION_DAYS });

export const markReadDependencies = (): MarkReadDependencies => ({ alerts: alerts(), clock });

export const markAllReadDependencies = (): MarkAllReadDependencies => ({
  domains: domainStore(table()),
  alerts: alerts(),
  clock,
});
