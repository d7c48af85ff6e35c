import { median } from '../../bench/measuring.ts';

/** Two sides in turns, so that other load on the machine affects both. */
export interface Compared {
  /** Medians over the rounds. */
  readonly ours: number;
  readonly theirs: number;
}

/** @param ours,theirs Take one measurement each. The first round only warms up. */
export async function inTurns(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Compared> {
  const measured: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const both = { ours: await ours(), theirs: await theirs() };
    if (round >= 0) measured.push(both);
  }
  return { ours: median(measured.map((it) => it.ours)), theirs: median(measured.map((it) => it.theirs)) };
}
