/** Whether every mail of the corpus ends in an outcome and a verdict, wherever it is cut short, and how long that takes. */
import { everyOctets, readCutMails } from '../kit/cut-mails.ts';
import type { BenchRow } from './row.ts';

const LIMIT_MILLISECONDS = 10_000;

/** Reads 400,000 mails in two programs; takes half an hour. */
export async function benchCutMails(): Promise<readonly BenchRow[]> {
  const { mails, lost, slowest } = await readCutMails(everyOctets(1));
  return [
    {
      name: 'Mails of the corpus cut short at every octet, in the report reader and in the mail tester',
      value: `${mails.toLocaleString('en')} mails, ${lost.length} without an outcome, ${Math.round(slowest)} ms at most`,
      goal: 'none without an outcome, at most 10,000 ms',
      met: mails === 0 ? null : lost.length === 0 && slowest < LIMIT_MILLISECONDS,
    },
  ];
}
