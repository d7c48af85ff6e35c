/** A single write of any request: first prepared against its table, then executed inside a transaction. */
import { type Item, parseItem } from './attribute-value.ts';
import { type Usage, writeUsage } from './capacity.ts';
import { conditionFailed, InvalidRequest, invalidParameter } from './errors.ts';
import { parseCondition } from './expressions/condition.ts';
import { holds } from './expressions/evaluate.ts';
import { Placeholders } from './expressions/parser.ts';
import type { Action, Condition } from './expressions/syntax.ts';
import { applyUpdate, parseUpdate } from './expressions/update.ts';
import { itemSize } from './item-size.ts';
import type { Storage, StoredItem } from './storage.ts';
import { entryKey, expiryOf, keyNames, keyOf, keyOfItem, refuseKeyParts, type Table } from './tables.ts';

/** The parameters that make a request a conditional write. */
interface ConditionalRequest {
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

/** A write as the request states it, before it is checked against the table. */
export interface Intent {
  readonly condition?: Condition | undefined;
  /** The attributes that its expressions refer to a part of. */
  readonly divided: ReadonlySet<string>;
  readonly change: Change;
}

export type Change =
  | { readonly kind: 'put'; readonly item: Item }
  | { readonly kind: 'delete' | 'check'; readonly key: Item }
  | { readonly kind: 'update'; readonly key: Item; readonly actions: readonly Action[] };

export interface Write extends Intent {
  readonly table: Table;
  readonly key: Buffer;
}

export interface Written {
  readonly after: Item | undefined;
  readonly usage: Usage;
}

/** AWS, "Service, account, and table quotas". */
const MAX_ITEM = 400 * 1024;

export const putIntent = (
  request: ConditionalRequest & { readonly Item: Readonly<Record<string, unknown>> },
): Intent =>
  intent(request, () => {
    const item = parseItem(request.Item);
    refuseLarge(item, 'Item size has exceeded the maximum allowed size');
    return { kind: 'put', item };
  });

export const keyIntent = (
  kind: 'delete' | 'check',
  request: ConditionalRequest & { readonly Key: Readonly<Record<string, unknown>> },
): Intent => intent(request, () => ({ kind, key: parseItem(request.Key) }));

export const updateIntent = (
  request: ConditionalRequest & {
    readonly Key: Readonly<Record<string, unknown>>;
    readonly UpdateExpression?: string | undefined;
  },
): Intent =>
  intent(request, (placeholders) => ({
    kind: 'update',
    key: parseItem(request.Key),
    actions:
      request.UpdateExpression === undefined ? [] : parseUpdate(request.UpdateExpression, placeholders),
  }));

/** Checks a write against its table. Throws `InvalidRequest` if the key or item violates the table's schema. */
export function prepare(table: Table, draft: Intent): Write {
  const { change } = draft;
  refuseKeyParts(table, draft.divided);
  if (change.kind === 'put') {
    return { ...draft, table, key: keyOfItem(table, change.item) };
  }
  if (change.kind === 'update') {
    const own = keyNames(table.keys);
    const touched = change.actions.map(({ path }) => path[0] ?? '').find((name) => own.includes(name));
    if (touched !== undefined) {
      throw invalidParameter(`Cannot update attribute ${touched}. This attribute is part of the key`);
    }
  }
  return { ...draft, table, key: keyOf(table.keys, change.key) };
}

export const conditionHolds = ({ condition }: Intent, before: Item | undefined): boolean =>
  condition === undefined || holds(condition, before ?? {});

/** Executes the write if its condition holds. Call this inside a storage transaction. */
export function perform(storage: Storage, write: Write): Written {
  const stored = storage.read(write.table.id, write.key);
  if (!conditionHolds(write, stored?.item)) {
    throw conditionFailed();
  }
  return carryOut(storage, write, stored);
}

/** Executes the write on the stored item, after its condition was checked. */
export function carryOut(
  storage: Storage,
  write: Write,
  stored: StoredItem | undefined,
  factor = 1,
): Written {
  const { table, key } = write;
  const before = stored?.item;
  const after = outcome(write, before);
  replace(storage, table, { key, id: stored?.id, before, after });
  return { after, usage: writeUsage(table, before, after, factor) };
}

/** Replaces `before` by `after` in the table and its indexes. */
export function replace(
  storage: Storage,
  table: Table,
  {
    key,
    id,
    before,
    after,
  }: { key?: Buffer; id: number | undefined; before: Item | undefined; after: Item | undefined },
): void {
  if (before === after) return;
  let item = id;
  if (after && item !== undefined) storage.update(item, after, expiryOf(table, after));
  else if (after && key) item = storage.insert(table.id, key, after, expiryOf(table, after));
  else if (item !== undefined) storage.delete(item);
  for (const index of table.indexes) {
    const from = before && entryKey(table, index, before);
    const to = after && entryKey(table, index, after);
    if (from && to && from.equals(to)) continue;
    if (from) storage.deleteEntry(table.id, index.name, from);
    if (to && item !== undefined) storage.insertEntry(table.id, index.name, to, item);
  }
}

function intent(request: ConditionalRequest, change: (placeholders: Placeholders) => Change): Intent {
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const result = {
    change: change(placeholders),
    condition:
      request.ConditionExpression === undefined
        ? undefined
        : parseCondition('ConditionExpression', request.ConditionExpression, placeholders),
    divided: placeholders.divided,
  };
  placeholders.refuseUnused();
  return result;
}

function outcome({ table, change }: Write, before: Item | undefined): Item | undefined {
  if (change.kind === 'put') return change.item;
  if (change.kind !== 'update') return change.kind === 'check' ? before : undefined;
  const after = applyUpdate(before ?? change.key, change.actions);
  // An update that only removes does not create an item; an update without actions does.
  if (!before && change.actions.length > 0 && change.actions.every(({ kind }) => kind === 'REMOVE')) {
    return undefined;
  }
  keyOfItem(table, after);
  refuseLarge(after, 'Item size to update has exceeded the maximum allowed size');
  return after;
}

function refuseLarge(item: Item, message: string): void {
  if (itemSize(item) > MAX_ITEM) throw new InvalidRequest(message);
}
