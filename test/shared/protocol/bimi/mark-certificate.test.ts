import { describe, expect, test } from '@jest/globals';
import { type ExpectedEvidence, inspectEvidence } from '../../../../shared/protocol/bimi/mark-certificate.ts';
import { type MarkChain, type MarkPlan, markChain } from '../../../kit/mark-certificates.ts';

const LOGO = '<svg><title>Example</title></svg>';
const bytes = (text: string) => new TextEncoder().encode(text);
const asked = (chain: MarkChain, more: Partial<ExpectedEvidence> = {}): ExpectedEvidence => ({
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
const whole = ({ leaf, issuer, root }: MarkChain) => bytes(leaf + issuer + root);

describe('a chain that holds', () => {
  test('is verified up to a given anchor, and what is not looked at is said', () => {
    const verdict = inspectEvidence(whole(good), asked(good));
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
    expect(verdict.findings[0]?.message).toContain('revocation');
  });

  test('is unanchored without anchors, never verified', () => {
    const { trust, findings } = inspectEvidence(whole(good), asked(good, { anchors: [] }));
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
    ['may hold a certificate twice', ({ leaf, issuer }) => bytes(leaf + issuer + issuer)],
  ])('%s', (_, file) => {
    expect(inspectEvidence(file(good), asked(good)).trust).toBe('verified');
  });

  test('may end in an anchor below the root', () => {
    expect(inspectEvidence(bytes(good.leaf), asked(good, { anchors: [good.issuer] })).trust).toBe('verified');
  });

  test.each([
    ['the domain of the record', ['example.org']],
    ['the organizational domain', ['mail.example.org', 'example.org']],
  ])('is for %s', (_, domains) => {
    expect(inspectEvidence(whole(good), asked(good, { domains })).trust).toBe('verified');
  });

  test('may be for one selector (section 4.3)', () => {
    const chain = markChain({ logo: LOGO, names: ['Brand._BIMI.example.org'] });
    expect(inspectEvidence(whole(chain), asked(chain, { selector: 'BRAND' })).trust).toBe('verified');
    expect(errorsOf(inspectEvidence(whole(chain), asked(chain)))).toEqual(['bimi-evidence-wrong-domain']);
  });

  test('is not compared with a logo that could not be fetched, and says so', () => {
    const { trust, findings } = inspectEvidence(whole(good), asked(good, { logo: null }));
    expect(trust).toBe('verified');
    expect(findings[0]?.message).toContain('the logo that is served');
  });

  test('that ends soon is told', () => {
    const { trust, findings } = inspectEvidence(whole(good), asked(good, { now: new Date('2026-12-15') }));
    expect(trust).toBe('verified');
    expect(findings.map(({ id }) => id)).toContain('bimi-evidence-expiring');
  });
});

describe('a chain that does not hold', () => {
  test.each<[string, MarkPlan, string]>([
    [
      'its leaf is signed by another key than its issuer names',
      { forged: true },
      'bimi-evidence-chain-broken',
    ],
    ['its issuer may not issue', { issuerIsAuthority: false }, 'bimi-evidence-unreadable'],
    ['its leaf is for another usage', { leafUsage: '1.3.6.1.5.5.7.3.1' }, 'bimi-evidence-wrong-usage'],
    ['its issuer is for another usage', { issuerUsage: '1.3.6.1.5.5.7.3.1' }, 'bimi-evidence-wrong-usage'],
    ['it is over', { validTo: '2026-05-01' }, 'bimi-evidence-not-valid-now'],
    ['it has not begun', { validFrom: '2026-07-01' }, 'bimi-evidence-not-valid-now'],
    ['it is for another domain', { names: ['example.net'] }, 'bimi-evidence-wrong-domain'],
    ['it is for a subdomain', { names: ['www.example.org'] }, 'bimi-evidence-wrong-domain'],
    ['it is for a wildcard', { names: ['*.example.org'] }, 'bimi-evidence-wrong-domain'],
    ['it holds no logo', { withoutLogotype: true }, 'bimi-evidence-no-logo'],
    ['its logo is not the one it states the digest of', { digested: 'x' }, 'bimi-evidence-no-logo'],
    ['it states no digest of its logo', { withoutDigest: true }, 'bimi-evidence-no-logo'],
    ['its logo is not the one that is served', { logo: '<svg/>' }, 'bimi-evidence-logo-differs'],
  ])('%s', (_, plan, expected) => {
    const chain = markChain({ logo: LOGO, ...plan });
    const verdict = inspectEvidence(whole(chain), asked(chain));
    expect(verdict.trust).toBe('invalid');
    expect(errorsOf(verdict)).toEqual([expected]);
    expect(inspectEvidence(whole(chain), asked(chain, { anchors: [] })).trust).toBe('invalid');
  });

  test('its certificates have no names', () => {
    const chain = markChain({ logo: LOGO, unnamed: true, validTo: '2026-05-01' });
    const { certificate, findings } = inspectEvidence(whole(chain), asked(chain));
    expect(certificate).toMatchObject({ subject: '(no name)', issuer: '(no name)', markType: null });
    expect(findings.map(({ id }) => id)).toContain('bimi-evidence-not-valid-now');
  });

  test('it leads to an authority that is not trusted', () => {
    const verdict = inspectEvidence(whole(good), asked(good, { anchors: [other.root] }));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-untrusted']);
    expect(verdict.trust).toBe('invalid');
  });

  test('it leads to an anchor that may not issue', () => {
    const chain = markChain({ logo: LOGO, issuerIsAuthority: false });
    const verdict = inspectEvidence(bytes(chain.leaf), asked(chain, { anchors: [chain.issuer] }));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-chain-broken']);
  });

  test('its issuer has the name of the right one and another key', () => {
    const verdict = inspectEvidence(bytes(good.leaf + other.issuer + good.root), asked(good));
    expect(errorsOf(verdict)).toEqual(['bimi-evidence-chain-broken']);
  });

  test('its issuer is missing', () => {
    expect(errorsOf(inspectEvidence(bytes(good.leaf), asked(good)))).toEqual(['bimi-evidence-chain-broken']);
  });

  test('one octet of any certificate in it was changed', () => {
    const der = (pem: string) => Buffer.from(pem.replace(/-----.*?-----/g, ''), 'base64');
    const pem = (body: Buffer) =>
      `-----BEGIN CERTIFICATE-----\n${body.toString('base64')}\n-----END CERTIFICATE-----\n`;
    for (const place of [300, der(good.leaf).length - 3]) {
      const changed = der(good.leaf);
      changed[place] = (changed[place] ?? 0) ^ 1;
      const verdict = inspectEvidence(bytes(pem(changed) + good.issuer + good.root), asked(good));
      expect(verdict.trust).toBe('invalid');
    }
  });
});

describe('a file that is no chain', () => {
  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['a web page', () => '<!DOCTYPE html>'],
    ['an authority alone', () => good.root],
    ['two mark certificates', () => good.leaf + other.leaf + good.issuer],
    ['a certificate that is cut', () => good.leaf.slice(0, 300)],
    ['garbage between the marks', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
    ['a long chain', () => good.leaf + good.issuer.repeat(11)],
    ['a thousand certificates', () => good.leaf.repeat(1_000)],
  ])('is %s', (_, text) => {
    const { trust, certificate, findings } = inspectEvidence(bytes(text()), asked(good));
    expect({ trust, certificate }).toEqual({ trust: 'invalid', certificate: null });
    expect(findings.map(({ id }) => id)).toEqual(['bimi-evidence-unreadable']);
  });
});

test('whatever octets change, the verdict ends and is never "verified" for another leaf', () => {
  const source = Buffer.from(good.leaf.replace(/-----.*?-----/g, ''), 'base64');
  for (let place = 0; place < source.length; place += 3) {
    const changed = Buffer.from(source);
    changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
    const pem = `-----BEGIN CERTIFICATE-----\n${changed.toString('base64')}\n-----END CERTIFICATE-----\n`;
    expect(inspectEvidence(bytes(pem + good.issuer), asked(good)).trust).not.toBe('verified');
  }
});
