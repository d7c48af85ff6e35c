/** What a service signs is as hostile as any other content: whatever it says, verifying it ends with an answer. */
import { hash, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { canonicalJson } from '../../../shared/evidence/canonical.ts';
import { signEvidence } from '../../../shared/evidence/signature.ts';
import { verifyEvidence } from '../../../shared/evidence/verify.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { random } from '../../kit/random.ts';
import { testSigner } from '../../kit/signer.ts';
import { randomEvidence } from './random-evidence.ts';

const signer = testSigner();

type Node = Record<string, unknown>;

/** Every member of every object and list. */
function placesIn(node: unknown, found: [Node, string][] = []): readonly [Node, string][] {
  if (typeof node !== 'object' || node === null) return found;
  const members = node as Node;
  for (const name of Object.keys(members)) {
    found.push([members, name]);
    placesIn(members[name], found);
  }
  return found;
}

/** Of the type that was there, so that most schemas accept them. */
const texts = ['', '\0', 'a\0.example', ...'.%[-é', 'text:', 'https://', '9999-12-31T23:59:59.999Z'];
const numbers = [0, 1, 255, 65_535, Number.MAX_SAFE_INTEGER, -1, 0.5];

test.each(Array.from({ length: 6 }, (_, seed) => seed))(
  'evidence of zone %i, changed and signed again',
  async (seed) => {
    const file = await randomEvidence(seed, signer);
    const below = random(seed + 1);
    const keys = [await signer.key()];
    const genuine = JSON.parse(file).evidence;
    const ends = new Set<boolean>();
    for (let changes = 0; changes < 40; changes += 1) {
      const content = structuredClone(genuine);
      const places = placesIn(content);
      const [node, name] = places[below(places.length)] ?? [content, 'domain'];
      const [other, from] = places[below(places.length)] ?? [content, 'domain'];
      const any = (of: readonly unknown[]) => of[below(of.length)];
      const value = node[name];
      if (typeof value === 'string') node[name] = any([...texts, value.slice(1), `${value}\0`]);
      else if (typeof value === 'number') node[name] = any(numbers);
      else if (Array.isArray(value)) node[name] = any([[], [...value, ...value], value.slice(1)]);
      else node[name] = structuredClone(other[from]);
      ends.add((await verifyEvidence(canonicalJson(await signEvidence(content, signer)), keys)).ok);
    }
    expect(ends).toEqual(new Set([true, false]));
  },
);

test('a host and a URL that are none are not verified', async () => {
  const { evidence } = JSON.parse(await randomEvidence(7, signer));
  const { smtp, https } = evidence.recording.answers;
  for (const one of smtp) one.hostname = 'mx\0.example.org';
  for (const one of https) [one.url, one.answer.evidence.url] = ['none', 'neither'];
  const changed = canonicalJson(await signEvidence(evidence, signer));
  const made = await verifyEvidence(changed, [await signer.key()]);
  expect(made).toMatchObject({ ok: true });
  expect(made.ok && made.tls.filter(({ verdict }) => verdict === 'verified')).toEqual([]);
});

test.each([
  ['with its payload', (given: string) => given.replace('..', '.e30.')],
  ['with one more part', (given: string) => `${given}.e30`],
  ['that is not exact base64url', (given: string) => `${given}=`],
  // 64 octets leave four bits of the last character: A, Q, g or w.
  [
    'with other unused bits',
    (given: string) => given.replace(/.$/, (last) => 'BRhx'['AQgw'.indexOf(last)] ?? ''),
  ],
])('a signature %s verifies nothing', async (_what, change) => {
  const { evidence } = JSON.parse(await randomEvidence(7, signer));
  const signed = await signEvidence(evidence, signer);
  const changed = { ...signed, signature: change(signed.signature) };
  const keys = [await signer.key()];
  expect((await verifyEvidence(canonicalJson(signed), keys)).ok).toBe(true);
  expect((await verifyEvidence(canonicalJson(changed), keys)).ok).toBe(false);
});

test('of certificates: repeated ones, at most 300 roots, redirects and other dates', async () => {
  const { evidence } = JSON.parse(await randomEvidence(7, signer));
  const authority = createAuthority();
  const ders = [authority.issue(['mx.example']).der, authority.der].map((der) => Buffer.from(der));
  const hashes = ders.map((der) => hash('sha256', der));
  const [{ validFromDate, validToDate }] = [new X509Certificate(ders[0] ?? '')];
  const dates = { validFrom: validFromDate.toISOString(), validTo: validToDate.toISOString() };
  const chain = Array.from({ length: 3000 }, () => hashes[0]);
  const certificate = { ...dates, chain, trusted: true, matchesName: false };
  const starttls = { status: 'established', protocol: '', cipher: '', certificate };
  const answer = { status: 'found', starttls, recipient: 'not-asked', evidence: {} };
  const { recording } = evidence;
  const [host, unreadable] = ['other.example', 'a\0.example'];
  recording.answers.smtp = [host, unreadable].map((hostname) => ({ hostname, address: '192.0.2.1', answer }));
  const later = { ...certificate, validTo: '2099-01-01T00:00:00.000Z' };
  const https = { status: 'rejected', reason: 'tls', detail: '', certificate };
  const evidenceAt = (url: string, of = https) => ({ ...of, evidence: { url } });
  recording.answers.https.push(
    { url: 'https://a.test/', answer: evidenceAt('https://b.test/') },
    { url: 'https://m.test/.well-known/mta-sts.txt', answer: evidenceAt('https://b.test/') },
    { url: 'https://c.test/', answer: evidenceAt('https://c.test/', { ...https, certificate: later }) },
  );
  const certificates = Object.fromEntries(ders.map((der, i) => [hashes[i], der.toString('base64')]));
  const verify = async (roots: number) => {
    const stated = { ...evidence, certificates, roots: Array.from({ length: roots }, () => hashes[1]) };
    return verifyEvidence(canonicalJson(await signEvidence(stated, signer)), [await signer.key()]);
  };
  expect((await verify(301)).ok).toBe(false);
  const made = await verify(300);
  expect(made.ok && made.tls.find((one) => one.host === host)?.verdict).toBe('verified');
  expect(made.ok && made.tls.find((one) => one.host === unreadable)?.verdict).not.toBe('refuted');
  const tls = made.ok ? made.tls.map((one) => `${one.host}: ${one.verdict}`) : [];
  expect(tls).toEqual(
    expect.arrayContaining([
      'a.test, redirected to b.test: verified',
      'm.test, redirected to b.test: unknown',
      'c.test: refuted',
    ]),
  );
});
