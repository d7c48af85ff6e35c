/** The fields of a domain that its owner sets, a row each. What is stored is described in `shared/store/domains/domain.ts`. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { isSelector } from '../protocol/dkim/selector-syntax.ts';
import { oneLine, withoutComma } from '../protocol/one-line.ts';
import { described, withKeywords } from '../protocol/schema.ts';
import type { Domain, OwnedField } from '../store/domains/domain.ts';

interface Field {
  /** In requests. A change keeps a field that it leaves out, and `null` removes an optional one. */
  readonly given: z.ZodMiniType;
  /** In responses. */
  readonly shown: z.ZodMiniType;
  /** What forms call it, and how what is typed is written in a request. */
  readonly form?: { readonly name: string; read(typed: string): unknown };
  /** Its column in the list of domains. */
  csv?(domain: Domain): string;
}

/** RFC 5321 section 4.1.2 Dot-string, at most 64 octets (section 4.5.3.1.1). */
export const localPart = described(
  z
    .string('must be a string')
    .check(
      z.regex(
        /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/,
        "must be the part of an address before the @: at most 64 letters, digits, and !#$%&'*+-/=?^_`{|}~ characters, optionally separated by single dots",
      ),
    ),
  'Local part of the mailbox that the delivery check uses as a recipient. Required if the domain receives mail. For other usage types it is ignored and stored as `null`',
  'postmaster',
);

/** A domain rarely needs more than a few selectors per sending service; each costs a lookup in every check run. */
const MAX_SELECTORS = 20;

/** Most selectors; longer ones and those with `_` at another place are accepted, too. */
const SELECTOR = '^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$';

const dkimSelector = withKeywords(
  z.string('must be a string').check(
    z.toLowerCase(),
    z.refine(
      (text) => isSelector(text) && !text.includes('_domainkey'),
      'must be a DKIM selector: the letters, digits, hyphens, underscores and dots before ._domainkey',
    ),
  ),
  { pattern: SELECTOR },
);

const MAX_TAGS = 20;
const MAX_TAG = 50;

/** As it is searched for or removed: stored ones can have commas. */
export const tag = oneLine(MAX_TAG);

export const newTag = withoutComma(tag);

/** Tags in a request, without duplicates. */
const givenTags = described(
  z.pipe(
    z
      .array(newTag, 'must be an array of strings')
      .check(z.maxLength(MAX_TAGS, `must not have more than ${MAX_TAGS} tags`)),
    z.transform((tags) => [...new Set(tags)]),
  ),
  'Labels of your own, to filter by',
  ['production', 'customer:42'],
);

const ownedFields = {
  usageType: {
    given: usageType,
    shown: usageType,
    form: { name: 'The usage', read: (typed) => typed },
    csv: (domain) => domain.usageType,
  },
  testEmailLocalPart: {
    given: z.nullable(localPart),
    shown: described(
      z.nullable(z.string()),
      'Local part of the mailbox that the delivery check uses as a recipient; `null` if the domain receives no mail',
      'postmaster',
    ),
    form: { name: 'The mailbox', read: (typed) => (typed === '' ? null : typed) },
  },
  dkimSelectors: {
    given: described(
      z
        .array(dkimSelector, 'must be an array')
        .check(z.maxLength(MAX_SELECTORS, `must have at most ${MAX_SELECTORS} selectors`)),
      'The DKIM selectors of your mail, which every check run looks up. Replaces the previous list',
      ['s1', 's2'],
    ),
    shown: described(
      z.array(z.string()),
      'The DKIM selectors that you named, which every check run looks up beside common ones and those seen in reports and mail tests',
      ['s1'],
    ),
    form: { name: 'Each DKIM selector', read: (typed) => separated(typed, /[\s,]+/) },
  },
  tags: {
    given: givenTags,
    shown: described(z.array(z.string()), 'Labels of your own', ['production']),
    form: { name: 'Each tag', read: (typed) => separated(typed, ',') },
    csv: ({ tags }) => tags.join(', '),
  },
} as const satisfies Record<OwnedField, Field>;

type Fields = typeof ownedFields;

const all: Readonly<Record<string, Field>> = ownedFields;

/** One property of each row that has it, by the name of the field. */
export function eachField<T>(of: (field: Field, name: string) => T | undefined): Record<string, T> {
  const found = Object.entries(all).map(([name, field]) => [name, of(field, name)] as const);
  return Object.fromEntries(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function given(): { readonly [N in OwnedField]: z.ZodMiniOptional<Fields[N]['given']> };
function given() {
  return eachField((field) => z.optional(field.given));
}

function shown(): { readonly [N in OwnedField]: Fields[N]['shown'] };
function shown() {
  return eachField((field) => field.shown);
}

/** The properties of a request that changes a domain. */
export const changedFields = given();

/** The properties of a response with a domain. */
export const shownFields = shown();

/** The parts of a text that are not empty. */
export function separated(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
