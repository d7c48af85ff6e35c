/** What a service that signs forged answers, with genuine proofs of something else, cannot have verified. */
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { type RecordingJson, recording } from '../../../shared/checks/recording/recorded.ts';
import { UnreadableRecording } from '../../../shared/checks/recording/replay.ts';
import { type DnssecProof, dnssecProofs } from '../../../shared/evidence/dnssec-proofs.ts';
import { DOMAIN, FOREIGN, recordSigned } from './signed-zone.ts';

type Answer = RecordingJson['answers']['dns'][number]['answer'];

const AT = `_dmarc.${DOMAIN}`;

const recorded = (await recordSigned()).recording;
const elsewhere = (await recordSigned(FOREIGN)).recording;

const answerAt = ({ answers }: RecordingJson, name: string): Answer | undefined =>
  answers.dns.find((one) => one.name === name && one.type === 'TXT' && one.dnssec === true)?.answer;

/** The proofs of the recording with another answer about DMARC, and with all that the zone of somebody else was asked. */
async function proofsWith(change: (genuine: Answer) => object): Promise<readonly DnssecProof[]> {
  const dns = recorded.answers.dns.map((one) =>
    one.name === AT && one.type === 'TXT' ? { ...one, answer: change(one.answer) } : one,
  );
  const answers = { ...recorded.answers, dns: [...elsewhere.answers.dns, ...dns] };
  return dnssecProofs(z.parse(recording, { ...recorded, answers }), new Map());
}

const statusOf = (proofs: readonly DnssecProof[], at: string) =>
  proofs.find(({ name, type }) => name === at && type === 'TXT')?.status;

const forged = 'v=DMARC1; p=none';

test('each genuine answer is proven, of both zones', async () => {
  const proofs = await proofsWith((genuine) => genuine);
  expect(statusOf(proofs, AT)).toBe('secure');
  expect(proofs.filter(({ status }) => status !== 'secure')).toEqual([]);
});

test.each<[string, (genuine: Answer) => object]>([
  ['records beside the genuine set', (genuine) => ({ ...genuine, records: [forged] })],
  [
    'the records of another zone, with its proof',
    () => ({ ...answerAt(elsewhere, `_dmarc.${FOREIGN}`), name: `_dmarc.${FOREIGN}` }),
  ],
  [
    'an alias to them that no set shows',
    () => ({ ...answerAt(elsewhere, `_dmarc.${FOREIGN}`), name: `_dmarc.${FOREIGN}`, aliases: [AT] }),
  ],
  ['the denial of another name', () => ({ ...answerAt(elsewhere, `_smtp._tls.${FOREIGN}`) })],
  ['a proven set of another name', () => ({ ...answerAt(recorded, DOMAIN), records: [forged] })],
])('is no answer: %s', async (_title, change) => {
  await expect(proofsWith(change)).rejects.toThrow(UnreadableRecording);
});

test('an answer without a proof is listed as that', async () => {
  const found = await proofsWith(() => ({ status: 'found', ttl: 300, records: [forged] }));
  expect(statusOf(found, AT)).toBe('unproven');
  const absent = await proofsWith(() => ({ status: 'absent', reason: 'no-name' }));
  expect(statusOf(absent, AT)).toBe('unproven');
});
