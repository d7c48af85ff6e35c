/** Changes that cannot be noticed, because the program does the same with them. `change` as `npm run mutate` prints it. */
export const equivalents: readonly {
  readonly file: string;
  readonly change: string;
  readonly reason: string;
}[] = [];
