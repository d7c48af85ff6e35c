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

/** A value as lines `path: value`, without what has no value. */
export function flat(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? [] : [`${path}: ${JSON.stringify(value)}`];
  const inner = Object.entries(value);
  if (inner.length === 0) return [`${path}: ${JSON.stringify(value)}`];
  return inner.flatMap(([name, one]) => flat(one, path === '' ? name : `${path}.${name}`));
}

/** The lines of each list that the one before it does not have, and the paths that it lacks; the first list as a whole. */
export function differences(lists: readonly (readonly string[])[]): string[] {
  const pathOf = (line: string) => line.split(': ', 1)[0];
  return lists.flatMap((list, n) => {
    const before = lists[n - 1] ?? [];
    const paths = new Set(list.map(pathOf));
    const gone = before.map(pathOf).filter((path) => !paths.has(path));
    return [
      `-- ${n + 1}`,
      ...list.filter((line) => !before.includes(line)),
      ...(gone.length > 0 ? [`without ${gone.join(', ')}`] : []),
    ];
  });
}
