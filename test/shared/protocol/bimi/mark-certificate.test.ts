import { describe, expect, test } from '@jest/globals';
import { type ExpectedEvidence, inspectEvidence } from '../../../../shared/protocol/bimi/mark-certificate.ts';
import { messageOf } from '../../../kit/findings.ts';
import { type MarkChain, type MarkPlan, markChain } from '../../../kit/mark-certificates.ts';

const LOGO = '<svg><title>Example</title></svg>';
const bytes = (text: string) => new TextEncoder().encode(text);
const expectedOf = (chain: MarkChain, more: Partial<ExpectedEvidence> = {}): ExpectedEvidence => ({
  selector: 'default',
  domains: ['example.org'],
  logo: bytes(LOGO),
  anchors: [chain.root],
  now: new Date('2026-06-01'),
  ...more,
});
const errorsOf = ({ findings }: ReturnType<typeof inspectEvidence>) =>
  findings.filter(({ severity }) => severity === 'error').map(({ id }) => id);

const good = markChain({ logo: LOGO });
const other = markChain({ logo: LOGO });
const fileOf = ({ leaf, issuer, root }: MarkChain) => bytes(leaf + issuer + root);

describe('a valid chain', () => {
  test('is verified up to a given anchor, and the skipped checks are named', () => {
    const verdict = inspectEvidence(fileOf(good), expectedOf(good));
    expect(verdict).toMatchObject({
      trust: 'verified',
      certificate: {
        subject: 'Example, Inc.',
        issuer: 'Mark Issuer',
        markType: 'Registered Mark',
        names: ['example.org'],
        validTo: new Date('2027-01-01'),
      },
      findings: [{ id: 'bimi-evidence-not-verified', severity: 'notice' }],
    });
    expect(messageOf(verdict.findings[0])).toContain('revocation');
  });

  test('without anchors is unanchored, never verified', () => {
    const { trust, findings } = inspectEvidence(fileOf(good), expectedOf(good, { anchors: [] }));
    expect(trust).toBe('unanchored');
    expect(findings.map(({ id }) => id)).toEqual(['bimi-evidence-unanchored', 'bimi-evidence-not-verified']);
  });

  test.each<[string, (chain: MarkChain) => Uint8Array]>([
    ['may leave out the root', ({ leaf, issuer }) => bytes(leaf + issuer)],
    ['may be out of order', ({ leaf, issuer, root }) => bytes(root + issuer + leaf)],
    [
      'may have text around the certificates',
      ({ leaf, issuer }) => bytes(`subject\n${leaf}\nissuer\n${issuer}`),
    ],
    ['may have ten certificates', ({ leaf, issuer }) => bytes(leaf + issuer.repeat(9))],
  ])('%s', (_, file) => {
    expect(inspectEvidence(file(good), expectedOf(good)).trust).toBe('verified');
  });

  test('may end at an anchor below the root', () => {
    expect(inspectEvidence(bytes(good.leaf), expectedOf(good, { anchors: [good.issuer] })).trust).toBe(
      'verified',
    );
  });

  test.each([
    ['the domain of the record', ['example.org']],
    ['the organizational domain', ['mail.example.org', 'example.org']],
  ])('is issued for %s', (_, domains) => {
    expect(inspectEvidence(fileOf(good), expectedOf(good, { domains })).trust).toBe('verified');
  });

  test('may be issued for one selector (section 4.3)', () => {
    const chain = markChain({ logo: LOGO, names: ['Brand._BIMI.example.org'] });
    expect(inspectEvidence(fileOf(chain), expectedOf(chain, { selector: 'BRAND' })).trust).toBe('verified');
    expect(errorsOf(inspectEvidence(fileOf(chain), expectedOf(chain)))).toEqual([
      'bimi-evidence-wrong-domain',
    ]);
  });

  test('is not compared with a logo that could not be fetched, and says so', () => {
    const { trust, findings } = inspectEvidence(fileOf(good), expectedOf(good, { logo: null }));
    expect(trust).toBe('verified');
    expect(messageOf(findings[0])).toContain('the match with the served logo');
  });

  test('that expires soon is reported', () => {
    const { trust, findings } = inspectEvidence(
      fileOf(good),
      expectedOf(good, { now: new Date('2026-12-15') }),
    );
    expect(trust).toBe('verified');
    expect(findings.map(({ id }) => id)).toContain('bimi-evidence-expiring');
  });
});

describe('an invalid chain', () => {
  test.each<[string, MarkPlan, string]>([
    [
      'its leaf is signed by a key other than that of its issuer',
      { forged: true },
      'bimi-evidence-chain-broken',
    ],
    ['its issuer is not a CA', { issuerIsAuthority: false }, 'bimi-evidence-unreadable'],
    ['its leaf is for another usage', { leafUsage: '1.3.6.1.5.5.7.3.1' }, 'bimi-evidence-wrong-usage'],
    ['its issuer is for another usage', { issuerUsage: '1.3.6.1.5.5.7.3.1' }, 'bimi-evidence-wrong-usage'],
    ['it has expired', { validTo: '2026-05-01' }, 'bimi-evidence-not-valid-now'],
    ['it is not valid yet', { validFrom: '2026-07-01' }, 'bimi-evidence-not-valid-now'],
    ['it is for another domain', { names: ['example.net'] }, 'bimi-evidence-wrong-domain'],
    ['it is for a subdomain', { names: ['www.example.org'] }, 'bimi-evidence-wrong-domain'],
    ['it is for a wildcard', { names: ['*.example.org'] }, 'bimi-evidence-wrong-domain'],
    ['it contains no logo', { withoutLogotype: true }, 'bimi-evidence-no-logo'],
    ['its logo does not match the digest that it states', { digested: 'x' }, 'bimi-evidence-no-logo'],
    ['it contains no digest of its logo', { withoutDigest: true }, 'bimi-evidence-no-logo'],
    ['its logo differs from the one that is served', { logo: '<svg/>' }, 'bimi-evidence-logo-differs'],
  ])('is rejected: %s', (_, plan, expected) => {
    const chain = markChain({ logo: LOGO, ...plan });
    const verdict = inspectEvidence(fileOf(chain), expectedOf(chain));
    expect(verdict.trust).toBe('invalid');
    expect(errorsOf(verdict)).toEqual([expected]);
    expect(inspectEvidence(fileOf(chain), expectedOf(chain, { anchors: [] })).trust).toBe('invalid');
  });

  test('has certificates without names', () => {
    const chain = markChain({ logo: LOGO, unnamed: true, validTo: '2026-05-01' });
    const { certificate, findings } = inspectEvidence(fileOf(chain), expectedOf(chain));
    expect(certificate).toMatchObject({ subject: '(no name)', issuer: '(no name)', markType: null });
    expect(findings.map(({ id }) => id)).toContain('bimi-evidence-not-valid-now');
  });

  test('is issued by an untrusted authority', () => {
    const verdict = inspectEvidence(fileOf(good), expectedOf(good, { anchors: [other.root] }));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-untrusted']);
    expect(verdict.trust).toBe('invalid');
  });

  test('ends at an anchor that is not a CA', () => {
    const chain = markChain({ logo: LOGO, issuerIsAuthority: false });
    const verdict = inspectEvidence(bytes(chain.leaf), expectedOf(chain, { anchors: [chain.issuer] }));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-chain-broken']);
  });

  test('has an issuer with the right name and another key', () => {
    const verdict = inspectEvidence(bytes(good.leaf + other.issuer + good.root), expectedOf(good));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-chain-broken']);
  });

  test('lacks its issuer', () => {
    expect(errorsOf(inspectEvidence(bytes(good.leaf), expectedOf(good)))).toEqual([
      'bimi-evidence-chain-broken',
    ]);
  });

  test('is detected if one octet of any certificate changes', () => {
    const der = (pem: string) => Buffer.from(pem.replace(/-----.*?-----/g, ''), 'base64');
    const pem = (body: Buffer) =>
      `-----BEGIN CERTIFICATE-----\n${body.toString('base64')}\n-----END CERTIFICATE-----\n`;
    for (const place of [300, der(good.leaf).length - 3]) {
      const changed = der(good.leaf);
      changed[place] = (changed[place] ?? 0) ^ 1;
      const verdict = inspectEvidence(bytes(pem(changed) + good.issuer + good.root), expectedOf(good));
      expect(verdict.trust).toBe('invalid');
    }
  });
});

describe('an invalid evidence file', () => {
  test.each<[string, () => string]>([
    ['empty', () => ''],
    ['a web page', () => '<!DOCTYPE html>'],
    ['a CA certificate only', () => good.root],
    ['two mark certificates', () => good.leaf + other.leaf + good.issuer],
    ['a truncated certificate', () => good.leaf.slice(0, 300)],
    [
      'garbage between the PEM markers',
      () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    ],
    ['eleven certificates', () => good.leaf + good.issuer.repeat(10)],
    ['a thousand certificates', () => good.leaf.repeat(1_000)],
  ])('is %s', (_, text) => {
    const { trust, certificate, findings } = inspectEvidence(bytes(text()), expectedOf(good));
    expect({ trust, certificate }).toEqual({ trust: 'invalid', certificate: null });
    expect(findings.map(({ id }) => id)).toEqual(['bimi-evidence-unreadable']);
  });
});

test('random changes never prevent a verdict or verify another leaf', () => {
  const source = Buffer.from(good.leaf.replace(/-----.*?-----/g, ''), 'base64');
  for (let place = 0; place < source.length; place += 3) {
    const changed = Buffer.from(source);
    changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
    const pem = `-----BEGIN CERTIFICATE-----\n${changed.toString('base64')}\n-----END CERTIFICATE-----\n`;
    expect(inspectEvidence(bytes(pem + good.issuer), expectedOf(good)).trust).not.toBe('verified');
  }
});
