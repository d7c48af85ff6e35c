import { type AuditEntry, recordAudit } from '../../shared/store/audit.ts';
import type { ItemStore } from '../../shared/store/items.ts';

/** Where commands of the operator add entries to the audit log. */
export const auditOn = (table: Pick<ItemStore, 'put'>) => ({
  audit: (organization: string, entries: readonly AuditEntry[]) =>
    recordAudit(table, organization, entries, 0),
});
