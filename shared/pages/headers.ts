/** The headers of every page: nothing is loaded, nothing runs but our own script, nothing is framed. */
import { createHash } from 'node:crypto';
import { script } from './script.ts';
import { style } from './style.ts';

/** CSP 3: a source by the hash of its text, which is the same in every answer. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  // The icon of the tab, which is part of the page.
  'img-src data:',
  // A page that waits for a result asks for itself again.
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
];

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;
