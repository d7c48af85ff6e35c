/** The DNSSEC proofs of recorded answers. */
import { isKeyName } from '../checks/recording/questions.ts';
import type { Certificates, RecordedLookup, Recording } from '../checks/recording/recorded.ts';
import { contextOf, replay } from '../checks/recording/replay.ts';
import type { Absent, Found } from '../protocol/dns.ts';
import { createValidator } from '../protocol/dnssec/chain.ts';
import { createEffort } from '../protocol/dnssec/effort.ts';
import type { AuthenticationStatus, Reason } from '../protocol/dnssec/reasons.ts';

/**
 * Whether a recorded answer is proven by DNSSEC, from the trust anchors of the recording, at the time of the check run. `unproven`: it
 * was recorded without a proof.
 */
export interface DnssecProof {
  readonly name: string;
  readonly type: string;
  readonly status: AuthenticationStatus | 'unproven';
  readonly reasons: readonly Reason[];
}

/** More than a check run may cost, because here everything is verified, and nobody else waits for it. */
const EFFORT = { verifications: 2000, hashes: 5000 };

/** Validates each answer for which signatures were requested. @throws UnreadableRecording */
export async function dnssecProofs(
  recording: Recording,
  certificates: Certificates,
): Promise<readonly DnssecProof[]> {
  const { network } = replay(recording, certificates);
  const { trustAnchors: anchors, strippedZones, signatureClock: clock } = contextOf(recording, certificates);
  const effort = createEffort(EFFORT);
  const validator = createValidator({ dns: network.dns, anchors, clock, strippedZones, effort });
  const proofs = recording.answers.dns.filter(needsProof).map(async ({ name, type, checkingDisabled }) => {
    const flags = { dnssec: true, ...(checkingDisabled && { checkingDisabled }) };
    const answer = await network.dns.lookup(name, type, flags);
    if (answer.status === 'unavailable') return [];
    if (!hasProof(answer)) return [{ name, type, status: 'unproven' as const, reasons: [] }];
    return [{ name, type, ...(await validator.authenticate(answer)) }];
  });
  return (await Promise.all(proofs)).flat();
}

/** Denials of guessed DKIM selectors are recorded without proofs, and a name that cannot exist needs none. */
function needsProof({ name, dnssec, answer }: RecordedLookup): boolean {
  if (dnssec !== true || answer.status === 'unavailable') return false;
  return answer.status === 'found' || (answer.reason !== 'invalid-name' && !isKeyName(name));
}

const hasProof = (answer: Found<unknown> | Absent): boolean =>
  answer.status === 'found' ? answer.sets.length > 0 : answer.denial !== undefined;
