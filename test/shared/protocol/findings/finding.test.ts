/** The arguments of a finding are those of its rule. `tsc` checks the lines marked with `@ts-expect-error`. */
import { describe as describeSuite, expect, test } from '@jest/globals';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import { dmarcRules } from '../../../../shared/protocol/findings/dmarc.ts';
import { describe, type Finding, raiser, rule } from '../../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../../shared/protocol/findings/mx.ts';
import { mxTlsRules } from '../../../../shared/protocol/findings/mx-tls.ts';
import { tlsRptRules } from '../../../../shared/protocol/findings/tls-rpt.ts';

const raise = raiser({ ...mxRules, ...mxTlsRules });
const host = 'mx1.example.net';
const owner = { domain: 'example.org' };
const messageOf = (finding: Finding) => describe(finding, { ...mxRules, ...mxTlsRules }, owner).message;

test('the message of a finding contains the arguments of its rule', () => {
  expect(messageOf(raise('mx-dangling', { host, owner: 'example.net' }))).toContain(
    'in the unregistered domain example.net;',
  );
});

test('a missing argument does not compile, and would print "undefined"', () => {
  // @ts-expect-error: lacks `owner`
  expect(messageOf(raise('mx-dangling', { host }))).toContain('undefined');
  // @ts-expect-error: lacks `ip` and `protocol`
  expect(messageOf(raise('mx-tls-old', { host }))).toContain('undefined');
  // @ts-expect-error: lacks the arguments
  expect(messageOf(raise('mx-no-address'))).toContain('undefined');
  // @ts-expect-error: lacks `owner`, which one of the two rules has
  expect(messageOf(raise(host ? 'mx-dangling' : 'mx-no-address', { host }))).toContain('undefined');
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
  expect(describe(raiser({ open })('open', { host }), { open }, owner).message).toBe(`${host} undefined`);
});

describeSuite('the text of a finding', () => {
  test('names the report mailbox of the domain in the record to publish', () => {
    const finding = raiser(dmarcRules)('dmarc-missing', { domain: 'example.org' });
    const fixFor = (mailbox?: string) => describe(finding, dmarcRules, { ...owner, mailbox }).fix;
    expect(fixFor('k3v9@reports.example')).toContain('"v=DMARC1; p=none; rua=mailto:k3v9@reports.example"');
    expect(fixFor()).toContain('the address of your mailbox');
  });

  test.each([
    ['v=DMARC1; p=reject', '"v=DMARC1; p=reject; rua=mailto:k3v9@reports.example"'],
    ['v=DMARC1;p=none ; ', '"v=DMARC1;p=none; rua=mailto:k3v9@reports.example"'],
    ['v=DMARC1; p=none; x="', 'Add the tag rua=mailto:k3v9@reports.example,'],
    [`v=DMARC1; p=none; x=${'y'.repeat(400)}`, 'Add the tag rua=mailto:k3v9@reports.example,'],
  ])('completes the published record with the mailbox, if it can be copied: %s', (published, proposed) => {
    const parsed = parseDmarcRecord(published);
    const found = parsed.ok ? parsed.findings.find(({ id }) => id === 'dmarc-missing-rua') : undefined;
    const mailbox = 'k3v9@reports.example';
    expect(found && describe(found, dmarcRules, { ...owner, mailbox }).fix).toContain(proposed);
  });

  test('proposes a complete TLS-RPT record', () => {
    const mailbox = 'k3v9@reports.example';
    for (const id of ['tls-rpt-missing', 'tls-rpt-rua-missing'] as const)
      expect(describe(raiser(tlsRptRules)(id), tlsRptRules, { ...owner, mailbox }).fix).toContain(
        'at _smtp._tls.example.org',
      );
    expect(
      describe(raiser(tlsRptRules)('tls-rpt-rua-missing'), tlsRptRules, { ...owner, mailbox }).fix,
    ).toContain('"v=TLSRPTv1; rua=mailto:k3v9@reports.example"');
  });

  test('of a rule of a later release names the rule', () => {
    const finding: Finding = { id: 'mx-of-tomorrow', severity: 'error', arguments: {} };
    expect(describe(finding, mxRules, owner)).toMatchObject({
      ...finding,
      message: expect.stringContaining(finding.id),
    });
  });
});
