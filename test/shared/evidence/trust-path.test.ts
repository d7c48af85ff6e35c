import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { trustPath } from '../../../shared/evidence/trust-path.ts';
import { createChain, faults } from '../../kit/certificate-chains.ts';
import { createAuthority, expired, selfSigned } from '../../kit/certificates.ts';

const now = new Date();
const authority = createAuthority();
const issued = authority.issue(['mx.example.org']);
const read = (...of: readonly { readonly der: Uint8Array }[]) =>
  of.map(({ der }) => new X509Certificate(der));

test('leads from the leaf to the root, whether the host sent the root or not', () => {
  const path = trustPath(read(issued), read(authority), now);
  expect(path?.map(({ subject }) => subject)).toEqual(['CN=mx.example.org', 'CN=Test Authority']);
  const sent = trustPath(read(issued, authority), read(authority), now);
  expect(sent?.map(({ fingerprint }) => fingerprint)).toEqual(path?.map(({ fingerprint }) => fingerprint));
});

test.each([
  ['another root of the same name', read(issued), read(createAuthority())],
  ['no root', read(issued, authority), []],
  ['an issuer that is no CA', read(selfSigned(['a.example'])), read(issued)],
  ['an expired leaf', read(authority.issue(['mx.example.org'], expired)), read(authority)],
  ['no certificate', [], read(authority)],
])('there is none with %s', (_title, chain, roots) => {
  expect(trustPath(chain, roots, now)).toBeUndefined();
});

test('judges at the time of the check run', () => {
  const old = read(authority.issue(['mx.example.org'], expired));
  const then = new Date(old[0]?.validFrom ?? '');
  const root = createAuthority();
  expect(trustPath(read(root), read(root), then)).toBeUndefined();
  expect(trustPath(old, old, then)).toHaveLength(1);
});

/** What is not verified, and what is about names, which the caller compares. */
const unseen: readonly string[] = [
  ...['none', 'another name', 'common name only', 'common name beside another alternative name'],
  ...['path too long', 'name not permitted', 'second name not permitted', 'name excluded'],
  'leaf for clients only',
];

test.each(faults)('of a chain with the fault “%s”', (fault) => {
  const { leaf, intermediate, root } = createChain(fault);
  const found = trustPath([leaf, intermediate], [root], now) !== undefined;
  expect(found).toBe(unseen.includes(fault));
});
