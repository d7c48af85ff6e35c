/** The order in which batches of a folder are fetched, stored, acknowledged and noted. */
import { describe, expect, test } from '@jest/globals';
import type { FetchedOutcome } from '../../../shared/ingest/ingest-fetched.ts';
import { readFolder } from '../../../shared/ingest/read-mailbox.ts';
import { type Batch, FolderProblem, type MailFolder } from '../../../shared/network/folder-port.ts';

const settings = { after: 'mark-read', moveTo: null } as const;
const stored: FetchedOutcome = {
  status: 'stored',
  stored: [{ outcomes: [{ kind: 'accepted' }], isKnown: false }] as never,
};

const isAcknowledgement = (event: string) => /^(mark|note)/.test(event);

/** By default, two mails in each batch; a mail is its ID. Returns what happened, in its order. */
function reading({
  batches = 3,
  size = 2,
  failing = '',
  lostAfter = Number.POSITIVE_INFINITY,
  isQuick = false,
  bytes = 0,
} = {}) {
  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  const none = async () => {};
  const folder: MailFolder = {
    ...{ messages: 2 * batches, move: none, delete: none, close: none },
    async *batches() {
      for (let n = 1; n <= batches; n += 1) {
        const mails = Array.from({ length: size }, (_, at) => ({ id: `${n}${(10 + at).toString(36)}` }));
        yield { mails, position: { uidValidity: '1', uid: n }, remaining: batches - n } satisfies Batch;
      }
    },
    async *fetch(mails) {
      for (const { id } of mails) {
        if (id === failing) throw new FolderProblem('connection-lost', id);
        events.push(`fetch ${id}`);
        yield { id, content: Buffer.from(id.padEnd(bytes)), receivedAt: new Date(0) };
      }
    },
    markRead: async (mails) => void events.push(`mark ${mails.map(({ id }) => id).join(' ')}`),
  };
  const result = readFolder(folder, settings, null, {
    async ingest(content) {
      const id = Buffer.from(content).toString().trim();
      if (!isQuick) await new Promise<void>((resolve) => waiting.set(id, resolve));
      events.push(`store ${id}`);
      return stored;
    },
    async advance({ position, read, accepted }) {
      const uid = 'uid' in position ? position.uid : 0;
      events.push(`note ${uid}: ${read} ${accepted}`);
      return uid <= lostAfter;
    },
    hasTime: () => true,
  });
  /** Lets mails be stored, after everything else that can happen has happened. */
  async function store(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await new Promise(setImmediate);
      waiting.get(id)?.();
      waiting.delete(id);
    }
    await new Promise(setImmediate);
  }
  return { events, result, store, waiting };
}

describe('batches of a folder', () => {
  test('are fetched while the one before is stored, and noted in their order', async () => {
    const { events, result, store, waiting } = reading();
    await store('2a', '2b');
    expect(events).toEqual(['fetch 1a', 'fetch 1b', 'fetch 2a', 'fetch 2b', 'store 2a', 'store 2b']);
    await store('1b', '1a');
    const acknowledged = ['mark 1b 1a', 'note 1: 2 2', 'mark 2a 2b', 'note 2: 2 2'];
    expect(events.filter(isAcknowledgement)).toEqual(acknowledged);
    // Batches that are not noted are never more than two.
    expect(events.indexOf('fetch 3a')).toBeGreaterThan(events.indexOf('note 1: 2 2'));
    await store('3a', '3b');
    expect(events.filter(isAcknowledgement)).toEqual([...acknowledged, 'mark 3a 3b', 'note 3: 2 2']);
    expect(await result).toEqual({ status: 'read', remaining: 0 });
    expect(waiting.size).toBe(0);
  });

  test.each([
    ['50 mails', { size: 60 }, 50],
    ['mails of more than 8 MB', { size: 4, bytes: 4 * 1024 * 1024 }, 3],
  ])('are fetched until %s are being stored', async (_, given, most) => {
    const { events, result, store, waiting } = reading({ batches: 1, ...given });
    await store();
    expect(events).toHaveLength(most);
    await store('1a');
    expect(events.slice(most)).toEqual(['store 1a', expect.stringMatching(/^fetch/)]);
    while (waiting.size > 0) await store(...waiting.keys());
    expect((await result).status).toBe('read');
  });

  test('are left for the next run after 5,000 mails', async () => {
    const { events, result } = reading({ batches: 4, size: 2_500, isQuick: true });
    expect(await result).toEqual({ status: 'read', remaining: 2_501 });
    const noted = events.filter((event) => event.startsWith('note'));
    expect(noted).toEqual(['note 1: 2500 2500', 'note 2: 2500 2500']);
  });

  test('are noted up to the one whose connection ends, whose fetched mails are stored before the end', async () => {
    const { events, result, store } = reading({ failing: '2b' });
    let hasEnded = false;
    const failed = expect(result.finally(() => (hasEnded = true))).rejects.toThrow('2b');
    await store('1a', '1b');
    expect(events).toEqual([
      ...['fetch 1a', 'fetch 1b', 'fetch 2a', 'store 1a', 'store 1b', 'mark 1a 1b', 'note 1: 2 2'],
    ]);
    expect(hasEnded).toBe(false);
    await store('2a');
    await failed;
    expect(events.at(-1)).toBe('store 2a');
  });

  test('are left to another worker that has the mailbox, and nothing is under way in the end', async () => {
    const { events, result, store } = reading({ lostAfter: 0 });
    let hasEnded = false;
    void result.then(() => (hasEnded = true));
    await store('1a', '1b', '2a');
    expect(events.at(-1)).toBe('store 2a');
    expect(hasEnded).toBe(false);
    await store('2b');
    expect(await result).toEqual({ status: 'lost' });
    expect(events.filter(isAcknowledgement)).toEqual(['mark 1a 1b', 'note 1: 2 2']);
  });
});
