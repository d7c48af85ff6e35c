/** People who sign in through the identity provider: what is kept of them beside their memberships. */

import * as z from 'zod/mini';
import { hashToken } from './api-tokens.ts';
import { changing } from './changes.ts';
import { orNull } from './item-schema.ts';
import { browserKey, personKey } from './keys.ts';
import { isAlive } from './retention.ts';
import type { Table } from './table.ts';

export const personItem = z.object({
  /** Where they were last. */
  lastOrganization: orNull(z.string()),
  /** Whether a sign-in with a new browser is mailed to them. */
  signInNotice: z._default(z.boolean(), true),
});

export type Person = Readonly<z.infer<typeof personItem>>;

const nobody: Person = { lastOrganization: null, signInNotice: true };

/** A browser that was not used for this long is new again. */
const BROWSER_SECONDS = 400 * 86_400;

const expiringItem = z.looseObject({ expiresAt: z.number() });

export type PersonStore = ReturnType<typeof personStore>;

export function personStore(table: Pick<Table, 'get' | 'put' | 'update'>) {
  return {
    /** By the ID of the person. */
    async get(id: string): Promise<Person> {
      return (await table.get(personKey(id), personItem)) ?? nobody;
    },

    /** Stores which organization the person sees. */
    async sees(id: string, organization: string): Promise<void> {
      await table.update(personKey(id), changing({ lastOrganization: organization }));
    },

    /** Turns the notice of sign-ins on or off. */
    async setSignInNotice(id: string, isOn: boolean): Promise<void> {
      await table.update(personKey(id), changing({ signInNotice: isOn }));
    },

    /** Stores that the person uses the browser with this secret. Returns whether they did before. */
    async knowsBrowser(id: string, secret: string, now: Date): Promise<boolean> {
      const key = browserKey(id, hashToken(secret));
      const known = await table.get(key, expiringItem);
      await table.put({ ...key, expiresAt: Math.ceil(now.getTime() / 1000) + BROWSER_SECONDS });
      return known !== undefined && isAlive(known, now);
    },
  };
}
