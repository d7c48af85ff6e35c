import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { routes } from '../../functions/routes.ts';
import type { Route } from '../../shared/runtime/http/route.ts';

const all: readonly Route[] = Object.values(routes);
/** A library validates the messages of the Model Context Protocol. */
const bodies = all.flatMap(({ name, request: { body } }) =>
  body === undefined || body instanceof z.ZodMiniUnknown ? [] : [{ name, body }],
);
const values = [undefined, null, true, 5, 'x', '', [], [5], [null], ['x'], {}, { x: 5 }];

/** The same value for each field of a body, and for each field of the objects and lists in it. */
function filled(schema: z.ZodMiniType, value: unknown): readonly unknown[] {
  const { def } = schema._zod as unknown as { def: { innerType?: z.ZodMiniType; element?: z.ZodMiniType } };
  if (def.innerType !== undefined) return filled(def.innerType, value);
  if (def.element !== undefined) return [value, ...filled(def.element, value).map((one) => [one])];
  if (!(schema instanceof z.ZodMiniObject)) return [value];
  const fields = Object.entries(schema.shape as Record<string, z.ZodMiniType>);
  return [value, ...fields.flatMap(([name, field]) => filled(field, value).map((one) => ({ [name]: one })))];
}

test.each(bodies)(
  'a body of $name with a value of any type is accepted, or refused with a reason',
  ({ body }) => {
    const messages = values
      .flatMap((value) => filled(body, value))
      .flatMap((wrong) => body.safeParse(wrong).error?.issues ?? [])
      .map(({ path, message }) => `${path.join('.')}: ${message}`);
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => message.endsWith('Invalid input'))).toEqual([]);
  },
);
