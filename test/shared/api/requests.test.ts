/** What each field of each request accepts and refuses, as it was recorded: its kinds of values, and its limits. */
import { expect, test } from '@jest/globals';
import type * as z from 'zod/mini';
import { routes } from '../../../functions/routes.ts';
import { problemsOf } from '../../../shared/operations/outcome.ts';
import type { Route } from '../../../shared/runtime/http/route.ts';
import { printed } from '../../kit/answers.ts';
import { usePlainMessages } from '../../kit/plain-messages.ts';
import { readable } from '../../kit/recorded.ts';

usePlainMessages();

/** Longer values are refused before fields are looked at. */
const LONGEST = 3_000_000;
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

const values: readonly unknown[] = [
  ...[undefined, null, true, {}, [], [1], 1, 1.5, '', ' ', ' a ', 'a', 'A', 'ä', 'a\nb', 'a,b', 'on', 'off'],
  ...[
    '1',
    '01',
    '1.5',
    '-1',
    '1e3',
    'true',
    'false',
    'none',
    'example.org',
    'Bücher.example',
    '-bad-.example',
  ],
  ...[
    'a@b.example',
    'a@b',
    'https://b.example/x',
    'http://b.example/x',
    'ftp://b.example',
    'https://u:p@b.example',
  ],
  ...[
    '192.0.2.0/24',
    '192.0.2.1/24',
    '192.0.2.1',
    '2001:db8::/32',
    'Europe/Berlin',
    'Europe/Nowhere',
    '18:30',
  ],
  ...[
    '2026-02-28',
    '2026-02-30',
    '2026-03-01T00:00:00Z',
    '2026-03-01T00:00:00+01:00',
    '2026-03-01T00:00:00.000Z',
  ],
  ...[UUID, UUID.toUpperCase(), `${UUID}.check-failing`, `${UUID}.unknown`, 'domain-AAAAAAAAAAAAAAAAAAAAAA'],
  ...[
    'v=DMARC1; p=none',
    'v=spf1 -all',
    'a a',
    'a,a',
    [`${UUID}`],
    ['a', 'a'],
    ['a', 'A'],
    [''],
    ['a '],
    'x\u202e',
  ],
];

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly in?: z.ZodMiniType;
  readonly out?: z.ZodMiniType;
  readonly innerType?: z.ZodMiniType;
}

const definitionOf = (schema: z.ZodMiniType) => schema._zod.def as unknown as Definition;

/** The fields of an object, below what wraps it. */
function fieldsOf(schema: z.ZodMiniType): Readonly<Record<string, z.ZodMiniType>> | undefined {
  const { shape, in: before, out, innerType } = definitionOf(schema);
  if (shape !== undefined) return shape;
  for (const inner of [out, before, innerType]) {
    const fields = inner && fieldsOf(inner);
    if (fields !== undefined) return fields;
  }
  return undefined;
}

function answerOf(schema: z.ZodMiniType, value: unknown): string {
  const { success, data, error } = schema.safeParse(value);
  if (!success)
    return problemsOf(error)
      .map(({ path, message }) => [...path.split('.').filter((name) => name !== ''), message].join(' '))
      .join('; ');
  return data === value ? 'as it is' : readable(data);
}

/** The largest size that is accepted, if some are and larger ones are not. */
function limitOf(schema: z.ZodMiniType, of: (size: number) => unknown, most: number): number | undefined {
  const isAccepted = (size: number) => schema.safeParse(of(size)).success;
  let low = [1, 2, 5, 20, 64].find(isAccepted);
  if (low === undefined || isAccepted(most)) return undefined;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isAccepted(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const sizes: readonly (readonly [name: string, of: (size: number) => unknown, most: number])[] = [
  ['characters', (size) => 'x'.repeat(size), LONGEST],
  ['labels', (size) => `${'x.'.repeat(size)}example`, 10_000],
  ['the number', (size) => size, 100_000_000],
  ['the text of the number', (size) => `${size}`, 100_000_000],
  ['texts', (size) => Array.from({ length: size }, (_, at) => `x${at}`), 5000],
  ['IDs', (size) => Array.from({ length: size }, () => UUID), 5000],
  ['IDs in a text', (size) => Array(size).fill(UUID).join(), 5000],
];

/** What the values give; `else` is what most of them do. */
function described(schema: z.ZodMiniType, given: readonly unknown[]): string {
  const limits = sizes.flatMap(([name, of, most]) => {
    const limit = typeof of(1) === 'string' || given === values ? limitOf(schema, of, most) : undefined;
    return limit === undefined ? [] : [`at most ${limit} ${name}`];
  });
  const groups = new Map<string, string[]>();
  for (const value of given) {
    const answer = answerOf(schema, value);
    groups.set(answer, [...(groups.get(answer) ?? []), printed(JSON.stringify(value) ?? 'nothing')]);
  }
  const [[usual] = [], ...others] = [...groups].toSorted(([, a], [, b]) => b.length - a.length);
  return [
    ...limits,
    ...others.map(([answer, names]) => `${answer}: ${names.join(' ')}`),
    `else ${usual}`,
  ].join('\n  ');
}

/** Each field once, however many requests have it. */
const seen = new Set<z.ZodMiniType>();

function fieldTexts(schema: z.ZodMiniType, given: readonly unknown[], path = ''): readonly string[] {
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) => {
    if (seen.has(field)) return [];
    seen.add(field);
    const own = `${path}${name}\n  ${described(field, given)}`;
    return [own, ...fieldTexts(field, given, `${path}${name}.`)];
  });
}

const requests = Object.values<Route>(routes).flatMap(({ name, request }) =>
  (['path', 'query', 'body', 'form'] as const).flatMap((part) => {
    const schema = request[part];
    return schema === undefined ? [] : [[name, part, schema] as const];
  }),
);

const texts = values.filter((value) => value === undefined || typeof value === 'string');

test.each(requests)('%s: the fields of the %s', (_name, part, schema) => {
  const fields = fieldTexts(schema, part === 'body' ? values : texts);
  expect([`nothing: ${answerOf(schema, {})}`, ...fields].join('\n')).toMatchSnapshot();
});
