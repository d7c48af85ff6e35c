/** The arguments of a finding are those of its rule. `tsc` checks the lines marked with `@ts-expect-error`. */
import { expect, test } from '@jest/globals';
import { raiser, rule } from '../../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../../shared/protocol/findings/mx.ts';
import { mxTlsRules } from '../../../../shared/protocol/findings/mx-tls.ts';

const raise = raiser({ ...mxRules, ...mxTlsRules });
const host = 'mx1.example.net';

test('the message of a finding contains the arguments of its rule', () => {
  const { message } = raise('mx-dangling', { host, owner: 'example.net' });
  expect(message).toContain('in the unregistered domain example.net;');
});

test('a missing argument does not compile, and would print "undefined"', () => {
  // @ts-expect-error: lacks `owner`
  expect(raise('mx-dangling', { host }).message).toContain('undefined');
  // @ts-expect-error: lacks `ip` and `protocol`
  expect(raise('mx-tls-old', { host }).message).toContain('undefined');
  // @ts-expect-error: lacks the arguments
  expect(raise('mx-no-address').message).toContain('undefined');
  // @ts-expect-error: lacks `owner`, which one of the two rules has
  expect(raise(host ? 'mx-dangling' : 'mx-no-address', { host }).message).toContain('undefined');
});

test('a superfluous argument does not compile', () => {
  const more = { host, owner: 'example.net' };
  // @ts-expect-error: has no `owner`
  expect(raise('mx-no-address', more).arguments).toEqual(more);
  // @ts-expect-error: has no `owner`
  expect(raise('mx-no-address', { ...more }).arguments).toEqual(more);
  // @ts-expect-error: has no arguments
  expect(raise('mx-missing', { host }).arguments).toEqual({ host });
});

test('a rule whose arguments have no names does not compile', () => {
  // @ts-expect-error: has an index signature
  const open = rule<{ [name: string]: string; host: string }>({
    severity: 'notice',
    says: ({ host, owner }) => `${host} ${owner}`,
    cites: 'RFC 5321 section 5.1',
    fix: 'Remove the record.',
  });
  expect(raiser({ open })('open', { host }).message).toBe(`${host} undefined`);
});
