/**
 * Whether the TLSA records of a mail host will still match after its certificate is renewed (RFC 7671 section 8). Only what was
 * seen decides: what its earlier renewals kept, what a record says by its form, and what an issuer announced.
 */

import type { TlsaRecord } from './dns.ts';
import { pluralize } from './quantity.ts';
import {
  readChain,
  recordDigest,
  type ServedChain,
  type ServedHistory,
  type ServedIssuer,
  type ShownChain,
  withChain,
} from './served-chain.ts';
import { DAY_MILLISECONDS, dayInWords } from './time.ts';
import { positionsIn } from './tlsa.ts';

/** What a renewal does to what a record describes. */
type Persistence = 'kept' | 'changes' | 'unknown';

export interface RolloverForecast {
  /** `breaks`: no record will match. `unknown`: nothing shows that one will. */
  readonly outcome: 'breaks' | 'unknown';
  /** When the next renewal is expected, from the earliest practice that was seen. */
  readonly due: Date;
  /** The records that match today. */
  readonly matching: readonly TlsaRecord[];
  /** What was seen, in sentences without a final period. */
  readonly evidence: readonly string[];
  /** There are records that match nothing, and that may be for the next certificate: the renewal before did not pass them over. */
  readonly isPrepared: boolean;
  /** What earlier renewals kept, so that a record of it survives the next one. */
  readonly keeps: { readonly key: boolean; readonly issuer: boolean };
}

/** Programs renew when a third of the lifetime is left, or a half of one of a few days. */
const SHARE_LEFT = 1 / 3;
const SHARE_LEFT_OF_DAYS = 1 / 2;
const FEW_DAYS = 10;
/** People renew what is valid for long about a month before its end. */
const LONG_DAYS = 200;
const LONG_DAYS_LEFT = 30;
const MOST_LEFT = 0.6;

/** How long before a renewal its consequences are announced: twice, and more, what a change of DNS needs. */
const HORIZON_DAYS = 21;

/** So many renewals at which the record for the new certificate was there show that it will be. */
const RENEWALS_IN_STEP = 2;
/** Renewals are some days later than expected, and so is what comes before them. */
const SLACK_MILLISECONDS = 3 * DAY_MILLISECONDS;
/** A record that is missing is announced if that leaves a week. */
const SHORTEST_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** Issuers that no longer issue from an intermediate, from when on, and those that change between several. */
const retirements = [
  {
    // https://letsencrypt.org/2025/11/24/gen-y-hierarchy.html: the last profile with the older intermediates ended then.
    organization: "Let's Encrypt",
    name: /^[RE]\d{1,2}$/,
    from: '2026-07-08',
  },
] as const;
const rotating: readonly string[] = ["Let's Encrypt"];

/**
 * @param shown What the host serves now.
 * @param before The history of its address.
 * @returns Undefined if a record will match as far as it is known, or will be published in time as at earlier renewals, if none
 * matches today, and if the renewal is far ahead or the certificate has expired.
 */
export function forecastRollover(
  records: readonly TlsaRecord[],
  shown: ShownChain,
  before: ServedHistory,
  now: Date,
): RolloverForecast | undefined {
  const seen = readChain(shown, now);
  if (seen === undefined) return undefined;
  const served = withChain(before.chains, seen);
  const current = served.find(({ certificate }) => certificate === seen.certificate) ?? seen;
  const renewals = renewalsOf(served);
  const due = dueOf(current, renewals);
  const ahead = due.getTime() - now.getTime();
  // Who pins the key of an expired certificate may never renew it.
  if (ahead > HORIZON_DAYS * DAY_MILLISECONDS || shown.validTo < now) return undefined;
  const placed = records.map((record) => ({ record, position: positionsIn(record, shown.chain)[0] }));
  const matching = placed.flatMap(({ record, position }) =>
    position === undefined ? [] : [{ record, position }],
  );
  if (matching.length === 0) return undefined;
  const judged = matching.map(({ record, position }) => judge(record, position, { current, renewals, due }));
  if (judged.some(({ persistence }) => persistence === 'kept')) return undefined;
  const others = placed.filter(({ position }) => position === undefined);
  const isPrepared = others.some(({ record }) => isForNext(record, before, current));
  const leads = leadsOf(renewals);
  const lead = Math.min(...leads);
  const missed = lead - SLACK_MILLISECONDS;
  const isTime = leads.length > 0 && missed >= SHORTEST_MILLISECONDS && ahead <= missed;
  if (isPrepared ? leads.length > 0 : leads.length >= RENEWALS_IN_STEP && !isTime) return undefined;
  const returns =
    keysReturn(served) ||
    matching.some(({ record, position }) => isOfReturned(record, position, before, current));
  const isCertain = judged.every(({ persistence }) => persistence === 'changes') && !returns;
  // Which of the records that match nothing are spare, and whether their keys return, only the host knows.
  const isMissing = isTime && others.length === 0;
  const breaks = isCertain && !isPrepared && (leads.length === 0 || isMissing);
  const practice = isTime ? [saidLate(lead, isMissing)] : leads.length > 0 ? [IN_STEP_ONCE] : [];
  return {
    outcome: breaks ? 'breaks' : 'unknown',
    due,
    matching: matching.map(({ record }) => record),
    evidence: [...new Set(judged.map(({ why }) => why)), ...practice],
    isPrepared,
    keeps: {
      key: persistenceOf(renewals, keepsKey) === 'kept',
      issuer: issuerOf(current, renewals, now) === 'kept',
    },
  };
}

interface Renewal {
  readonly before: ServedChain;
  readonly after: ServedChain;
}

/**
 * The renewals that a history shows. A host that serves two certificates in turns, such as those of two servers behind one
 * address, shows none.
 */
function renewalsOf(served: readonly ServedChain[]): readonly Renewal[] {
  return served
    .slice(1)
    .map((after, index) => ({ before: served[index] ?? after, after }))
    .filter(({ before, after }) => before.last < after.first);
}

/**
 * Whether a record that matches nothing can be for the next certificate: it came with the current one, or after it, or it never
 * matched and is as new as the record that was published for the current one. The renewal passed over all others.
 */
function isForNext(record: TlsaRecord, { records = [] }: ServedHistory, current: ServedChain): boolean {
  const name = recordDigest(record);
  const known = records.find((one) => one.record === name);
  if (known === undefined || known.since >= current.first) return true;
  const { recordedSince } = current;
  return !known.hasMatched && typeof recordedSince === 'string' && known.since >= recordedSince;
}

/**
 * How long before each renewal the record was there that was published for its certificate, in milliseconds. Empty if no record
 * matched after one of the renewals.
 */
function leadsOf(renewals: readonly Renewal[]): readonly number[] {
  if (renewals.some(({ after }) => after.recordedSince === null)) return [];
  return renewals.flatMap(({ after: { first, recordedSince } }) =>
    typeof recordedSince === 'string' ? [Date.parse(first) - Date.parse(recordedSince)] : [],
  );
}

/** Whether a key was served again after another one, so that the record of an earlier key can match again. */
const keysReturn = (served: readonly ServedChain[]): boolean =>
  served.some(
    ({ key }, at) =>
      served[at - 1]?.key !== key && served.slice(0, at).some((earlier) => earlier.key === key),
  );

/** Whether a record is for a key that was served before, and for longer than the history of the certificates shows. */
function isOfReturned(
  record: TlsaRecord,
  position: number,
  { records = [] }: ServedHistory,
  { first, recordedSince }: ServedChain,
): boolean {
  if (recordedSince !== undefined || record.selector === WHOLE_CERTIFICATE || position !== 0) return false;
  const name = recordDigest(record);
  return records.some((one) => one.record === name && one.since < first);
}

const IN_STEP_ONCE =
  'a record for the new certificate was there in time at one renewal that was seen, which shows no practice';

const saidLate = (lead: number, isMissing: boolean): string =>
  `at earlier renewals, a record for the next certificate was there ${pluralize(Math.floor(lead / DAY_MILLISECONDS), 'day')} ahead, and now ${isMissing ? 'there is none' : 'no record was added since the last renewal'}`;

function dueOf({ from, to }: ServedChain, renewals: readonly Renewal[]): Date {
  const end = Date.parse(to);
  const lifetime = end - Date.parse(from);
  const seen = renewals.slice(-2).flatMap(({ before, after }) => {
    const left = Date.parse(before.to) - Date.parse(after.from);
    const whole = Date.parse(before.to) - Date.parse(before.from);
    // After a longer time, certificates between them were missed; one that was replaced early was not renewed by a practice.
    return left > 0 && whole > 0 && left / whole <= MOST_LEFT ? [left / whole] : [];
  });
  const share = seen.length === 0 ? usualShare(lifetime) : Math.max(...seen);
  return new Date(end - share * lifetime);
}

function usualShare(lifetime: number): number {
  const days = lifetime / DAY_MILLISECONDS;
  if (days > LONG_DAYS) return LONG_DAYS_LEFT / days;
  return days < FEW_DAYS ? SHARE_LEFT_OF_DAYS : SHARE_LEFT;
}

/** What the last renewals did: alike, or as the latest one if that kept it. */
function persistenceOf(renewals: readonly Renewal[], isKept: (renewal: Renewal) => boolean): Persistence {
  const latest = renewals.at(-1);
  if (latest === undefined) return 'unknown';
  if (isKept(latest)) return 'kept';
  return renewals.some(isKept) ? 'unknown' : 'changes';
}

const keepsKey = ({ before, after }: Renewal): boolean => before.key === after.key;

interface Known {
  readonly current: ServedChain;
  readonly renewals: readonly Renewal[];
  readonly due: Date;
}

interface Judged {
  readonly persistence: Persistence;
  readonly why: string;
}

const WHOLE_CERTIFICATE = 0;

/** @param position Of the first certificate in the chain that the record describes. */
function judge(record: TlsaRecord, position: number, known: Known): Judged {
  const { current, renewals, due } = known;
  if (position === 0) {
    if (record.selector === WHOLE_CERTIFICATE)
      return {
        persistence: 'changes',
        why: 'the record is for the whole certificate, which every renewal replaces',
      };
    const persistence = persistenceOf(renewals, keepsKey);
    return { persistence, why: said(persistence, renewals, 'key') };
  }
  const issuer = current.issuers[position - 1];
  if (issuer === undefined)
    return { persistence: 'unknown', why: 'the record is for an authority that the host does not send' };
  const retired = retirementOf(issuer, due);
  if (retired !== undefined)
    return {
      persistence: 'changes',
      why: `the record is for ${issuer.name}, which ${issuer.organization} does not use for new certificates since ${dayInWords(retired)}`,
    };
  const isWhole = record.selector === WHOLE_CERTIFICATE;
  const lifetime = Date.parse(current.to) - Date.parse(current.from);
  if (isWhole && Date.parse(issuer.to) < due.getTime() + lifetime)
    return {
      persistence: 'changes',
      why: `the record is for a certificate of ${issuer.name ?? 'an issuer without a name'} that ends on ${dayInWords(issuer.to)}, before the next certificate would`,
    };
  const at = ({ issuers }: ServedChain) => issuers[position - 1]?.[isWhole ? 'certificate' : 'key'];
  const isKept = ({ before, after }: Renewal) => at(before) !== undefined && at(before) === at(after);
  const persistence = persistenceOf(renewals, isKept);
  if (persistence === 'kept' && isRotating(issuer))
    return {
      persistence: 'unknown',
      why: `${issuer.organization} chooses one of several intermediates for each certificate`,
    };
  return { persistence, why: said(persistence, renewals, 'issuing certificate') };
}

/** Whether the key that issued the certificate issues the next one, too. */
function issuerOf(current: ServedChain, renewals: readonly Renewal[], now: Date): Persistence {
  const [issuer] = current.issuers;
  if (issuer === undefined || isRotating(issuer) || retirementOf(issuer, now) !== undefined) return 'unknown';
  return persistenceOf(renewals, ({ before, after }) => before.issuers[0]?.key === after.issuers[0]?.key);
}

const isRotating = ({ organization }: ServedIssuer): boolean =>
  organization !== null && rotating.includes(organization);

function retirementOf({ organization, name }: ServedIssuer, at: Date): string | undefined {
  return retirements.find(
    (row) => row.organization === organization && row.name.test(name ?? '') && new Date(row.from) <= at,
  )?.from;
}

function said(persistence: Persistence, renewals: readonly Renewal[], what: string): string {
  const count = renewals.length;
  const [first] = renewals;
  if (first === undefined)
    return `no renewal of this host has been seen yet, so it is unknown whether it keeps the ${what}`;
  const since = dayInWords(first.before.first);
  const seen =
    count === 1
      ? `the renewal that was seen since ${since}`
      : `the ${count} renewals that were seen since ${since}`;
  if (persistence === 'changes') return `${seen} changed the ${what}`;
  return `${seen} changed the ${what} at times`;
}
