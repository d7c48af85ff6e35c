import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { unknownFields } from '../../../shared/api/unknown-fields.ts';

const schema = z.object({
  name: z.string(),
  mail: z.optional(z.nullable(z.object({ address: z.string() }))),
  tags: z._default(z.array(z.object({ label: z.string() })), []),
  open: z.optional(z.looseObject({ name: z.string() })),
});

test('that are cut short are completed', () => {
  const period = z.object({ dmarc: z.string(), startDate: z.string(), endDate: z.string() });
  const messages = unknownFields(period, { Start: 1, end: 1, st: 1 }).map(({ message }) => message);
  expect(messages).toEqual([
    'is not known; did you mean startDate?',
    'is not known; did you mean endDate?',
    'is not known; known are dmarc, startDate, endDate',
  ]);
});

test('are named by their path, with the most similar name', () => {
  const given = {
    name: 1,
    Mail: 1,
    mail: { adress: '' },
    tags: [{}, { lable: '' }],
    open: { more: 1 },
    further: 1,
  };
  expect(unknownFields(schema, given)).toEqual([
    { path: 'Mail', message: 'is not known; did you mean mail?' },
    { path: 'mail.adress', message: 'is not known; did you mean address?' },
    { path: 'tags.1.lable', message: 'is not known; did you mean label?' },
    { path: 'further', message: 'is not known; known are name, mail, tags, open' },
  ]);
});

test.each([[null], ['text'], [[]], [{ mail: null, tags: 'x' }]])('%j has none', (given) => {
  expect(unknownFields(schema, given)).toEqual([]);
});

test('of many, only the first are named', () => {
  const given = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field${at}`, at]));
  expect(unknownFields(schema, given).map(({ path }) => path)).toEqual(
    Array.from({ length: 20 }, (_, at) => `field${at}`),
  );
});
