/** Jest's `test` for cases that an endpoint may be known to fail. */
import { format, stripVTControlCharacters } from 'node:util';
import { test as jestTest } from '@jest/globals';

/** Why an endpoint fails a case: by title, how the failure reads, and the reason to accept it. */
export type Deviations = Readonly<Record<string, readonly [failure: RegExp, reason: string]>>;

type Run<Row extends readonly unknown[]> = (...row: Row) => Promise<void>;

export interface ContractTest {
  (title: string, run: Run<[]>): void;
  each<Row extends readonly unknown[]>(rows: readonly Row[]): (title: string, run: Run<Row>) => void;
}

/** `test` registers cases, and `titles` has those registered. A deviation that does not occur fails its case. */
export function contractTest(deviations: Deviations): { test: ContractTest; titles: ReadonlySet<string> } {
  const titles = new Set<string>();
  const test = (title: string, run: Run<[]>): void => {
    titles.add(title);
    const [failure, reason] = deviations[title] ?? [];
    if (failure === undefined) jestTest(title, run);
    else jestTest(`${title} (accepted deviation: ${reason})`, () => expectFailure(run, failure));
  };
  const each =
    <Row extends readonly unknown[]>(rows: readonly Row[]) =>
    (title: string, run: Run<Row>): void => {
      for (const row of rows) test(titleOf(title, row), () => run(...row));
    };
  return { test: Object.assign(test, { each }), titles };
}

async function expectFailure(run: Run<[]>, failure: RegExp): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (failure.test(stripVTControlCharacters(String(error)))) return;
    throw error;
  }
  throw new Error('this deviation no longer occurs: remove it from the list');
}

/** Fills the placeholders of a title, as `test.each` does. */
const titleOf = (title: string, row: readonly unknown[]): string =>
  format(title, ...row.slice(0, title.match(/%[sdj]/g)?.length ?? 0));
