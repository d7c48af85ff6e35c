import { describe, expect, test } from '@jest/globals';
import { requestTurns } from '../../../../../lib/local/host/gateway/turns.ts';

const limits = {
  'signed-in': { places: 4, perClient: 4, waiting: 100 },
  tool: { places: 4, perClient: 2, waiting: 3 },
  page: { places: 2, perClient: 2, waiting: 100 },
};

/** Requests that end when the test says so. */
function stage() {
  const inTurn = requestTurns(limits);
  const started: string[] = [];
  const open = new Map<string, () => void>();
  return {
    inTurn,
    started,
    start: (kind: keyof typeof limits, client: string, name = client) =>
      inTurn(kind, client, () => {
        started.push(name);
        return new Promise<string>((resolve) => open.set(name, () => resolve(name)));
      }),
    async end(name: string) {
      open.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('requests in progress', () => {
  test('with credentials do not wait for pages or tools', async () => {
    const { start, started, inTurn } = stage();
    for (let at = 0; at < 50; at += 1) void start('page', `visitor${at}`);
    for (let at = 0; at < 3; at += 1) void start('tool', 'visitor');
    expect(await inTurn('signed-in', 'member', async () => 'answer')).toBe('answer');
    expect(started).toEqual(['visitor0', 'visitor1', 'visitor', 'visitor']);
  });

  test('of one client leave places to others', async () => {
    const { start, started } = stage();
    for (const name of ['a1', 'a2', 'a3']) void start('tool', 'a', name);
    for (const name of ['b1', 'b2', 'b3']) void start('tool', 'b', name);
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('end, and clients take turns at their places', async () => {
    const { start, started, end } = stage();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void start('page', 'a', name);
    for (const client of ['b', 'c']) void start('page', client);
    await end('a1');
    await end('a2');
    await end(started[2] ?? '');
    expect(started.slice(2).toSorted()).toEqual(['a3', 'b', 'c']);
  });

  test('are refused when too many of a client wait', () => {
    const { start } = stage();
    const outcomes = Array.from({ length: 6 }, (_, at) => start('tool', 'a', `a${at}`));
    expect(outcomes.map((outcome) => outcome === undefined)).toEqual([...Array(5).fill(false), true]);
    expect(start('tool', 'b')).toBeDefined();
  });

  test('that fail give their places back', async () => {
    const { inTurn } = stage();
    const fails = () => Promise.reject(new Error('no'));
    for (let at = 0; at < 10; at += 1) await expect(inTurn('page', 'a', fails)).rejects.toThrow('no');
    expect(await inTurn('page', 'a', async () => 'answer')).toBe('answer');
  });
});
