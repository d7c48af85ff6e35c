/** Signed evidence of check runs of random zones, and what mutations of it verify to. */
import { expect } from '@jest/globals';
import * as z from 'zod/mini';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { createRecorder } from '../../../shared/checks/recording/record.ts';
import { recording } from '../../../shared/checks/recording/recorded.ts';
import { RELEASE } from '../../../shared/checks/release.ts';
import { canonicalJson } from '../../../shared/evidence/canonical.ts';
import { makeEvidence } from '../../../shared/evidence/make.ts';
import { type Signer, signEvidence } from '../../../shared/evidence/signature.ts';
import { verifyEvidence } from '../../../shared/evidence/verify.ts';
import { noReportedMail } from '../../../shared/fixes/facts.ts';
import { random } from '../../kit/random.ts';
import { usageTypes } from '../../kit/results.ts';
import { randomCheck } from '../checks/recording/random-checks.ts';

export async function randomEvidence(seed: number, signer: Signer): Promise<string> {
  const { asked, context } = randomCheck(seed);
  const recorder = createRecorder(context.network.clock);
  const results = await inspectDomain(asked, { ...context, recorder });
  const run = recorder.run();
  if (run === undefined) throw new Error('nothing was recorded');
  const stored = JSON.parse(JSON.stringify({ results, recording: run.recording }));
  const made = await makeEvidence(
    {
      domain: asked.domain,
      checkedAt: run.recording.startedAt,
      release: RELEASE,
      results: stored.results,
      usageType: usageTypes[seed % usageTypes.length] ?? 'parked',
      recording: z.parse(recording, stored.recording),
      certificates: run.certificates,
      facts: {
        ...{ mailbox: asked.reportMailbox ?? null, mail: noReportedMail, nextPolicy: null },
        senders: seed % 2 === 0 ? null : [],
      },
    },
    { issuer: 'https://monitor.example', issuedAt: new Date() },
  );
  return canonicalJson(await signEvidence(made, signer));
}

/** Expects that the evidence of a zone verifies to the same findings, and that no mutation of it verifies. */
export async function expectSame(seed: number, signer: Signer): Promise<void> {
  const file = await randomEvidence(seed, signer);
  const keys = [await signer.key()];
  const verified = await verifyEvidence(file, keys);
  if (!verified.ok) throw new Error(verified.problem);
  expect(verified.missing).toEqual([]);
  expect(verified.comparisons.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
  const { https, smtp } = JSON.parse(file).evidence.recording.answers;
  const served = [
    ...https.map(({ answer }: { answer: object }) => 'certificate' in answer),
    ...smtp.map(({ answer }: { answer: { starttls?: object } }) => 'certificate' in (answer.starttls ?? {})),
  ];
  expect(verified.tls).toHaveLength(served.filter(Boolean).length);
  for (const changed of mutationsOf(file, seed)) expect((await verifyEvidence(changed, keys)).ok).toBe(false);
}

/** The file with one character changed, removed, added or swapped. */
function mutationsOf(file: string, seed: number): readonly string[] {
  const below = random(seed + 1);
  return Array.from({ length: 4 }, (_, kind) => {
    const at = below(file.length);
    const letter = String.fromCharCode(32 + below(95));
    const other = letter === file[at] ? '~' : letter;
    const [head, tail] = [file.slice(0, at), file.slice(at + 1)];
    if (kind === 0) return `${head}${other}${tail}`;
    if (kind === 1) return `${head}${tail}`;
    if (kind === 2) return `${head}${other}${file.slice(at)}`;
    const bit = String.fromCharCode(file.charCodeAt(at) ^ (1 << below(7)));
    return `${head}${bit}${tail}`;
  });
}
