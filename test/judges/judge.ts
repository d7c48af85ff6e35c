/** What judges the product from outside: other programs, other test suites, other services, and chance. */
import type { BenchRow } from '../bench/row.ts';

export interface Judge {
  /** As `npm run judge` takes it. */
  readonly name: string;
  readonly what: string;
  /** Measures and compares. A row that is not met fails the judge; one without what it needs is skipped. */
  run(): Promise<readonly BenchRow[]>;
}
