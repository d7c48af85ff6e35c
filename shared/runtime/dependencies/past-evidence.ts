import { evidenceStore } from '../../store/check-runs/evidence.ts';
import { config } from '../config/config.ts';
import { table } from './services.ts';

/** What tells how a domain stood at a time. */
export const pastEvidence = () => evidenceStore(table(), { retentionDays: config().RETENTION_DAYS });
