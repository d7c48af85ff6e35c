/** The answers of a reader to many systematic inputs, in a form to record: each answer once, with its inputs below it. */

/** An input, and how a recording names it. */
export type Named<Input> = readonly [name: string, input: Input];

/** The words of a text. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** The texts between bars and on lines of a text. */
export const listed = (text: string): string[] => text.replace(/^\n {4,}/, '').split(/ \| |\n {4,}/);

/** Texts under their own names. */
export const asWritten = (texts: Iterable<string>): readonly Named<string>[] =>
  [...new Set(texts)].map((text) => [cut(printed(text)), text]);

/** Both ends of a long name. */
const cut = (name: string): string => {
  const short = shortened(name);
  return short.length > 160
    ? `${short.slice(0, 80)}...${short.slice(-50)}, ${name.length} characters`
    : short;
};

/** Groups inputs by the answer that each gets. */
export function byAnswer<Input>(inputs: Iterable<Named<Input>>, answer: (input: Input) => string): string {
  return grouped(Array.from(inputs, ([name, input]) => [answer(input), name] as const));
}

/** The same for answers that take a while, which are asked for one after the other. */
export async function byLateAnswer<Input>(
  inputs: Iterable<Named<Input>>,
  answer: (input: Input) => Promise<string>,
): Promise<string> {
  const answers: [answer: string, name: string][] = [];
  for (const [name, input] of inputs) answers.push([await answer(input), name]);
  return grouped(answers);
}

/**
 * Puts each of `characters` into a text at every place, then in place of every character, and last cuts the text there. Says
 * which places give which answer.
 */
export function byPlace(
  text: string,
  characters: readonly string[],
  answer: (input: string) => string,
): string {
  const edits = characters.flatMap((one): Edit<string>[] => [
    [`${printed(one)} before`, (at) => text.slice(0, at) + one + text.slice(at)],
    [`${printed(one)} for`, (at) => text.slice(0, at) + one + text.slice(at + 1)],
  ]);
  edits.push(['ends before', (at) => text.slice(0, at)], ['begins at', (at) => text.slice(at)]);
  return `${printed(text)}\n${placed(edits, text.length + 1, answer)}`;
}

/** Changes each octet in several ways, cuts the octets everywhere, and says which places give which answer. */
export function byOctet(octets: Uint8Array, answer: (input: Uint8Array) => string): string {
  const changed = (change: (octet: number) => number) => (at: number) =>
    octets.map((octet, place) => (place === at ? change(octet) : octet));
  const edits: Edit<Uint8Array>[] = [
    ['ends before', (at) => octets.subarray(0, at)],
    ['one more', changed((octet) => octet + 1)],
    ['one less', changed((octet) => octet - 1)],
    ['other 0x80', changed((octet) => octet ^ 0x80)],
    ['zero', changed(() => 0)],
    ['255', changed(() => 255)],
  ];
  return placed(edits, octets.length, answer);
}

/** Writes the fields of a text such as `v=X; a=1; b=2` otherwise, one at a time. The names leave out the other fields. */
export function* fieldEdits(text: string, { between = ';', inside = '=' } = {}): Generator<Named<string>> {
  const fields = text.split(between).map((field) => field.trim());
  const gap = between === '\n' ? between : `${between} `;
  const joined = (of: readonly string[]) => of.join(gap);
  yield [printed(text), joined(fields)];
  yield ['separator at the end', `${joined(fields)}${between}`];
  yield ['separator at the start', `${between}${joined(fields)}`];
  yield ['blanks at the end', `${joined(fields)} \t`];
  yield ['blank at the start', ` ${joined(fields)}`];
  for (const [at, field] of fields.entries()) {
    const others = fields.toSpliced(at, 1);
    const [name = '', ...rest] = field.split(inside);
    const value = rest.join(inside);
    yield [`without ${printed(field)}`, joined(others)];
    yield [`first ${printed(field)}`, joined([field, ...others])];
    yield [`last ${printed(field)}`, joined([...others, field])];
    for (const other of new Set([
      joined([field, '', '']),
      joined([field, field]),
      joined([field, `${name.toUpperCase()}${inside}x`]),
      `\t${field}\t`,
      `${name} ${inside} ${value}`,
      `${name}${inside}`,
      `${inside}${value}`,
      name,
      `${name.toUpperCase()}${inside}${value}`,
      `${name}${inside}${value.toUpperCase()}`,
      `${name}x${inside}${value}`,
      `${name}${inside}${value}x`,
      `${name}${inside}x${value}`,
      `${name}${inside}${value}é`,
      `é${name}${inside}${value}`,
    ]))
      yield [printed(other), joined(fields.toSpliced(at, 1, other))];
  }
}

/** What a record says and what is wrong with it, in parts between bars. Leaves out what is `usual`. */
export function inShort(
  values: object | null | undefined,
  findings: readonly { readonly id: string; readonly arguments: object }[] = [],
  usual: object = {},
): string {
  const said = pairs(values ?? { record: values }, usual);
  const found = findings.map((one) => [one.id, ...pairs(one.arguments)].join(' '));
  return [...said, ...found].join(BAR) || '-';
}

interface RecordsOfName {
  readonly text: string | null;
  readonly record: unknown;
  readonly valid: boolean;
  readonly findings: Parameters<typeof inShort>[1];
  readonly records?: readonly unknown[] | undefined;
}

/** What is read of the records of a name: which one counts, whether it is valid, and how many there are. */
export const ofName =
  (read: (texts: readonly string[]) => RecordsOfName) =>
  (texts: readonly string[]): string => {
    const { text, record, valid, findings, records = [] } = read(texts);
    return inShort({ text, valid, records: records.length, read: record !== null }, findings);
  };

/** Lists of texts under their own names. */
export const asLists = (lists: readonly (readonly string[])[]): readonly Named<readonly string[]>[] =>
  lists.map((list) => [list.join(' and '), list]);

/** The parts of an answer that `usual`, another one, does not have, and with a minus those that only `usual` has. */
export function unlike(usual: string): (answer: string) => string {
  const before = usual.split(BAR).filter((part) => part !== '-');
  return (answer) => {
    const parts = answer.split(BAR);
    const more = parts.filter((part) => !before.includes(part));
    const names = new Set(parts.map(nameOf));
    const less = before.map(nameOf).filter((name) => !names.has(name));
    const changes = [...more, ...less.map((name) => `-${name}`)];
    if (answer === usual) return 'the same';
    // The same parts, but more of them or in another order.
    return changes.filter((part) => part !== '-').join(BAR) || answer;
  };
}

const BAR = ' | ';
const nameOf = (part: string): string => part.split(/[= ]/, 1)[0] ?? '';

function pairs(values: object, usual: object = {}): readonly string[] {
  const left = new Map(Object.entries(usual).map(([name, value]) => [name, written(value)]));
  return Object.entries(values)
    .map(([name, value]): [string, string] => [name, written(value)])
    .filter(([name, value]) => left.get(name) !== value)
    .map(([name, value]) => `${name}=${value}`);
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([name, one]) => `${name}=${written(one)}`).join(' ')}}`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'object' && value !== null) return `{${pairs(value).join(' ')}}`;
  return printed(String(value));
}

/** On one line, with everything visible. */
export function printed(text: string): string {
  if (text === '') return '(empty)';
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** With runs of the same few characters in short. */
const shortened = (text: string): string =>
  text.replaceAll(/(.{1,5}?)\1{9,}/g, (run: string, unit: string) => `${unit}{${run.length / unit.length}}`);

type Edit<Input> = readonly [name: string, at: (place: number) => Input];

function placed<Input>(
  edits: readonly Edit<Input>[],
  places: number,
  answer: (input: Input) => string,
): string {
  const answers: [answer: string, name: string][] = [];
  for (const [name, edited] of edits) {
    const found = new Map<string, number[]>();
    for (let at = 0; at < places; at++) {
      const given = answer(edited(at));
      found.set(given, [...(found.get(given) ?? []), at]);
    }
    for (const [given, at] of found) answers.push([given, `${name} ${ranges(at)}`]);
  }
  return grouped(answers);
}

function grouped(answers: readonly (readonly [answer: string, name: string])[]): string {
  const groups = new Map<string, string[]>();
  for (const [answer, name] of answers) {
    const given = shortened(answer);
    groups.set(given, [...(groups.get(given) ?? []), shortened(name)]);
  }
  return [...groups]
    .map(([answer, names]) => [answer, ...names.map((name) => `    ${name}`)].join('\n'))
    .join('\n');
}

/** Ascending numbers, with `-` between the ends of a run. */
function ranges(numbers: readonly number[]): string {
  const runs: [from: number, to: number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ');
}
