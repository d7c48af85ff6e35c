/**
 * Values that only somebody who has a secret can read: compressed, and encrypted (AES-256-GCM, NIST SP 800-38D) with a key
 * that derives from the secret, which the service does not store.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const IV_OCTETS = 12;
const TAG_OCTETS = 16;

/** What is sealed; the keys of two purposes differ even if their secrets are the same. */
type Purpose = 'idempotent response' | 'flash';

const keyFrom = (secret: string, purpose: Purpose) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** Seals a value that JSON can hold. */
export function seal(value: unknown, secret: string, purpose: Purpose): Buffer {
  const iv = randomBytes(IV_OCTETS);
  const cipher = createCipheriv(ALGORITHM, keyFrom(secret, purpose), iv);
  return Buffer.concat([
    iv,
    cipher.update(gzipSync(JSON.stringify(value))),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** The value in what `seal` returned. @throws Error if it was sealed with another secret, or was changed. */
export function unseal(content: Uint8Array, secret: string, purpose: Purpose): unknown {
  const decipher = createDecipheriv(ALGORITHM, keyFrom(secret, purpose), content.subarray(0, IV_OCTETS));
  decipher.setAuthTag(content.subarray(-TAG_OCTETS));
  const packed = [decipher.update(content.subarray(IV_OCTETS, -TAG_OCTETS)), decipher.final()];
  return JSON.parse(gunzipSync(Buffer.concat(packed)).toString('utf8'));
}
