/** Proves the ownership of a verified domain again: it can have been sold since it was verified. */
import type { Dns } from '../protocol/dns.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { eventWrites } from '../store/alerts/pending.ts';
import { domainOpening } from '../store/attention-changes.ts';
import type { Domain, MissingProof, Ownership } from '../store/domains/domain.ts';
import type { OwnershipStore } from '../store/domains/ownership.ts';
import type { VerificationRecord } from '../store/domains/verification-record.ts';
import type { Write } from '../store/table.ts';
import { closingOf, findProof } from './verify-ownership.ts';

const DAY_SECONDS = 86_400;

/** How long a proof lasts; then each check looks for the record. */
export const PROOF_SECONDS = 30 * DAY_SECONDS;

/** How long lookups must have seen that the record is missing before the owner is notified. */
export const MISSING_SECONDS = 30 * DAY_SECONDS;

/** Time is counted at most twice a day, because each count is a write. */
const SHORTEST_COUNT_SECONDS = DAY_SECONDS / 2;

/**
 * The longest time between two lookups that counts, in check intervals and at least in seconds. Time without lookups, or
 * that a clock skipped, proves nothing.
 */
const LONGEST_COUNT_INTERVALS = 2;
const LONGEST_COUNT_SECONDS = 2 * DAY_SECONDS;

/** The longest time between two check runs in which the service counts as running. */
export const longestCountSeconds = (intervalSeconds: number): number =>
  Math.max(LONGEST_COUNT_SECONDS, LONGEST_COUNT_INTERVALS * intervalSeconds);

/** Whether a check looks for the record. A proof in the future is from a clock that was wrong. */
export function isProofDue({ provenAt, missing }: Ownership, now: Date): boolean {
  if (missing !== null) return true;
  const age = secondsBetween(provenAt, now);
  return age < 0 || age >= PROOF_SECONDS;
}

/**
 * What is known after a lookup found that the record is missing; the same object if nothing has to be stored.
 * @param before What was known before; null if the record was not missing.
 */
export function missingAfter(before: MissingProof | null, now: Date, intervalSeconds: number): MissingProof {
  const at = now.toISOString();
  if (before === null) return { since: at, countedAt: at, seconds: 0, isUnproven: false };
  if (before.isUnproven) return before;
  const passed = secondsBetween(before.countedAt, now);
  // The clock was wrong: count from now on.
  if (passed < 0) return { ...before, since: at < before.since ? at : before.since, countedAt: at };
  if (passed < SHORTEST_COUNT_SECONDS) return before;
  const seconds = before.seconds + Math.min(passed, longestCountSeconds(intervalSeconds));
  return { ...before, countedAt: at, seconds, isUnproven: seconds >= MISSING_SECONDS };
}

export interface ProofDependencies {
  readonly ownership: OwnershipStore;
  readonly notifications: Pick<NotificationSettingsStore, 'getSoon'>;
  readonly intervalSeconds: number;
}

/**
 * Looks for the verification record of a verified domain if a proof is due. When it has been missing for
 * `MISSING_SECONDS`, an attention item opens and a notice is sent, once; when it is found, the item closes. A failed
 * lookup changes nothing.
 */
export async function proveOwnership(
  domain: Domain,
  expected: VerificationRecord,
  { ownership, notifications, intervalSeconds }: ProofDependencies,
  { dns, now }: { readonly dns: Dns; readonly now: Date },
): Promise<void> {
  const known = domain.ownership;
  if (!domain.verified || known === undefined || !isProofDue(known, now)) return;
  const { status } = await findProof(expected, dns);
  if (status === 'unavailable') return;
  if (status === 'found') {
    await ownership.prove(domain, now, await closingOf(domain, notifications, now));
    return;
  }
  const before = known.missing;
  const missing = missingAfter(before, now, intervalSeconds);
  if (missing === before) return;
  const owned = { ...domain, ownership: known };
  await ownership.miss(owned, missing, missing.isUnproven ? await unproven(missing.since) : []);

  async function unproven(since: string): Promise<readonly Write[]> {
    const settings = await notifications.getSoon(domain.organization);
    return [
      ...domainOpening(domain, 'ownership-unproven', { since }, { settings, now }),
      ...eventWrites(domain, { type: 'domain.unproven', missingSince: since }, settings, now),
    ];
  }
}

const secondsBetween = (earlier: string, later: Date): number =>
  (later.getTime() - Date.parse(earlier)) / 1000;
