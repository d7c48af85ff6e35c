import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DeadLetter,
  deadLettersOf,
  MAX_INTERRUPTIONS,
  openQueueStore,
  type QueueStore,
} from '../../../../../lib/local/stores/queues/queue-store.ts';
import { useFolder } from '../../../../kit/use.ts';

const DAY_MILLISECONDS = 86_400_000;
const queue = { name: 'work', maxReceiveCount: 5, visibilityTimeoutSeconds: 60 };
const dead: DeadLetter[] = [];
let path: string;
let store: QueueStore;

beforeEach(() => {
  path = join(useFolder('store'), 'queues.sqlite');
  store = openQueueStore(path, [queue]);
  dead.length = 0;
});

/** Simulates that the process ends without notice and the next one opens the file. */
function restart(): void {
  store.close();
  store = openQueueStore(path, [queue], (message) => dead.push(message));
  store.recover();
}

const receive = (hiddenSeconds = queue.visibilityTimeoutSeconds) => store.receive(queue, 10, hiddenSeconds);
const deadLetters = () => {
  const letters = store.queue(deadLettersOf('work'));
  if (letters === undefined) throw new Error('no dead letters');
  return store.receive(letters, 10, 0);
};
/** Receives a message and makes it visible again immediately. */
function fail(): boolean {
  const [message] = receive();
  return message !== undefined && store.hide('work', message.receipt, 0);
}

describe('a restart', () => {
  test('releases messages in progress, but not those whose visibility timeout was changed', () => {
    for (const body of ['handled', 'put off', 'put off for long', 'delayed'])
      store.send('work', body, body === 'delayed' ? 600 : 0);
    const received = receive();
    expect(received.map(({ body }) => body)).toEqual(['handled', 'put off', 'put off for long']);
    expect(store.hide('work', received[1]?.receipt ?? '', 30)).toBe(true);
    expect(store.hide('work', received[2]?.receipt ?? '', 3600)).toBe(true);
    restart();
    expect(receive().map(({ body, receives }) => [body, receives])).toEqual([['handled', 2]]);
    expect(store.counts('work')).toEqual({ ready: 0, inFlight: 3, delayed: 1, waitMilliseconds: 0 });
  });

  test('does not count a receive that ended with the process', () => {
    store.send('work', 'mail', 0);
    for (let kill = 0; kill < 40; kill += 1) {
      expect(receive()).toHaveLength(1);
      restart();
    }
    for (let failure = 0; failure < queue.maxReceiveCount; failure += 1) expect(fail()).toBe(true);
    expect([receive(), dead.length]).toEqual([[], 1]);
  });

  test('counts such receives eventually, so that a message that always crashes the process becomes a dead letter', () => {
    store.send('work', 'poison', 0);
    let kills = 0;
    while (receive().length > 0) {
      kills += 1;
      restart();
    }
    expect(kills).toBe(MAX_INTERRUPTIONS + queue.maxReceiveCount);
    expect(dead).toEqual([
      {
        queue: 'work',
        messageId: expect.any(String),
        receives: kills,
        interrupted: MAX_INTERRUPTIONS,
      },
    ]);
    expect(deadLetters()).toMatchObject([{ body: 'poison', messageId: dead[0]?.messageId }]);
  });

  test('puts messages in progress behind waiting ones, so that they do not block others', () => {
    store.send('work', 'poison', 0);
    expect(receive()).toHaveLength(1);
    store.send('work', 'waiting', 0);
    restart();
    expect(receive().map(({ body }) => body)).toEqual(['waiting', 'poison']);
  });

  test('deletes dead letters after 14 days, but no messages of other queues', () => {
    for (const name of ['work', deadLettersOf('work')]) store.send(name, name, 0);
    const age = (days: number) => {
      const database = new DatabaseSync(path);
      const time = Date.now() - days * DAY_MILLISECONDS;
      database.prepare('UPDATE messages SET sent = ?, visible = ?').run(time, time);
      database.close();
    };
    age(13);
    restart();
    expect([receive(0).length, deadLetters().length]).toEqual([1, 1]);
    age(15);
    restart();
    expect([receive(0).length, deadLetters().length]).toEqual([1, 0]);
  });
});

describe('a clock that was ahead', () => {
  /** Runs `act` while the clock of this process is ahead. */
  function ahead(milliseconds: number, act: () => void): void {
    const { now } = Date;
    Date.now = () => now() + milliseconds;
    try {
      act();
    } finally {
      Date.now = now;
    }
  }

  test('delays no message when it was set back', () => {
    ahead(3_600_000, () => {
      store.send('work', 'sent', 0);
      store.send('work', 'delayed', 600);
      store.send('work', 'received', 0);
      expect(receive(300).map(({ body }) => body)).toEqual(['sent', 'received']);
      store.send('work', 'waiting', 0);
    });
    expect(receive()).toEqual([]);
    store.clockSetBack(3_600_000);
    expect(receive().map(({ body }) => body)).toEqual(['waiting']);
    const { ready, inFlight, delayed } = store.counts('work');
    expect([ready, inFlight, delayed]).toEqual([0, 3, 1]);
    // The other messages keep their times.
    ahead(301_000, () => expect(receive().map(({ body }) => body)).toEqual(['waiting', 'sent', 'received']));
    ahead(601_000, () => expect(receive().map(({ body }) => body)).toContain('delayed'));
  });

  test('delays no message by more than SQS allows if it was set back while the service was stopped', () => {
    ahead(DAY_MILLISECONDS, () => store.send('work', 'sent', 0));
    restart();
    expect(receive().map(({ body }) => body)).toEqual(['sent']);
  });
});

test('however many wait for a message, nothing warns of them', async () => {
  const warnings: string[] = [];
  const warned = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warned);
  const { signal } = new AbortController();
  const waiting = Array.from({ length: 12 }, () => store.arrival('work', Date.now() + 60_000, signal));
  store.send('work', 'message', 0);
  await Promise.all(waiting);
  await nextTurn();
  process.off('warning', warned);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});

describe('groups of messages', () => {
  const bodies = (limit: number) => store.receive(queue, limit, 60).map(({ body }) => body);

  test('take turns, each in the order of its messages', () => {
    for (let at = 0; at < 1000; at += 1) store.send('work', `flood ${at}`, 0, 'flood');
    store.send('work', 'other', 0, 'other');
    store.send('work', 'without', 0);
    expect(bodies(3).toSorted()).toEqual(['flood 0', 'other', 'without']);
    expect(bodies(2)).toEqual(['flood 1', 'flood 2']);
    store.send('work', 'late', 0, 'another');
    expect(bodies(2).toSorted()).toEqual(['flood 3', 'late']);
  });

  test('without a group keep their turns after a restart', () => {
    store.send('work', 'first', 0);
    store.send('work', 'second', 0);
    restart();
    expect(bodies(5)).toEqual(['first', 'second']);
  });
});
