/** Partial credit for DKIM: by the share of keys that are valid and strong, each key counting the same. */
import type { CheckResults, DkimResult } from '../../checks/results.ts';
import { always, type CreditRow } from './row.ts';

/** RFC 8301 section 3.2: verifiers refuse less than 1024 bits, signers SHOULD use at least 2048. */
const STRONG_RSA_BITS = 2048;

/** `t=y` asks verifiers to treat signed mail as unsigned (RFC 6376 section 3.6.1): a step on the way, not the end. */
const TESTING_KEY = 1 / 2;

/**
 * The rows for DKIM, where a valid RSA key of less than 2048 bits is worth `weakKey` of a strong one. A revoked key
 * counts neither way: it is how a rotation ends. A selector that could not be asked for does not count either.
 */
export function dkimKeys({ weakKey }: { readonly weakKey: number }): readonly CreditRow[] {
  const worth = (key: DkimResult) => {
    if (!key.valid) return 0;
    return Math.min(isStrong(key) ? 1 : weakKey, key.testing ? TESTING_KEY : 1);
  };
  const share = (results: CheckResults) => {
    const keys = countedKeys(results);
    return keys.reduce((sum, key) => sum + worth(key), 0) / keys.length;
  };
  return [
    {
      id: 'unknown',
      when: (results) =>
        countedKeys(results).length === 0 &&
        (results.dkim.state === 'unknown' || results.dkim.selectors.some((key) => key.state === 'unknown')),
      share: null,
      reason: 'The DKIM keys could not be asked for.',
      todo: null,
    },
    {
      id: 'absent',
      when: ({ dkim }) => dkim.selectors.length === 0,
      share: 0,
      reason: 'No DKIM key was found under the usual selectors.',
      todo: 'Sign your mail with DKIM and publish the key at <selector>._domainkey (RFC 6376).',
    },
    {
      id: 'revoked',
      when: (results) => countedKeys(results).length === 0,
      share: 0,
      reason: 'Every DKIM key is revoked.',
      todo: 'Publish a new DKIM key and sign your mail with it.',
    },
    {
      id: 'strong',
      when: (results) => share(results) === 1,
      share: 1,
      reason: 'Every DKIM key is valid and strong.',
      todo: null,
    },
    {
      id: 'partly-strong',
      when: (results) => share(results) > 0,
      share,
      reason: 'Some DKIM keys are invalid, in test, or weaker than RSA of 2048 bits.',
      todo: 'Replace or remove every DKIM key that is invalid, marked t=y, or shorter than 2048 bits.',
    },
    {
      id: 'none-good',
      when: always,
      share: 0,
      reason: 'No DKIM key is both valid and strong.',
      todo: 'Publish a DKIM key of RSA with 2048 bits, or Ed25519 beside it, and sign your mail with it.',
    },
  ];
}

/** The keys of which something is known and which are in use. */
export function countedKeys({ dkim }: CheckResults): readonly DkimResult[] {
  return dkim.selectors.filter((key) => !key.revoked && key.state !== 'unknown');
}

function isStrong(key: DkimResult): boolean {
  return key.keyType === 'ed25519' || (key.keySize ?? 0) >= STRONG_RSA_BITS;
}
