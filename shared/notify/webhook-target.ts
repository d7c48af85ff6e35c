/** Where a webhook may be, and the secret that signs requests to it. */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { isPublicAddress } from '../network/address-guard.ts';
import { isWithin } from '../protocol/domain-name.ts';

/** The form of the secret of a Standard Webhook: a prefix, and the key in base64. */
const PREFIX = 'whsec_';

/** 256 random bits. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/** The bytes of the key in a secret. */
export const webhookKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

const MAX_URL = 2048;

/**
 * A webhook's URL in normalized form, or what is wrong with it. Private addresses are rejected unless they are allowed; the
 * addresses of a name are checked when it is dialed.
 */
export function parseWebhookUrl(
  text: string,
  { allowPrivateAddresses }: { readonly allowPrivateAddresses: boolean },
): { ok: true; url: string } | { ok: false; problem: string } {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return { ok: false, problem: 'it is not an https URL' };
  if (url.username !== '' || url.password !== '') return { ok: false, problem: 'it contains credentials' };
  url.hash = '';
  if (url.href.length > MAX_URL) return { ok: false, problem: `it is longer than ${MAX_URL} characters` };
  if (!allowPrivateAddresses && isOnlyPrivate(url))
    return { ok: false, problem: 'it points to a private address, which the service never connects to' };
  return { ok: true, url: url.href };
}

/** Whether the host is a private IP address or `localhost` (RFC 6761 section 6.3), which are never dialed. */
function isOnlyPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(host) === 0 ? isWithin(host, 'localhost') : !isPublicAddress(host);
}
