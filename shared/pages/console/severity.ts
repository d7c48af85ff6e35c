/** How severities are shown. */
import type { AlertSeverity } from '../../alerts/alert.ts';
import { html, type Markup } from '../markup.ts';

export const severityNames = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const;

const tones = { info: '', warning: 'open', critical: 'fail' } as const;

export const severityTag = (severity: AlertSeverity): Markup =>
  html`<span class="tag ${tones[severity]}">${severityNames[severity]}</span>`;
