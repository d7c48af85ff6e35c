/** One result of `npm run bench`: a ratio to a named peer or limit, measured in one run. */
export interface BenchRow {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  /** Null if a requirement of the measurement is missing. */
  readonly met: boolean | null;
}
