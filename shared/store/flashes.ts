/**
 * What a form of the console did, or why it did nothing, for the page that its redirect leads to. It is stored for a few
 * minutes, sealed with the text of the session, so that only the browser that sent the form can read it.
 */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { changing } from './changes.ts';
import { octets } from './item-schema.ts';
import { ABSENT, type ItemStore } from './items.ts';
import { sessionKey } from './keys.ts';
import { seal, unseal } from './sealed.ts';
import type { Session } from './sessions.ts';

/** Long enough to read a page and to correct a form. */
const FLASH_SECONDS = 15 * 60;

/** In bytes, so that an item stays below 400 KB (DynamoDB's limit): a long list is in several items. */
const MAX_PART = 380_000;

/** As many as the longest list that a form takes needs, however little it can be compressed. */
const MOST_PARTS = 8;

export const flash = z.object({
  /**
   * `done`: shown once, because it can have a secret. The others can be loaded again: `refused` says why nothing was done, and
   * `question` what is to be confirmed.
   */
  kind: z.enum(['done', 'refused', 'question']),
  /** A sentence. */
  says: z.string(),
  /** A secret that is not shown again. */
  secret: z.optional(z.string()),
  /** The name of the route of the form. */
  form: z.string(),
  /** Where the form was sent. */
  action: z.string(),
  /** What was entered, by the name of the field, without secrets. */
  typed: z.record(z.string(), z.string()),
  /** The problems of what was entered, by their path in it. */
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
  /** What became of each of many domains, in the order of the form. */
  added: z.optional(
    z.array(z.object({ typed: z.string(), id: z.optional(z.string()), problem: z.optional(z.string()) })),
  ),
});

export type Flash = Readonly<z.infer<typeof flash>>;

/** `parts`: how many further items have the rest of the content. */
const flashItem = z.object({ content: z.optional(octets), until: z.string(), parts: z.optional(z.number()) });

interface Place {
  readonly organization: string;
  readonly session: Pick<Session, 'id'>;
  /** The text of the session. */
  readonly text: string;
}

const keyOf = ({ organization, session }: Place, id: string, part = 0) =>
  sessionKey('FLASH', organization, `${session.id}#${id}${part === 0 ? '' : `#${part}`}`);

/** What the service chooses as the ID of a flash. */
export const isFlashId = (id: string): boolean => /^[\w-]{22}$/.test(id);

/** Stores what a form did, and returns its ID. Undefined if it is too large. */
export async function leaveFlash(
  table: Pick<ItemStore, 'update'>,
  place: Place,
  left: Flash,
  now: Date,
): Promise<string | undefined> {
  const sealed = seal(left, place.text, 'flash');
  const parts = Math.max(0, Math.ceil(sealed.length / MAX_PART) - 1);
  if (parts >= MOST_PARTS) return undefined;
  const id = randomBytes(16).toString('base64url');
  const end = now.getTime() + FLASH_SECONDS * 1000;
  // The first one is last: a reader that finds it finds all. An update, because that is what every function with a session may do to
  // its partition.
  for (let part = parts; part >= 0; part -= 1) {
    const content = sealed.subarray(part * MAX_PART, (part + 1) * MAX_PART);
    const until = new Date(end).toISOString();
    const change = changing({ content, until, parts, expiresAt: Math.ceil(end / 1000) }, ABSENT);
    if (!(await table.update(keyOf(place, id, part), change))) return undefined;
  }
  return id;
}

/** What a form did. Undefined if the ID is unknown, of another session or too old, or if it was shown and is shown only once. */
export async function readFlash(
  table: Pick<ItemStore, 'get' | 'update'>,
  place: Place,
  id: string,
  now: Date,
): Promise<Flash | undefined> {
  const key = keyOf(place, id);
  const item = await table.get(key, flashItem);
  if (item?.content === undefined || item.until <= now.toISOString()) return undefined;
  const others = await Promise.all(
    Array.from({ length: item.parts ?? 0 }, (_, at) => table.get(keyOf(place, id, at + 1), flashItem)),
  );
  const content = Buffer.concat([item.content, ...others.flatMap((one) => one?.content ?? [])]);
  const found = flash.parse(unseal(content, place.text, 'flash'));
  if (found.kind !== 'done') return found;
  const isThere = { ConditionExpression: 'attribute_exists(content)' };
  return (await table.update(key, changing({ content: undefined }, isThere))) ? found : undefined;
}
