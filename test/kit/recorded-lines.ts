/** Outputs as lines of text, for recordings that a person can read. */

/** One line each, with a line break at both ends, so that a recording shows all of them below each other. */
export const listed = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

/** Inputs that follow each other and have the same output share a line: `3-7: output`. */
export function ranges(inputs: readonly number[], output: (input: number) => string): string[] {
  const groups: { first: number; last: number; output: string }[] = [];
  for (const input of inputs) {
    const result = output(input);
    const last = groups.at(-1);
    if (last?.output === result) last.last = input;
    else groups.push({ first: input, last: input, output: result });
  }
  return groups.map(
    ({ first, last, output: result }) => `${first}${last === first ? '' : `-${last}`}: ${result}`,
  );
}
