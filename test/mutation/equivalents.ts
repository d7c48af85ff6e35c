/**
 * Changes that cannot be noticed, because the program does the same with them. `line` is the text of the line where the change
 * begins, and `change` what `npm run mutate` prints.
 */
export const equivalents: readonly {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}[] = [
  {
    file: 'shared/store/reports/commit.ts',
    line: 'await backOff(attempt);',
    change: 'await backOff(attempt); -> ;',
    reason: 'Without the delay, attempts follow each other faster; what is stored is the same.',
  },
];
