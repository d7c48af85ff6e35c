/** What the registry last said about the registration of a domain, and when to ask again. */
import * as z from 'zod/mini';
import { registration } from '../../protocol/rdap/registration.ts';
import { itemOfDomain } from '../domains/item-of-domain.ts';
import { registrationKey } from '../keys.ts';
import type { Table } from '../table.ts';

const registrationItem = z.object({
  /** The answer of the last lookup that did not fail, and its time; ISO 8601. */
  seen: z.optional(
    z.object({
      at: z.string(),
      status: z.enum(['found', 'absent', 'not-offered']),
      registration: z.optional(registration),
    }),
  ),
  /** Since when the DS records at the registry have differed from those in DNS. */
  differsSince: z.optional(z.string()),
  nextAt: z.string(),
  /** Lookups in a row that failed. */
  failures: z._default(z.number(), 0),
});

export type StoredRegistration = Readonly<z.infer<typeof registrationItem>>;

export type RegistrationStore = ReturnType<typeof registrationStore>;

export const registrationStore = (table: Table) => itemOfDomain(table, registrationKey, registrationItem);
