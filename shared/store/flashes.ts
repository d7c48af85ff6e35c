/**
 * What a form of the console did, or why it did nothing, for the page that its redirect leads to. It is stored for a few
 * minutes, sealed with the text of the session, so that only the browser that sent the form can read it.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { octets } from './item-schema.ts';
import type { ItemStore } from './items.ts';
import { sessionKey } from './keys.ts';
import { seal, unseal } from './sealed.ts';
import type { Session } from './sessions.ts';

/** Long enough to read a page and to correct a form. */
const FLASH_SECONDS = 15 * 60;

/** In characters of JSON, so that an item stays below 400 KB (DynamoDB's limit). */
const MAX_LENGTH = 300_000;

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

const flashItem = z.object({ content: z.optional(octets), until: z.string() });

interface Place {
  readonly organization: string;
  readonly session: Pick<Session, 'id'>;
  /** The text of the session. */
  readonly text: string;
}

const keyOf = ({ organization, session }: Place, id: string) =>
  sessionKey('FLASH', organization, `${session.id}#${id}`);

/** What the service chooses as the ID of a flash. */
export const isFlashId = (id: string): boolean => /^[\w-]{22}$/.test(id);

/** Stores what a form did, and returns its ID. Undefined if it is too large. */
export async function leaveFlash(
  table: Pick<ItemStore, 'update'>,
  place: Place,
  left: Flash,
  now: Date,
): Promise<string | undefined> {
  if (JSON.stringify(left).length > MAX_LENGTH) return undefined;
  const id = randomBytes(16).toString('base64url');
  const end = now.getTime() + FLASH_SECONDS * 1000;
  // An update, because that is what every function with a session may do to its partition.
  const isNew = await table.update(keyOf(place, id), {
    UpdateExpression: 'SET content = :content, #until = :until, expiresAt = :expires',
    ConditionExpression: 'attribute_not_exists(pk)',
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: {
      ':content': seal(left, place.text, 'flash'),
      ':until': new Date(end).toISOString(),
      ':expires': Math.ceil(end / 1000),
    },
  });
  return isNew ? id : undefined;
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
  const found = flash.parse(unseal(item.content, place.text, 'flash'));
  if (found.kind !== 'done') return found;
  const isFirst = await table.update(key, {
    UpdateExpression: 'REMOVE content',
    ConditionExpression: 'attribute_exists(content)',
  });
  return isFirst ? found : undefined;
}
