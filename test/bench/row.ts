/** One result of `npm run bench` or `npm run judge`: a ratio to a named peer or limit, measured in one run. */
export interface BenchRow {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  /** Null if a requirement of the measurement is missing. */
  readonly met: boolean | null;
}

export function printRows(rows: readonly BenchRow[]): void {
  for (const { name, value, goal, met } of rows) {
    console.log(`${met === null ? 'skip' : met ? 'met ' : 'MISS'}  ${name}\n      ${value} (goal: ${goal})`);
  }
}
