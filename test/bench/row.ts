/** One line of `npm run bench`: a ratio against a named peer or limit, measured in one run. */
export interface BenchRow {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  /** Null where what it takes is not there. */
  readonly met: boolean | null;
}
