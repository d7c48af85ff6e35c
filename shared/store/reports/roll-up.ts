/**
 * What is rolled up of a day: the record summaries of its DMARC reports (`summaries.ts`), and its sums by part, from which
 * lists find their pages. Readers add what waits.
 *
 * The parts of a day follow the order of the reports' keys, by begin and then by id. Most periods begin on a full hour
 * of some time zone. Those reports are split by the first digit of their ids (hashes, so evenly distributed); reports
 * that begin within an hour form one part.
 */
import * as z from 'zod/mini';
import { decodeSummaries } from '../../reports/dmarc/summary/encoding.ts';
import type { ReportSummary } from '../../reports/dmarc/summary/shapes.ts';
import { untilUncontended } from '../contention.ts';
import { type ItemSchema, octets } from '../item-schema.ts';
import { domainPartition, type ReportKind, reportDayKey, reportRollUpKey } from '../keys.ts';
import { between } from '../query.ts';
import type { Table } from '../table.ts';
import { type DayReport, dayItem, isChanged, type StoredDay } from './days.ts';

/** By part: reports, passed, failed. `07c` begins exactly at 07:00, `07~` within that hour. */
const partSums = z.record(z.string(), z.tuple([z.number(), z.number(), z.number()]));

export type PartSums = Readonly<z.infer<typeof partSums>>;

/** `rolledUp` is the number of the roll-up that wrote it. */
const rolledUpParts = z.object({ day: z.string(), rolledUp: z.number(), parts: partSums });

const summaries = z._default(z.pipe(octets, z.transform(decoded)), []);

/** Authenticated reports are apart from others, so that forged ones cannot use up their room. TLS reports have no summaries. */
export const rolledUpItem = z.extend(rolledUpParts, { authenticated: summaries, unauthenticated: summaries });

function decoded(body: Uint8Array, context: z.core.ParsePayload): ReportSummary[] {
  try {
    return decodeSummaries(body);
  } catch {
    context.issues.push({ code: 'custom', message: 'is no list of summaries', input: body });
    return z.NEVER;
  }
}

/** A day of a domain, of reports of a kind. */
type DayKey = readonly [kind: ReportKind, domainId: string, day: string];

/** A day, and what was rolled up of it until then; undefined if nothing was. */
export interface RolledUpDay<RolledUp> {
  readonly state: StoredDay;
  readonly rolledUp: RolledUp | undefined;
}

/** Whether both were read between the same roll-ups. */
export const isSameRollUp = (
  state: Pick<StoredDay, 'rolledUp'>,
  item: { readonly rolledUp: number } | undefined,
): boolean => state.rolledUp === (item?.rolledUp ?? 0);

/** Reads a day as it is, or, unless it is `fresh`, as it was shortly before. Null if it has no reports. */
export function readDay<RolledUp extends { readonly rolledUp: number }>(
  table: Table,
  [kind, domainId, day]: DayKey,
  schema: ItemSchema<RolledUp>,
  isFresh: boolean,
): Promise<RolledUpDay<RolledUp> | null> {
  const ofState = { key: reportDayKey(kind, domainId, day), schema: dayItem };
  const ofRollUp = { key: reportRollUpKey(kind, domainId, day), schema };
  let isConsistent = isFresh;
  return untilUncontended(async () => {
    const found = await table.getMany([ofState, ofRollUp], { isConsistent });
    const [state, rolledUp] = [found.of(ofState), found.of(ofRollUp)];
    if (state === undefined) return null;
    if (isSameRollUp(state, rolledUp)) return { state, rolledUp };
    // What was rolled up has expired, as the day would have before it got more reports: all of them are read.
    if (isConsistent && rolledUp === undefined) return { state: { ...state, changedBefore: -1 }, rolledUp };
    // A roll-up between the two reads.
    isConsistent = true;
    return undefined;
  });
}

const listed = z.object({ sk: z.string(), passed: z.number(), failed: z.number() });

/** The reports between two sort keys, without their content. */
export async function reportsBetween(
  table: Table,
  domainId: string,
  [low, high]: readonly [string, string],
): Promise<DayReport[]> {
  const range = { ...between(domainPartition(domainId), low, high), ConsistentRead: true };
  const items = await table.query({ ...range, ProjectionExpression: 'pk, sk, passed, failed' }, listed);
  return items.map(({ sk, passed, failed }) => {
    const [, begin = '', id = ''] = sk.split('#');
    return { begin, id, counts: [passed, failed] };
  });
}

/** All reports of a day. */
export const reportsOfDay = (table: Table, [kind, domainId, day]: DayKey): Promise<DayReport[]> =>
  reportsBetween(table, domainId, [`${kind}#${day}`, `${kind}#${day}~`]);

/** Whether a time is a full hour. */
export const isFullHour = (time: string): boolean => time.slice(13) === ':00:00.000Z';

/** The part of its day that a report belongs to. */
const partOf = ({ begin, id }: DayReport): string =>
  begin.slice(11, 13) + (isFullHour(begin) ? id.slice(0, 1) : '~');

export function addToParts(parts: PartSums, more: readonly DayReport[]): PartSums {
  const sums = new Map(Object.entries(parts));
  for (const report of more) {
    const part = partOf(report);
    const [reports, passed, failed] = sums.get(part) ?? [0, 0, 0];
    sums.set(part, [reports + 1, passed + report.counts[0], failed + report.counts[1]]);
  }
  return Object.fromEntries(sums);
}

/** The sums of the parts of a day, in the order of its reports. */
export async function partsOfDay(table: Table, day: DayKey): Promise<[string, PartSums[string]][]> {
  const found = await readDay(table, day, rolledUpParts, false);
  if (found === null) return [];
  const { state, rolledUp } = found;
  const parts = isChanged(state)
    ? addToParts({}, await reportsOfDay(table, day))
    : addToParts(rolledUp?.parts ?? {}, state.waiting);
  return Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
}
