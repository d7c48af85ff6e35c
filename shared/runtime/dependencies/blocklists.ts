/** What asks blocklists about the addresses of domains on schedule. */
import type { BlocklistDependencies } from '../../enforcement/watch-blocklists.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { blocklistingStore } from '../../store/check-runs/blocklistings.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import type { Table } from '../../store/table.ts';
import { config } from '../config/config.ts';

export function blocklistDependencies(table: Table): BlocklistDependencies {
  const { WATCH_BLOCKLISTS, BLOCKLISTS } = config();
  return {
    zones: WATCH_BLOCKLISTS === 'on' ? BLOCKLISTS : new Map(),
    stored: blocklistingStore(table),
    summaries: summaryStore(table),
    decisions: decisionStore(table),
    attention: attentionChanges(table, notificationSettingsStore(table)),
  };
}
