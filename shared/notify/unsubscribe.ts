/**
 * The link in each digest that turns it off, without signing in (RFC 8058). Its token is a MAC of the address under a key
 * of the organization, so a link works as long as digests go to the address that it was sent to, and for nothing else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const tokenOf = (key: string, address: string): Buffer => createHmac('sha256', key).update(address).digest();

export const unsubscribePath = (organization: string, key: string, address: string): string =>
  `/unsubscribe/${encodeURIComponent(organization)}/${tokenOf(key, address).toString('base64url')}`;

/** Whether a token is that of the address. */
export function isUnsubscribeToken(token: string, key: string, address: string): boolean {
  const [given, right] = [Buffer.from(token, 'base64url'), tokenOf(key, address)];
  return given.length === right.length && timingSafeEqual(given, right);
}
