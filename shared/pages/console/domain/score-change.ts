/** What a check run did to the score of a domain, in one sentence. */

/** @param before Null before the first check run, or if nothing was known. */
export function scoreChangeInWords(before: number | null, after: number | null): string {
  if (after === null) return 'Checked. There is no score.';
  if (before === null) return `Checked. The score is ${after}.`;
  const change = after - before;
  if (change === 0) return `Checked. The score is still ${after}.`;
  return `Checked. Score ${before} -> ${after} (${change > 0 ? '+' : '-'}${Math.abs(change)}).`;
}
