import { evidenceStore } from '../../store/check-runs/evidence.ts';
import { retention, table } from './services.ts';

/** What tells how a domain stood at a time. */
export const pastEvidence = () => evidenceStore(table(), retention());
