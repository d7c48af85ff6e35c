/** What a judge says about zones. */

import type { JudgedZone, World } from './world.ts';
import type { FaultClass } from './zone-fault.ts';

/** Complaints by domain, as codes or sentences; a domain that the judge cannot judge is missing. */
export type Complaints = ReadonlyMap<string, readonly string[]>;

export interface OtherJudge {
  readonly name: string;
  /** The faults that it looks for. */
  readonly classes: readonly FaultClass[];
  /** Why it is not available; undefined if it is. */
  missing(): Promise<string | undefined>;
  /** @param zones Those of its classes. */
  judge(zones: readonly JudgedZone[], world: World): Promise<Complaints>;
}

/** Calls `of` for each zone, `together` at once. */
export async function eachZone(
  zones: readonly JudgedZone[],
  together: number,
  of: (zone: JudgedZone) => Promise<readonly string[]>,
): Promise<Complaints> {
  const complaints = new Map<string, readonly string[]>();
  const left = [...zones];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      complaints.set(next.domain, [...new Set(await of(next))]);
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return complaints;
}
