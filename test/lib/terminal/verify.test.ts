import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { verifyEvidence } from '../../../lib/library/index.ts';
import { verify } from '../../../lib/terminal/verify.ts';
import { RELEASE } from '../../../shared/checks/release.ts';
import { canonicalJson } from '../../../shared/evidence/canonical.ts';
import { type Signer, signEvidence } from '../../../shared/evidence/signature.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { ecdsaSigner, testSigner } from '../../kit/signer.ts';
import { useFolder } from '../../kit/use.ts';
import { randomEvidence } from '../../shared/evidence/random-evidence.ts';

const signer = testSigner();

const keysOf = async (of: Signer) => JSON.stringify({ keys: [await of.key()] });

const folder = useFolder('verify');
const evidence = await randomEvidence(7, signer);
const { evidence: content } = JSON.parse(evidence);
writeFileSync(join(folder, 'jwks.json'), await keysOf(signer));

async function verifyFile(content: string | Uint8Array, ...options: readonly string[]) {
  writeFileSync(join(folder, 'evidence.json'), content);
  return verify([join(folder, 'evidence.json'), '--keys', join(folder, 'jwks.json'), ...options]);
}

/** The evidence with a change, signed again with the same key. */
async function signedAgain(change: Record<string, unknown>): Promise<string> {
  return canonicalJson(await signEvidence({ ...content, ...change }, signer));
}

test('says what is the same', async () => {
  const { output, code } = await verifyFile(`${evidence}\n`);
  expect(code).toBe(0);
  expect(output).toContain('Signature   valid');
  expect(output).toMatch(/^ {2}spf {7}same$/m);
  expect(output).toMatch(/^ {2}plan {6}same$/m);
  expect(await verifyEvidence(evidence, await keysOf(signer))).toMatchObject({
    ok: true,
    domain: 'd7.example.org',
  });
});

test('says what differs, and whether another release made the evidence', async () => {
  const lied = await verifyFile(await signedAgain({ score: 100 }));
  expect([lied.code, lied.output.split('\n').find((line) => line.includes('score'))]).toEqual([
    ...[3, '  score     DIFFERS'],
  ]);
  const other = await verifyFile(await signedAgain({ score: 100, release: '0.9.0' }));
  expect(other.code).toBe(3);
  expect(other.output).toContain('score     differs from what this release finds');
  expect(other.output).toContain(`Release     0.9.0; verified by ${RELEASE}`);
});

test('says what cannot be known of answers that were not kept', async () => {
  const { recording: _, plan: __, ...rest } = content;
  const without = canonicalJson(await signEvidence(rest, signer));
  const { output, code } = await verifyFile(without);
  expect(code).toBe(0);
  expect(output).toContain('mx        cannot be known: the answers were too large');
  expect(output).toMatch(/^ {2}score {5}same$/m);
  expect(output).toContain('plan      cannot be known');
  const lied = canonicalJson(await signEvidence({ ...rest, score: 1 }, signer));
  expect((await verifyFile(lied)).output).toContain('score     DIFFERS');
});

const HOUR = 3_600_000;

/** Zone 7 has no answer about DNSSEC. */
test.each([
  ['of a check without an answer', 'dnssec', HOUR, 'cannot be known: a lookup failed'],
  ['that is too old', 'dnssec', 73 * HOUR, 'DIFFERS'],
  ['of the future', 'dnssec', -HOUR, 'DIFFERS'],
  ['of a check that got its answers', 'spf', HOUR, 'DIFFERS'],
])('says whether a last known result may stand in: one %s', async (_title, name, age, verdict) => {
  const asOf = new Date(Date.parse(content.checkedAt) - age).toISOString();
  const known = { ...content.results[name], state: 'pass', findings: [], asOf };
  const results = { ...content.results, [name]: known };
  const { score } = computeScore(results, content.usageType);
  const { plan: _, ...withoutPlan } = content;
  const stated = canonicalJson(await signEvidence({ ...withoutPlan, results, score }, signer));
  const { output, code } = await verifyFile(stated);
  expect(output).toContain(`  ${name.padEnd(10)}${verdict}`);
  expect(code).toBe(verdict === 'DIFFERS' ? 3 : 0);
  if (code === 0) expect(output).toContain('score     cannot be known: it depends on');
});

test.each([
  ['another domain', { domain: 'd8.example.org' }],
  ['another time', { checkedAt: '2026-01-01T00:00:00.000Z' }],
  ['signed before', { issuedAt: '2020-01-01T00:00:00.000Z' }],
])('the head of the document is that of its recording: %s', async (_title, change) => {
  expect(await verifyFile(await signedAgain(change))).toEqual({
    ...{ output: expect.stringMatching(/^Not verified: the (recorded answers|check run)/), code: 3 },
  });
});

test('has no member that a verifier does not know', async () => {
  const { output } = await verifyFile(await signedAgain({ certified: true }));
  expect(output).toBe('Not verified: the evidence has another format.');
});

test('is not verified from anchors of the service, unless they are accepted', async () => {
  const dnssec = [{ zone: 'test', ds: { keyTag: 1, algorithm: 13, digestType: 2, digest: 'AAAA' } }];
  const own = await signedAgain({ recording: { ...content.recording, trust: { dnssec } } });
  expect((await verifyFile(own)).code).toBe(3);
  expect((await verifyFile(own, '--own-anchors')).code).toBe(0);
});

test('says which questions were not recorded', async () => {
  const { answers } = content.recording;
  const dns = answers.dns.filter(({ name }: { name: string }) => !name.startsWith('_smtp._tls.'));
  const recording = { ...content.recording, answers: { ...answers, dns } };
  const { output, code } = await verifyFile(await signedAgain({ recording }));
  expect([code, output]).toEqual([3, expect.stringContaining('not recorded: _smtp._tls.d7.example.org TXT')]);
});

test('does not verify with a key under the ID of another one', async () => {
  const other = testSigner();
  const { kid } = await signer.key();
  const forger = { ...other, key: async () => ({ ...(await other.key()), kid }) };
  const forged = canonicalJson(await signEvidence(content, forger));
  expect(await verifyEvidence(forged, await keysOf(forger))).toMatchObject({ ok: false });
});

test('verifies one form of an ECDSA signature only', async () => {
  const ecdsa = ecdsaSigner();
  const signed = await signEvidence(content, ecdsa);
  const [header, , value = ''] = signed.signature.split('.');
  const octets = Buffer.from(value, 'base64url');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const high = order - BigInt(`0x${octets.subarray(32).toString('hex')}`);
  const other = Buffer.concat([
    octets.subarray(0, 32),
    Buffer.from(high.toString(16).padStart(64, '0'), 'hex'),
  ]);
  const keys = await keysOf(ecdsa);
  const signature = `${header}..${other.toString('base64url')}`;
  expect((await verifyEvidence(canonicalJson(signed), keys)).ok).toBe(true);
  expect((await verifyEvidence(canonicalJson({ ...signed, signature }), keys)).ok).toBe(false);
});

test('does not read octets that are no UTF-8, nor a byte order mark', async () => {
  await expect(verifyFile(Buffer.from([...Buffer.from(evidence), 0xff]))).rejects.toThrow('cannot be read');
  expect((await verifyFile(`\ufeff${evidence}`)).output).toBe('Not verified: the file is no evidence.');
});

test('does not verify with another key, nor a file that was changed or is none', async () => {
  const bySomebody = await randomEvidence(7, testSigner());
  expect((await verifyFile(bySomebody)).output).toContain('its key is not in the key set');
  expect(await verifyFile(evidence.replace('"score":', '"score": '))).toEqual({
    ...{ output: 'Not verified: the file was changed: it is not canonical JSON.', code: 3 },
  });
  expect((await verifyFile('{}')).output).toBe('Not verified: the file is no evidence.');
  await expect(verifyEvidence(evidence, '[]')).rejects.toThrow(TypeError);
});
