/** Partial credit for DKIM, by the share of keys that are valid and strong. Each key counts the same. */

import type { DkimResult } from '../../checks/dkim/result.ts';
import type { CheckResults } from '../../checks/results.ts';
import { always, type CreditRow } from './row.ts';

/** RFC 8301 section 3.2: verifiers reject keys of less than 1024 bits, signers SHOULD use at least 2048 bits. */
const STRONG_RSA_BITS = 2048;

/** `t=y` tells verifiers to treat signed mail as unsigned (RFC 6376 section 3.6.1): an intermediate step. */
const TESTING_KEY = 1 / 2;

/**
 * The rows for DKIM. A valid RSA key of less than 2048 bits is worth the share `weakKey` of a strong key. Revoked keys
 * do not count, because a rotation ends with one. Selectors whose lookup failed do not count either.
 */
export function dkimKeys({ weakKey }: { readonly weakKey: number }): readonly CreditRow[] {
  const worth = (key: DkimResult) => {
    if (!key.valid) return 0;
    return Math.min(isStrong(key) ? 1 : weakKey, key.testing ? TESTING_KEY : 1);
  };
  const fraction = (results: CheckResults) => {
    const keys = countedKeys(results);
    return keys.reduce((sum, key) => sum + worth(key), 0) / keys.length;
  };
  return [
    {
      id: 'unknown',
      when: (results) =>
        countedKeys(results).length === 0 &&
        (results.dkim.state === 'unknown' || results.dkim.selectors.some((key) => key.state === 'unknown')),
      fraction: null,
      reason: 'The DKIM lookups failed.',
    },
    {
      id: 'absent',
      when: ({ dkim }) => dkim.selectors.length === 0,
      fraction: 0,
      reason: 'No DKIM key was found at common selectors.',
      todo: 'Sign your mail with DKIM, and publish the key at <selector>._domainkey (RFC 6376).',
    },
    {
      id: 'not-judged',
      when: (results) =>
        countedKeys(results).length === 0 && !results.dkim.selectors.some(({ revoked }) => revoked),
      fraction: null,
      reason: 'The DKIM keys are of kinds that are too new to be judged.',
    },
    {
      id: 'revoked',
      when: (results) => countedKeys(results).length === 0,
      fraction: 0,
      reason: 'Every DKIM key is revoked.',
      todo: 'Publish a new DKIM key, and sign your mail with it.',
    },
    {
      id: 'strong',
      when: (results) => fraction(results) === 1,
      fraction: 1,
      reason: 'Every DKIM key is valid and strong.',
    },
    {
      id: 'partly-strong',
      when: (results) => fraction(results) > 0,
      fraction,
      reason: 'Some DKIM keys are invalid, in test mode (t=y), or RSA keys shorter than 2048 bits.',
      todo: 'Replace or remove every DKIM key that is invalid or in test mode (t=y), and every RSA key shorter than 2048 bits.',
    },
    {
      id: 'none-good',
      when: always,
      fraction: 0,
      reason: 'No DKIM key is both valid and strong.',
      todo: 'Publish a 2048-bit RSA key, optionally with an Ed25519 key, and sign your mail with it.',
    },
  ];
}

/** The keys that are known and in use. Those of a successor of DKIM do not count, neither for nor against the domain. */
export function countedKeys({ dkim }: Pick<CheckResults, 'dkim'>): readonly DkimResult[] {
  return dkim.selectors.filter(
    ({ revoked, state }) => !revoked && state !== 'unknown' && state !== 'not-applicable',
  );
}

function isStrong(key: DkimResult): boolean {
  return key.keyType === 'ed25519' || (key.keySize ?? 0) >= STRONG_RSA_BITS;
}
