/** TransactWriteItems. */
import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { consumedByTable, readUnits, TRANSACTION_FACTOR } from '../capacity.ts';
import type { Database } from '../database.ts';
import {
  type CancellationReason,
  CONDITION_FAILED,
  InvalidRequest,
  tokenReused,
  transactionCancelled,
} from '../errors.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import {
  carryOut,
  conditionHolds,
  type Intent,
  keyIntent,
  prepare,
  putIntent,
  updateIntent,
  type Write,
} from '../writes.ts';

type WriteRequest = z.output<typeof requests.TransactWriteItems>;

/** AWS, "TransactWriteItems": the bytes of all actions, and how long a client request token is valid. */
const MAX_OCTETS = 4 * 1024 * 1024;
const TOKEN_SECONDS = 600;

export function transactWriteItems({ storage, clock, table: named }: Database, request: WriteRequest) {
  const { ClientRequestToken: token, ReturnConsumedCapacity: mode } = request;
  const serialized = JSON.stringify(request.TransactItems);
  if (Buffer.byteLength(serialized) > MAX_OCTETS) {
    throw new InvalidRequest('Transaction payload size cannot exceed 4 MB');
  }
  const actions = request.TransactItems.map((action) => {
    const { tableName, intent } = read(action);
    return { table: named(tableName), intent };
  });
  const writes = cancelAtFirst(actions, ({ table, intent }) => prepare(table, intent));
  refuseDuplicates(writes);
  const now = Math.floor(clock.now().getTime() / 1000);
  const fingerprint = createHash('sha256').update(serialized).digest('base64');
  return storage.transaction(() => {
    const stored = writes.map(({ table, key }) => storage.read(table.id, key));
    const earlier = token === undefined ? undefined : storage.requestOf(token, now);
    if (earlier !== undefined) {
      if (earlier !== fingerprint) throw tokenReused();
      // A repeated request costs the reads of the items that it wrote before.
      const usages = writes.map(({ table }, at) => ({
        table,
        units: () => TRANSACTION_FACTOR * readUnits(itemSize(stored[at]?.item ?? {}), true),
      }));
      return { ConsumedCapacity: consumedByTable(mode, usages) };
    }
    const reasons = writes.map((write, at): CancellationReason => {
      if (conditionHolds(write, stored[at]?.item)) return { Code: 'None' };
      return { Code: 'ConditionalCheckFailed', Message: CONDITION_FAILED };
    });
    if (reasons.some(({ Code }) => Code !== 'None')) throw transactionCancelled(reasons);
    const usages = cancelAtFirst(
      writes,
      (write, at) => carryOut(storage, write, stored[at], TRANSACTION_FACTOR).usage,
    );
    if (token !== undefined) storage.keepToken(token, fingerprint, now + TOKEN_SECONDS);
    return { ConsumedCapacity: consumedByTable(mode, usages) };
  });
}

function read(action: WriteRequest['TransactItems'][number]): { tableName: string; intent: Intent } {
  const { Put, Update, Delete, ConditionCheck } = action;
  if (Object.keys(action).length !== 1) {
    throw new InvalidRequest('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  if (Put) return { tableName: Put.TableName, intent: putIntent(Put) };
  if (Update) return { tableName: Update.TableName, intent: updateIntent(Update) };
  if (Delete) return { tableName: Delete.TableName, intent: keyIntent('delete', Delete) };
  if (ConditionCheck) {
    return { tableName: ConditionCheck.TableName, intent: keyIntent('check', ConditionCheck) };
  }
  throw new InvalidRequest('TransactItems must contain one of Check, Put, Update or Delete');
}

/** Applies a step to each action. The first invalid one cancels the transaction and is reported as its reason. */
function cancelAtFirst<Action, Result>(
  actions: readonly Action[],
  step: (action: Action, at: number) => Result,
): readonly Result[] {
  return actions.map((action, at) => {
    try {
      return step(action, at);
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      throw transactionCancelled(
        actions.map((_, other) =>
          other === at ? { Code: 'ValidationError', Message: error.message } : { Code: 'None' },
        ),
      );
    }
  });
}

function refuseDuplicates(actions: readonly Pick<Write, 'table' | 'key'>[]): void {
  const targets = new Set(actions.map(({ table, key }) => `${table.id}/${key.toString('latin1')}`));
  if (targets.size < actions.length) {
    throw new InvalidRequest('Transaction request cannot include multiple operations on one item');
  }
}
