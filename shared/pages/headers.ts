/** The HTTP headers of every page: no external resources, no script except our own, no framing. */
import { createHash } from 'node:crypto';
import { script } from './script.ts';
import { style } from './style.ts';

/** A CSP 3 hash source. The text, and so the hash, is the same in every response. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const policy = (styles: readonly string[], scripts: readonly string[]) => [
  "default-src 'none'",
  `style-src ${styles.map(hashOf).join(' ')}`,
  `script-src ${scripts.map(hashOf).join(' ')}`,
  // The favicon is a data URL.
  'img-src data:',
  // A page that waits for a result polls its own URL.
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
];

/** @param styles The styles, and @param scripts the scripts, that a page has in addition to those of every page. */
export const pageHeaders = (styles: readonly string[] = [], scripts: readonly string[] = []) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy([style, ...styles], [script, ...scripts]).join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
});
