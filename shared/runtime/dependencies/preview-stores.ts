import type { PreviewDependencies } from '../../operations/checks/preview-checks.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { monitorStateReader } from '../../store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { sharedKeyStore } from '../../store/check-runs/shared-keys.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import type { Table } from '../../store/table.ts';

/** What a preview reads about a domain. */
export const previewStores = (table: Table): PreviewDependencies['stores'] => ({
  checks: checkStore(table),
  selectors: seenSelectorStore(table),
  sharedKeys: sharedKeyStore(table),
  summaries: summaryStore(table),
  monitorStates: monitorStateReader(table),
});
