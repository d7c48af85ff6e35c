/**
 * A table whose concurrent reads and transactions share requests, for a worker that stores many small things at the same
 * time. Each transaction is still performed as a whole or not at all, and only its own conditions decide.
 */
import type { Found, Read } from './items.ts';
import type { Table, Write } from './table.ts';

/** The items of one request (AWS, BatchGetItem and TransactWriteItems). */
const MOST_ITEMS = 100;

/** How long something waits for others to share a request with. */
const WAIT_MILLISECONDS = 4;

interface Job<Item, Answer> {
  readonly items: readonly Item[];
  readonly answer: PromiseWithResolvers<Answer>;
}

type ReadJob = Job<Read<unknown>, Found>;
type WriteJob = Job<Write, ReadonlySet<number>>;

/** Consistent reads share no requests: they repeat something that failed. */
export function batchedTable(table: Table): Table {
  const read = gathering<ReadJob>((jobs) => {
    for (const { items, jobs: some } of shared(jobs, { keyOf: ({ key }) => key, isSame: () => true })) {
      const found = table.getMany(items, { isConsistent: false });
      for (const { answer } of some) answer.resolve(found);
    }
  });
  const write = gathering<WriteJob>((jobs) => {
    for (const { items, jobs: some } of shared(jobs, { keyOf: keyWritten, isSame: isSameCheck }))
      void transactTogether(table, items, some);
  });
  return {
    ...table,
    getMany(items, how = {}) {
      if (how.isConsistent !== false) return table.getMany(items, how);
      const answer = Promise.withResolvers<Found>();
      read({ items, answer });
      return answer.promise;
    },
    tryTransact(items) {
      const answer = Promise.withResolvers<ReadonlySet<number>>();
      write({ items, answer });
      return answer.promise;
    },
  };
}

/** Performs transactions as one, or each by itself if that fails. */
async function transactTogether(
  table: Table,
  writes: readonly Write[],
  jobs: readonly WriteJob[],
): Promise<void> {
  const isDone =
    jobs.length > 1 &&
    (await table.tryTransact(writes).then(
      (failed) => failed.size === 0,
      () => false,
    ));
  for (const { items, answer } of jobs) answer.resolve(isDone ? new Set() : table.tryTransact(items));
}

/** Collects jobs and passes them on together. */
function gathering<One>(handle: (jobs: readonly One[]) => void): (job: One) => void {
  let waiting: One[] = [];
  return (job) => {
    waiting.push(job);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const jobs = waiting;
      waiting = [];
      handle(jobs);
    }, WAIT_MILLISECONDS);
  };
}

interface Sharing<Item> {
  readonly keyOf: (item: Item) => { readonly pk?: unknown; readonly sk?: unknown };
  /** Whether a request needs only one of two items with the same key. If not, two requests need one each. */
  readonly isSame: (one: Item, other: Item) => boolean;
}

/** The fewest requests, roughly, that have each job as a whole in one of them. */
function shared<Item, Answer>(
  jobs: readonly Job<Item, Answer>[],
  { keyOf, isSame }: Sharing<Item>,
): { readonly items: readonly Item[]; readonly jobs: readonly Job<Item, Answer>[] }[] {
  const requests: { readonly byKey: Map<string, Item>; readonly jobs: Job<Item, Answer>[] }[] = [];
  for (const job of jobs) {
    const own = new Map(job.items.map((item) => [nameOf(keyOf(item)), item]));
    const fits = ({ byKey }: (typeof requests)[number]): boolean => {
      const twice = [...own].flatMap(([key, item]) => {
        const other = byKey.get(key);
        return other === undefined ? [] : [{ item, other }];
      });
      if (byKey.size + own.size - twice.length > MOST_ITEMS) return false;
      return twice.every(({ item, other }) => isSame(item, other));
    };
    const request = requests.find(fits);
    if (request === undefined) requests.push({ byKey: own, jobs: [job] });
    else {
      for (const [key, item] of own) request.byKey.set(key, item);
      request.jobs.push(job);
    }
  }
  return requests.map(({ byKey, jobs: some }) => ({ items: [...byKey.values()], jobs: some }));
}

const nameOf = ({ pk, sk }: ReturnType<Sharing<unknown>['keyOf']>): string => `${pk} ${sk}`;

function keyWritten(write: Write) {
  if ('Put' in write) return write.Put.Item;
  if ('Update' in write) return write.Update.Key;
  return 'Delete' in write ? write.Delete.Key : write.ConditionCheck.Key;
}

/** Two changes of an item are never the same: both have to happen. */
const isSameCheck = (one: Write, other: Write): boolean =>
  'ConditionCheck' in one && 'ConditionCheck' in other && JSON.stringify(one) === JSON.stringify(other);
