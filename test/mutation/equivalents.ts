/**
 * Changes that cannot be noticed, because the program does the same with them. `line` is the text of the line where the change
 * begins, and `change` what `npm run mutate` prints.
 */
export const equivalents: readonly {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}[] = [];
