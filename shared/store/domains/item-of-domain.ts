/** An item about a domain that is read and replaced as a whole. */
import type { ItemSchema } from '../item-schema.ts';
import type { Key } from '../keys.ts';
import type { Table } from '../table.ts';
import type { DomainReference } from './domain.ts';
import { isRegistered } from './writes.ts';

export const itemOfDomain = <Value extends object>(
  table: Table,
  keyOf: (domainId: string) => Key,
  schema: ItemSchema<Value>,
) => ({
  get: (domainId: string): Promise<Value | undefined> => table.get(keyOf(domainId), schema),

  /** Stores it in place of the one before, unless the domain is gone, whose data is deleted then. */
  async keep(domain: DomainReference, value: Value): Promise<void> {
    await table.tryTransact([isRegistered(domain), { Put: { Item: { ...keyOf(domain.id), ...value } } }]);
  },
});
