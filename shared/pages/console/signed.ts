import { html, type Markup } from '../markup.ts';

/** `+9` or `−6`, with the color of its direction. */
export const signed = (change: number): Markup =>
  html`<span class="signed ${change < 0 ? 'fail' : 'pass'}">${change < 0 ? '−' : '+'}${Math.abs(change)}</span>`;
